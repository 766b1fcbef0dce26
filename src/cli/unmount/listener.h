/* SPDX-License-Identifier: Zlib */
/*
 * listener: what `mapfs -u` prints of what it hears from a worker.
 */
#pragma once

#include <stdbool.h>

#include "fuse/control.h"
#include "vfs/offline/names.h"

/* How a mount is to end. */
struct ending {
	bool force; /* patience ends */
	bool discard, verbose;
	bool several; /* mounts end, one after another: lines of the report say of which */
};

struct listener {
	const char *mountpoint; /* as it was typed; borrowed */
	const struct ending *how;
	bool wanted; /* progress is */
	bool shown;  /* progress stands on the terminal */
	bool heard;  /* a message came */
	bool warned; /* that none comes */
	int64_t start_ms, heard_ms, shown_ms;
	int64_t moved_ms;        /* when the save was further than before */
	struct control_msg last; /* the last PROGRESS that said something */
	struct names printed;    /* of the report: each line is printed once */
};

/* What it is given is borrowed. */
void listener_init(struct listener *l, const char *mountpoint, const struct ending *how);
void listener_finish(struct listener *l);

/*
 * The next message that is neither PROGRESS, which is shown, nor REPORT, which is printed. Returns
 * what control_recv returns, or, of a forced end, -ETIMEDOUT where nothing was heard for some
 * seconds, or the save came no further for a longer time.
 */
int listener_next(struct listener *l, int sock, struct control_msg *ret);

/* A line on stderr about the mount. */
void listener_say(struct listener *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
