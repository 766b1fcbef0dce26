/* SPDX-License-Identifier: Zlib */
/* close: validate a file's write buffer, append it to the journal, and put it into the overlay. */
#pragma once

#include "vfs/tree/inode.h"

/* Called on the owner's thread. r is 0 if the content is stored and not refused (also if it was not
 * validated, or is unresolved), or does not count any more (the file is unlinked, scratch or
 * generated); -EINVAL if it is refused (stored as a draft); or why it is not stored. */
typedef void (*close_done)(struct vfs *v, struct inode *n, void *arg, int r);

enum close_kind {
	CLOSE_VALIDATED,
	CLOSE_UNVALIDATED, /* store without validation, because a write may follow */
};

/* Close the content of n, which has a write buffer and is neither unlinked nor scratch. n is busy
 * until it is stored. done(), not NULL, is called once the kernel's cache is invalidated, too; or
 * before the return if memory is exhausted, or if n is generated, and its content is dropped. */
void close_content(
	struct vfs *v, struct inode *n, enum close_kind kind, close_done done, void *arg);

/* One validation: `bytes` parsed as the content of entry `id` of `map`. The caller sets the members
 * up to bytes, or r < 0 and error; validate() sets the others. All references are owned. */
struct validation {
	struct snapshot *map;   /* the overlay's shape; NULL: nothing to validate */
	entry_id id, parsed_id; /* parsed_id: id, or ENTRY_NONE if the base lacks it */
	struct extent bytes;
	struct parsed
		*parsed; /* NULL if not parsed yet, or not parsable; maybe a refusal (r < 0) */
	struct error error;
	int r;
};
void validate(struct validation *j); /* on a worker thread; does nothing if already done */
void validation_finish(struct validation *j);
/* Make the parsed value, if any, read its bytes from `kept`, the copy in the journal. */
void validation_move(struct validation *j, const struct extent *kept);
/* Is the content refused? Errors that may pass, or that depend on other files, are not refusals. */
static inline bool validation_refuses(const struct validation *j)
{
	return j->r < 0 && !error_is_transient(j->r) && !j->error.is_unresolved;
}
/* Report a refusal as a note, because the program gets only EINVAL. Without a path, do nothing. */
void note_refusal(struct vfs *v, const char *path, const struct validation *j);
