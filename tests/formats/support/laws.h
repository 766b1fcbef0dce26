/* SPDX-License-Identifier: Zlib */
/*
 * laws: what tests of any format ask of a snapshot, and the laws of formats/format.h, which need
 * nothing but that header.
 */
#pragma once

#include "formats/format.h"

/* The entry at a path below the root; -ENOENT and so on. */
int entry_find(const struct snapshot *s, const char *path, struct file_attr *ret);
/* The length of a file, whatever that takes; and all of it. */
int entry_size(
	const struct snapshot *s, const struct file_attr *entry, uint64_t *ret, struct error *e);
int entry_get(const struct snapshot *s, const struct file_attr *entry, struct bytes **ret,
	struct error *e);
/* format_put_file, to *s. 1: changed, 0: nothing to change, or the refusal. Also where others are
 * known.
 */
int entry_put_beside(struct snapshot **s, entry_id id, const void *data, size_t n,
	const struct build_context *others, struct error *e);
int entry_put(struct snapshot **s, entry_id id, const void *data, size_t n, struct error *e);

/* Calls fn for every file below dir, with its path. */
typedef void (*entry_visit)(void *arg, const char *path, const struct file_attr *entry);
int entry_walk(const struct snapshot *s, entry_id dir, const char *path, entry_visit fn, void *arg,
	struct error *e);

/* Who is told of a broken law. */
struct laws {
	void (*broken)(void *arg, const char *path, const char *law, const char *text);
	void *arg;
};

/* That its name finds the file, Size, that any range is a slice of the whole, and GetPut. *ret: all
 * of it. -EIO: it cannot be read, and no law says that it can. */
int laws_read(const struct laws *l, const struct snapshot *s, const char *path,
	const struct file_attr *entry, struct bytes **ret);
/* PutGet, of other content than the file's. canonical: it is in the form that get has to give. 1:
 * it was put; -EINVAL: it is refused, which is for the caller to judge; else it was told. */
int laws_put(const struct laws *l, struct snapshot **s, const char *path,
	const struct file_attr *entry, const struct bytes *content, bool canonical,
	struct error *e);
/* Every file of `meant` that can be read is in `is`, with the same bytes; law: for what is told. */
void laws_same(const struct laws *l, const char *law, const struct snapshot *meant,
	const struct snapshot *is);
