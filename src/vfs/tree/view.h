/* SPDX-License-Identifier: Zlib */
/*
 * view: the map as it follows from all that was closed, but for where objects stand, of formats
 * whose files show what others hold (format.follows). It is the overlay's `shape`: brought up to
 * date by each close where that is simple, and made anew, when somebody looks, where it is not.
 */
#pragma once

#include "vfs/tree/node.h"

/* It is not right any more; what the kernel is to forget of it is added to t, or (NULL) it is told
 * at once, and nobody waits for that. */
void view_spoil(struct vfs *v, struct touched *t);
/* Is it to be made anew before n is shown, or (NULL) listed? Then c runs again after that. */
bool view_wait(struct vfs *v, const struct node *n, struct call *c);
/* In the commit queue: a file's bytes are others, and next follows from them alone (NULL: nothing
 * else), from s, which was the shape when the task was at the queue's head. t says what differs in
 * it, and becomes what the kernel is to forget. */
void view_change(struct vfs *v, const struct snapshot *s, struct snapshot *next, struct touched *t);
/* What the kernel holds of clean files is to be forgotten: of those that were touched. then may be
 * NULL. */
void view_tell(struct vfs *v, const struct touched *t, struct job *then);
