/* SPDX-License-Identifier: Zlib */
/*
 * step: a change of names, in its place in the volume's commit queue.
 *
 * Names and the model's structure change only while the head of the commit queue is held, so that
 * no commit that is on its way to the journal is overtaken. What must survive a kill is written to
 * the journal first.
 */
#ifndef VFS_OPS_STEP_H
#define VFS_OPS_STEP_H

#include "vfs/tree/node.h"

/* What happens to the names; r < 0: the journal could not be written, so nothing may. Ends c. */
typedef void (*step_fn)(struct vfs *v, struct call *c, int r);

/* Runs fn with the commit queue held. */
void step_run(struct vfs *v, struct call *c, step_fn fn);
/* Appends the operation to the journal before that. to is NULL but for JOURNAL_RENAME. If the
 * journal calls things otherwise by then, c runs again instead of fn. */
void step_record(struct vfs *v, struct call *c, enum journal_type type, const char *path,
	const char *to, step_fn fn);
/* ... that n, which is busy until fn has run, was removed from where it stands then. */
void step_remove(struct vfs *v, struct call *c, struct node *n, step_fn fn);
/* ... or was closed there with what stands in its stage now. */
void step_put(struct vfs *v, struct call *c, struct node *n, step_fn fn);

#endif
