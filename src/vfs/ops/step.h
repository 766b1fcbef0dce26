/* SPDX-License-Identifier: Zlib */
/*
 * step: a change of names, in its place in the volume's commit queue.
 *
 * The tree changes only while the head of the commit queue is held, so that no commit that is on
 * its way to the journal is overtaken, and what a save or a view is built of holds still. A step
 * looks first whether it may be done, then the journal hears of it, and then it is done.
 */
#pragma once

#include "vfs/ops/close.h"

struct step;

/* At the head of the queue. 0: it may be done; 1: the call waits, or runs again, by itself; else
 * -errno, its answer. */
typedef int (*step_may)(struct vfs *v, struct call *c, struct step *s);
/* Does it; 0 or -errno is the call's answer; 1: the call is answered later, by itself. */
typedef int (*step_do)(struct vfs *v, struct call *c, struct step *s);

void step_run(struct vfs *v, struct call *c, step_may may, step_do fn);
/* What is to be judged before the journal hears of anything, if may says what (its s; the reference
 * is the step's); of what is refused the journal does not hear, and do is told. */
struct validation *step_judged(struct step *s);
/* For may: the file is busy until the step has ended. */
void step_hold(struct step *s, struct inode *n);
/* For may: what the journal is to hear, in this order: a content and a change of names at most.
 * Paths are taken (NULL: -ENOMEM), to is NULL but for JOURNAL_RENAME; so is the reference to the
 * content. */
int step_record(struct step *s, enum journal_type type, char *path, char *to);
int step_content(struct step *s, char *path, struct extent content);
/* For do: where the content stands in the journal; a new reference. */
struct extent step_kept(const struct step *s);

/* dir/name, malloc'ed; NULL: no memory. */
char *step_path(const struct dentry *p);
