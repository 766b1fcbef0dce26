/* SPDX-License-Identifier: Zlib */
/* laws: operations on a snapshot for tests of any format, and the laws of formats/format.h. */
#pragma once

#include "formats/format.h"

/* Find the entry at a path below the root. Returns 0 or -errno. */
int entry_find(const struct snapshot *s, const char *path, struct file_attr *ret);
/* Size of a file, even if it must be decoded; and its content. */
int entry_size(
	const struct snapshot *s, const struct file_attr *entry, uint64_t *ret, struct error *e);
int entry_get(const struct snapshot *s, const struct file_attr *entry, struct bytes **ret,
	struct error *e);
/*
 * Put content with format_put_file, and replace *s if it changes. Returns 1 if it changed, 0 if
 * not, or the refusal. entry_put_beside has other files to refer to.
 */
int entry_put_beside(struct snapshot **s, entry_id id, const void *data, size_t n,
	const struct build_context *others, struct error *e);
int entry_put(struct snapshot **s, entry_id id, const void *data, size_t n, struct error *e);

/* Call fn for every file below dir, with its path. */
typedef void (*entry_visit)(void *arg, const char *path, const struct file_attr *entry);
int entry_walk(const struct snapshot *s, entry_id dir, const char *path, entry_visit fn, void *arg,
	struct error *e);

/* The callback that gets each broken law. */
struct laws {
	void (*broken)(void *arg, const char *path, const char *law, const char *text);
	void *arg;
};

/*
 * Check lookup by name, Size, ranges, and GetPut. *ret gets the content. Returns -EIO if the file
 * cannot be read, which breaks no law.
 */
int laws_read(const struct laws *l, const struct snapshot *s, const char *path,
	const struct file_attr *entry, struct bytes **ret);
/*
 * Check PutGet with content that differs from the file's. `canonical`: the content has the form
 * that get must return. Returns 1 if it was put, -EINVAL if it is refused, which the caller checks;
 * other errors are reported.
 */
int laws_put(const struct laws *l, struct snapshot **s, const char *path,
	const struct file_attr *entry, const struct bytes *content, bool canonical,
	struct error *e);
/*
 * Check that `is` has every readable file of `meant`, with the same bytes; `law` is for the report.
 */
void laws_same(const struct laws *l, const char *law, const struct snapshot *meant,
	const struct snapshot *is);
