/* SPDX-License-Identifier: Zlib */
/* commit: what stands in a file's stage was closed: it is judged, kept in the journal, and then the
 * tree has it. */
#pragma once

#include "vfs/tree/node.h"

/* The verdict: 0, -EINVAL where it can be no such file (the tree has it all the same), or why it
 * could not be kept. */
typedef void (*commit_done)(struct vfs *v, struct node *n, void *arg, int r);

enum commit_kind {
	COMMIT_JUDGED,
	COMMIT_LOGGED, /* nobody judges it yet: somebody may be about to write it */
};

/* n (file_judged) is busy until done. */
void commit_close(
	struct vfs *v, struct node *n, enum commit_kind kind, commit_done done, void *arg);

/* A verdict alone, at the head of the commit queue: what may be said of `in` as the content of an
 * entry of s, which was the overlay's shape. */
struct judgement {
	struct snapshot *s; /* NULL: nobody asks */
	entry_id id;
	struct extent in;
	struct snapshot *next;  /* the version that has it; NULL: s has */
	struct touched touched; /* ... and what shows something else in it */
	struct error why;
	int r;
};
void judge(struct judgement *j); /* on a worker */
void judgement_finish(struct judgement *j);
/* Does a refusal concern this file alone, and not what others hold? */
static inline bool judgement_refuses(const struct judgement *j)
{
	return j->r < 0 && j->r != -EAGAIN && !j->why.others;
}
/* A program hears EINVAL and no more, if it listens at all: whoever looks after the mount hears
 * why. */
void commit_tell_refusal(struct vfs *v, const char *path, const struct judgement *j);
