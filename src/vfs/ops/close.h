/* SPDX-License-Identifier: Zlib */
/* commit: what stands in a file's stage was closed: it is judged, kept in the journal, and then the
 * tree has it. */
#pragma once

#include "vfs/tree/inode.h"

/* The verdict: 0, -EINVAL where it can be no such file (the tree has it all the same), or why it
 * could not be kept. */
typedef void (*close_done)(struct vfs *v, struct inode *n, void *arg, int r);

enum close_kind {
	CLOSE_VALIDATED,
	CLOSE_UNVALIDATED, /* nobody judges it yet: somebody may be about to write it */
};

/* n (file_is_validated) is busy until done. */
void close_content(
	struct vfs *v, struct inode *n, enum close_kind kind, close_done done, void *arg);

/* A content that is to be parsed, and the result: `in` as the content of an entry of s, which is
 * the overlay's shape. */
struct validation {
	struct snapshot *map;   /* NULL: nothing is to be parsed */
	entry_id id, parsed_id; /* of overlay_identify */
	struct extent bytes;
	struct parsed *parsed; /* NULL: not yet, or r says why not */
	struct error error;
	int r;
};
void validate(struct validation *j); /* on a worker; once */
void validation_finish(struct validation *j);
/* The bytes are from now on read from there, by what was parsed, too. */
void validation_move(struct validation *j, const struct extent *kept);
static inline bool validation_refuses(const struct validation *j)
{
	return j->r < 0 && !error_is_transient(j->r) && !j->error.is_unresolved;
}
/* A program hears EINVAL and no more, if it listens at all: whoever looks after the mount hears
 * why. */
void note_refusal(struct vfs *v, const char *path, const struct validation *j);
