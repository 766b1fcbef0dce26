/* SPDX-License-Identifier: Zlib */
/*
 * What would vanish at the unmount: drafts, files that were never closed, and scratch that no
 * editor's habit explains. It is copied to NAME.mapfs-left/ beside the map, path by path; a
 * directory of that name from before is left alone and the copy goes to NAME.mapfs-left.1, and so
 * on (save/left_dir.h).
 */
#pragma once

#include "vfs/tree/node.h"

struct left;

/*
 * Copies what would vanish if the mount ended now, so that an end which comes cannot fail for want
 * of room. The next call, or the end, brings the copies up to date. What is open
 * for writing is not looked at. A file that cannot be copied is a line and OUTCOME_SAVE_FAILED, and
 * then nothing is left of the attempt; what could be copied is not reported.
 */
void left_prepare(struct vfs *v, struct report *report);
/* The same at the end. Reports a line for each file; OUTCOME_LEFT if there was any,
 * OUTCOME_SAVE_FAILED where one could not be copied. */
void left_copy(struct vfs *v, struct report *report);
/* What left_prepare copied goes again. */
void left_drop(struct vfs *v);
void left_destroy(struct left *l);
