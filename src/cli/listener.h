/* SPDX-License-Identifier: Zlib */
/*
 * listener: what `mapfs -u` prints of what it hears from a keeper, or from a worker without one.
 */
#ifndef CLI_LISTENER_H
#define CLI_LISTENER_H

#include <stdbool.h>
#include <time.h>

#include "fuse/control.h"
#include "fuse/keeper_lines.h"

struct listener {
	const char *mountpoint; /* as it was typed; borrowed */
	struct timespec start;
	bool wanted;          /* progress is */
	bool shown;           /* and stands on the terminal */
	bool heard;           /* a message came */
	struct lines printed; /* of the report: each line is printed once */
};

void listener_init(struct listener *l, const char *mountpoint, bool verbose);
void listener_finish(struct listener *l);

/* The next message that is neither PROGRESS, which is shown, nor REPORT, which is printed. Returns
 * what control_recv returns. */
int listener_next(struct listener *l, int sock, struct control_msg *ret);

/* A line on stderr about the mount. */
void listener_say(const struct listener *l, const char *text);

#endif
