/* SPDX-License-Identifier: Zlib */
/*
 * lens: the interface of one kind of entry, a directory or a file (struct tw_kind).
 *
 * To add a kind, add a number to enum tw_kind_id (names/id.h), define a struct tw_kind in a file of
 * its own, and add a line to the table in kinds.c. Callers use the tw_kind_* functions of kinds.h.
 *
 * Threads: stat, find and child may run on the owner's thread, so they decode no blobs, and format
 * only short files. The other functions run on worker threads.
 *
 * Errors: -ENOENT if the id names nothing (an index out of bounds). -EIO if the entry's data is
 * damaged; if stat returns it, format.c shows a file of size 0. -ENODATA if the object has no
 * content yet or has another form. -ENOTSUP if a new layer is of a kind without such a file.
 */
#pragma once

#include "codec/text/json.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/map.h"
#include "formats/teeworlds/names/id.h"

/* The entries that a change of raw/ may affect, for tw_raw_guard. The caller zeroes it first. */
struct touched {
	entry_id *ids;
	size_t n, room;
	bool is_all; /* any entry may be affected: ids is incomplete (over 4096, or no memory) */
};

void touched_add(struct touched *t, entry_id id); /* sets t->is_all if it cannot add; touched.c */
void touched_finish(struct touched *t);           /* does not free t */

struct tw_kind {
	const char *label; /* the kind's name in messages and tests */

	/* Set all members of *ret except id and max_size. May be NULL if the kind has `write`: then
	 * the file is formatted to find its size. */
	int (*stat)(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e);

	/* For directories, NULL for files. child gets the entry at *cookie, which starts at 0, and
	 * advances the cookie: 1 for an entry, 0 at the end; name has room for NAME_MAX + 1 bytes.
	 * find looks up a name, -ENOENT; it may be NULL if entries are few. */
	int (*child)(
		const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret);
	int (*find)(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);

	/* For files. size may be NULL with `write`, or if stat always knows it. get reads all n
	 * bytes from `off`, which are in the file, and returns 0. dst may be NULL if n is 0. */
	int (*size)(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e);
	int (*get)(const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n,
		struct error *e);
	/* Write the whole file, instead of get. The bytes before `off` may be skipped, but must be
	 * counted in w->size; UINT64_MAX: only the size is needed. */
	int (*write)(struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t off,
		struct error *e);
	bool is_restored;  /* file_attr.is_restored, if stat is NULL */
	bool stat_formats; /* stat may format the file, so a lookup does not call it */
	uint64_t max_size; /* file_attr.max_size */
	/* Validate a content, without looking up names in it, and set parsed.is_unchanged. *ret has
	 * its own reference to `in`. -EINVAL: refused. NULL if the file is read-only. */
	int (*parse)(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
		struct error *e);
	/* Apply a parsed value by edits of c. NULL if the file is read-only. p is NULL if a file
	 * with file_attr.is_cleared_by_mount was removed. If apply fails, the caller undoes its
	 * edits, except with -EAGAIN, if other files must be applied first: then they stay. */
	int (*apply)(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e);
	/* Check that get would succeed, decoding what it needs to. If NULL, tw_raw_guard reads 0
	 * bytes with get or write instead. */
	int (*readable)(const struct tw_map *m, entry_id id, struct error *e);

	/* Add the entries that show an item's integers or a blob that it refers to: all of this
	 * kind. kinds.c adds the files of images, sounds and envelopes themselves. NULL: none, or
	 * another kind's touch adds them. */
	void (*touch)(const struct tw_map *m, uint32_t item, struct touched *t);
};

static inline void tw_stat_dir(struct file_attr *ret, bool permanent)
{
	*ret = (struct file_attr){.is_dir = true, .has_size = true, .is_permanent = permanent};
}

/* tw_kind.stat for a directory that always exists. */
static inline int tw_stat_fixed(
	const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	(void)m, (void)id, (void)e;
	tw_stat_dir(ret, true);
	return 0;
}

/* Set the attributes of a file of known size that is not mandatory. */
static inline void tw_stat_file(struct file_attr *ret, uint64_t size, bool writable)
{
	*ret = (struct file_attr){.has_size = true, .size = size, .is_writable = writable};
}

/* Set the attributes of a file in raw/. It is permanent, because its name is its number. */
static inline void tw_stat_raw(struct file_attr *ret, const struct tw_map *m, uint64_t size)
{
	tw_stat_file(ret, size, m->shared->raw == TW_RAW_RW);
	ret->is_permanent = true;
}
