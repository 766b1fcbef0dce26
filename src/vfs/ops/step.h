/* SPDX-License-Identifier: Zlib */
/*
 * step: a change of names, run in the volume's change queue.
 *
 * The overlay changes only at the head of the change queue. So journal and overlay get changes in
 * the same order, and the overlay does not change under a save or view. A step checks whether the
 * change is allowed (step_may), then appends it to the journal, then changes the overlay (step_do).
 */
#pragma once

#include "vfs/ops/close.h"

struct step;

/* Check the change at the head of the queue, and set what the journal records. Returns 0 if it is
 * allowed; 1 if the call is queued elsewhere and runs again; or -errno, which answers the call. */
typedef int (*step_may)(struct vfs *v, struct call *c, struct step *s);
/* Make the change. Returns the call's answer, 0 or -errno, or 1 if the call is answered later. Also
 * called, without a journal record, if the validation refused the content. Owner's thread. */
typedef int (*step_do)(struct vfs *v, struct call *c, struct step *s);

/* Queue the change for the call, and answer the call: later, or during this call. */
void step_run(struct vfs *v, struct call *c, step_may may, step_do fn);
/* Validation to run before anything is recorded. step_may requests it by setting `map`, and passes
 * the references in it to the step. */
struct validation *step_validation(struct step *s);
/* In step_may: make the file busy until the step ends. At most one file. */
void step_keep_busy(struct step *s, struct inode *n);
/* In step_may: set the change of names and the content that the journal records, in this order; at
 * most one of each. Take the paths (NULL gives -ENOMEM) and the reference to the content. `to` is
 * NULL except for JOURNAL_RENAME. */
int step_record(struct step *s, enum journal_type type, char *path, char *to);
int step_record_content(struct step *s, char *path, struct extent content);
/* In step_do: the content as stored in the journal, or empty; a new reference. */
struct extent step_journaled_content(const struct step *s);

/* Path of a dentry, malloc'ed. Returns NULL if memory is exhausted. */
char *step_path(const struct dentry *p);
