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

/* A content that is to be parsed, and the result: `in` as the content of an entry of s, which is
 * the overlay's shape. */
struct judgement {
	struct snapshot *s;     /* NULL: nothing is to be parsed */
	entry_id id, parsed_id; /* of overlay_identify */
	struct extent in;
	struct parsed *parsed; /* NULL: not yet, or r says why not */
	struct error why;
	int r;
};
void judge(struct judgement *j); /* on a worker; once */
void judgement_finish(struct judgement *j);
/* The bytes are from now on read from there, by what was parsed, too. */
void judgement_move(struct judgement *j, const struct extent *kept);
static inline bool judgement_refuses(const struct judgement *j)
{
	return j->r < 0 && !error_is_transient(j->r) && !j->why.others;
}
/* A program hears EINVAL and no more, if it listens at all: whoever looks after the mount hears
 * why. */
void commit_tell_refusal(struct vfs *v, const char *path, const struct judgement *j);
