/* SPDX-License-Identifier: Zlib */
/* accept: what becomes of a file, and of the other form of its object, once its content was
 * accepted, or is dropped. */
#ifndef VFS_OPS_ACCEPT_H
#define VFS_OPS_ACCEPT_H

#include "vfs/tree/node.h"

/* A name that is gone by no request for it, and that the kernel is to forget; dir 0: there is none.
 */
struct forgotten {
	uint64_t dir;
	char name[NAME_MAX + 1];
};

/* Then calls then->done (NULL: nobody waits). Of the directory's listing the caller tells, unless
 * the kernel has a request for a name in it under way. */
void forgotten_tell(struct vfs *v, const struct forgotten *f, struct job *then);

/* n's content is in the model: it is no new object any more, and its other form is gone (*ret). */
void accept_content(struct vfs *v, struct node *n, struct forgotten *ret);
/* Was the other form of n's object written and refused? It is a draft that goes with that. */
bool accept_drops_draft(struct vfs *v, const struct node *n);
/* n's draft goes; and n too, if nothing else was ever there (*ret). */
void draft_dismiss(struct vfs *v, struct node *n, struct forgotten *ret);

#endif
