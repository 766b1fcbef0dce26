/* SPDX-License-Identifier: Zlib */
/*
 * orphan: the end of a mount whose keeper has died, which `mapfs -u` then sees to.
 */
#ifndef CLI_ORPHAN_H
#define CLI_ORPHAN_H

#include <stdbool.h>

#include "cli/listener.h"
#include "fuse/keeper_mountinfo.h"

/*
 * The worker serves still and has said ORPHAN over sock: save, unmount the mount at point, whose
 * line in the table is entry, and wait for the worker's end; made: remove the mount point. Returns
 * the exit code.
 */
int orphan_end(struct listener *l, int sock, const char *point, const struct mount_entry *entry,
	bool force, bool made);

/* Nobody answers at all: the worker is dead too, or cannot be reached. Returns the exit code. */
int orphan_end_unheard(const struct listener *l, const char *point, bool force);

#endif
