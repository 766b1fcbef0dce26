/* SPDX-License-Identifier: Zlib */
/*
 * What would vanish at the unmount: drafts, files that were never closed, and scratch that no
 * editor's habit explains. It is copied to NAME.mapfs-left/ beside the map, path by path; a
 * directory of that name from before is left alone and the copy goes to NAME.mapfs-left.1, and so
 * on.
 */
#ifndef VFS_LEFT_H
#define VFS_LEFT_H

#include "vfs/node.h"

/* Reports a line for each file; OUTCOME_LEFT if there was any, OUTCOME_SAVE_FAILED where one could
 * not be copied. */
void left_copy(struct vfs *v, struct report *report);

/* Is this the name of a file that an editor or a tool leaves lying about? */
bool left_explained(const char *name);

#endif
