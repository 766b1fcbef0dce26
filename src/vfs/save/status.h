/* SPDX-License-Identifier: Zlib */
/*
 * status: the changes that a mount holds and the map does not.
 *
 * A status is a list of records. Each record has three strings, each with its NUL: a word, a path
 * and a reason, which may be empty. The words without a reason are "changed", "new", "renamed",
 * "removed" and "kept" (moved to a scratch name, or cannot be removed). The words with a reason are
 * "refused" (also unresolved, or its close failed; with the path "": no map can be built) and
 * "ignored" (a scratch file that the unmount would copy out). */
#pragma once

#include "base/buffer.h"
#include "vfs/tree/inode.h"

struct status_entry {
	const char *word, *path, *reason;
};

/* Collect the status. found() is called on the owner's thread, before or after the return, and has
 * to finish the records. After -ENOMEM it is not called. */
int status_collect(struct vfs *v, void (*found)(void *arg, struct buffer *records), void *arg);

/* Add a "refused" for each refused rename, with the path that it would have replaced
 * (tree/refusals.h). A save does not report these. */
void status_add_refusals(const struct vfs *v, struct buffer *records);

/* Append a record; a NULL reason is "". Failure is in records->error. */
void status_add(struct buffer *records, const struct status_entry *e);
/* Read the record at offset *at, and move *at behind it; start with 0. False at the end, if the
 * record is invalid, or after an error in records. ret borrows from records. */
bool status_next(const struct buffer *records, size_t *at, struct status_entry *ret);

/* Append a record as a line: "refused info/author: REASON". A newline in the path becomes "?". */
void status_line(struct buffer *text, const struct status_entry *e);

/*
 * Extended attributes of the root, of at most STATUS_MAX bytes each:
 *     user.mapfs.status     lines; if not all fit, the last one is "more N"
 *     user.mapfs.status.N   the records from number N on, as many as fit; empty at the end
 */
#define STATUS_ATTRIBUTE "user.mapfs.status"
enum { STATUS_MAX = 64 << 10 };

bool status_is_attribute(const char *name);
/* Append the value of the attribute `name` to ret. Failure is in ret->error. */
void status_show(const char *name, const struct buffer *records, struct buffer *ret);
