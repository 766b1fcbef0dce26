/* SPDX-License-Identifier: Zlib */
/*
 * orphan: the end of a mount whose keeper has died, cannot be reached or does not answer, which
 * `mapfs -u` then sees to.
 */
#ifndef CLI_ORPHAN_H
#define CLI_ORPHAN_H

#include <stdbool.h>

#include "cli/listener.h"
#include "cli/target.h"

/* How a mount is to end. */
struct ending {
	bool force, discard, verbose;
	bool several; /* mounts end, one after another */
};

/*
 * The worker serves still and has said ORPHAN over sock: save, unmount, and wait for the worker's
 * end; made: remove the mount point. Returns the exit code, or -ETIMEDOUT.
 */
int orphan_end(
	struct listener *l, int sock, const struct target *t, const struct ending *how, bool made);

/* Nobody can be asked: the worker is dead too, or both are out of reach. Returns the exit code. */
int orphan_end_unheard(struct listener *l, const struct target *t, const struct ending *how);

/* Somebody could be asked, and does not answer: unmounted by force. Returns the exit code. */
int orphan_leave(struct listener *l, const struct target *t);

/* Unmount what is left of a mount in this mount namespace, whose keeper has ended it in its own.
 */
void orphan_unmount_here(const struct target *t);

#endif
