/* SPDX-License-Identifier: Zlib */
/*
 * lens: one small interface for each kind of entry, directory or file.
 *
 * To add a kind: a number in enum tw_kind_id (names/id.h), a struct tw_kind in a file of its own, a
 * line in the table of kinds.c.
 *
 * All calls see one version of the map. stat, find, child and touch are the owner's and cheap: they
 * inflate nothing. size, get, parse, apply and readable run on worker threads. An id that names
 * nothing (an index out of bounds) is -ENOENT; an entry whose part of the map cannot be shown is
 * -EIO, from stat too where the tables show it (format.c then lists it with size 0).
 */
#pragma once

#include "codec/text/json.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/map.h"
#include "formats/teeworlds/names/id.h"

/* Entries that may show something else after a change: for tw_raw_guard. */
struct touched {
	entry_id *ids;
	size_t n, room;
	bool is_all; /* too many to name, or memory was short */
};

void touched_add(struct touched *t, entry_id id); /* touched.c */
void touched_finish(struct touched *t);

struct tw_kind {
	const char *label; /* what the tests and the report call it */

	/* Fills all of *ret but id. NULL: of a file that write writes. */
	int (*stat)(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e);

	/* Directories. child is struct format's list without the stat: 1 an entry, 0 the end. find
	 * may be NULL where entries are few. */
	int (*child)(
		const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret);
	int (*find)(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);

	/* Files. size may be NULL where stat always knows it, and where write writes it. */
	int (*size)(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e);
	int (*get)(const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n,
		struct error *e);
	/* The file, instead of get, of which what stands before `off` may be passed over. */
	int (*write)(struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t off,
		struct error *e);
	bool is_restored;  /* struct file_attr's, where stat is NULL */
	bool stat_formats; /* stat formats the whole file: a look-up does without it */
	uint64_t max_size; /* struct file_attr's */
	/* format_edit's; ret->same is for parse to set. NULL: read-only. */
	int (*parse)(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
		struct error *e);
	/* Edits c->to. p may be NULL for what is `lasting`. If it fails, c is undone. */
	int (*apply)(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e);
	/* 0 if get would succeed, judged as deeply as it takes (decoding); for what raw/ would
	 * break. NULL: stat tells. */
	int (*readable)(const struct tw_map *m, entry_id id, struct error *e);

	/* Names the entries of this kind that show the item (its integers or a blob it names), but
	 * for an image, a sound or an envelope itself. */
	void (*touch)(const struct tw_map *m, uint32_t item, struct touched *t);
};

/* Entry fields for stat: of a directory, and of one that is always there, as a kind's own stat. */
static inline void tw_stat_dir(struct file_attr *ret, bool fixed)
{
	*ret = (struct file_attr){.is_dir = true, .has_size = true, .is_permanent = fixed};
}

static inline int tw_stat_fixed(
	const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	(void)m, (void)id, (void)e;
	tw_stat_dir(ret, true);
	return 0;
}

static inline void tw_stat_file(struct file_attr *ret, uint64_t size, bool writable)
{
	*ret = (struct file_attr){.has_size = true, .size = size, .is_writable = writable};
}

/* In raw/ numbers are what things are called by: nothing moves or goes there. */
static inline void tw_stat_raw(struct file_attr *ret, const struct tw_map *m, uint64_t size)
{
	tw_stat_file(ret, size, m->shared->raw == TW_RAW_RW);
	ret->is_permanent = true;
}
