/* SPDX-License-Identifier: Zlib */
/*
 * lens: one small interface for each kind of entry, directory or file.
 *
 * An entry_id packs the kind and up to three indices:
 *     kind 6 bits | a 16 bits | b 16 bits | c 6 bits
 * `a` and `b` together are one 32-bit index where a kind needs no more (handles). What they mean is
 * the kind's own. The root is kind 0 with all indices 0.
 *
 * To add a kind: a number in enum tw_kind_id, a struct tw_kind in a file of its own, a line in the
 * table of lens.c.
 *
 * All calls see one version of the map. stat, find, child and touch are the owner's and cheap: they
 * inflate nothing. size, get, parse and readable run on worker threads. An id that names nothing
 * (an index out of bounds) is -ENOENT; an entry whose part of the map cannot be shown is -EIO, from
 * stat too where the tables show it (format.c then lists it with size 0).
 */
#ifndef FORMATS_TEEWORLDS_LENS_LENS_H
#define FORMATS_TEEWORLDS_LENS_LENS_H

#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/map.h"

enum tw_kind_id {
	TW_K_ROOT,
	TW_K_INFO_DIR,
	TW_K_INFO, /* index: enum tw_info */
	TW_K_IMAGES,
	TW_K_IMAGE_PNG, /* index: position among the images, as below */
	TW_K_IMAGE_JSON,
	TW_K_SOUNDS,
	TW_K_SOUND_OPUS,
	TW_K_SOUND_JSON,
	TW_K_ENVELOPES,
	TW_K_ENVELOPE,
	TW_K_GROUPS,
	TW_K_GROUP,
	TW_K_GROUP_JSON,
	TW_K_LAYERS,
	TW_K_LAYER,
	TW_K_LAYER_JSON,
	TW_K_PLANE,
	TW_K_QUADS,
	TW_K_SOURCES,
	TW_K_RAW,
	TW_K_RAW_ITEMS,
	TW_K_RAW_TYPE, /* index: type number */
	TW_K_RAW_ITEM, /* index: handle */
	TW_K_RAW_DATA_DIR,
	TW_K_RAW_DATA, /* index: handle */
	TW_N_KINDS,
};

static inline entry_id tw_id2(enum tw_kind_id kind, unsigned a, unsigned b, unsigned c)
{
	return (entry_id)kind << 38 | (entry_id)(a & 0xffff) << 22 | (entry_id)(b & 0xffff) << 6 |
	       (c & 0x3f);
}

static inline entry_id tw_id(enum tw_kind_id kind, uint32_t index, unsigned c)
{
	return tw_id2(kind, index >> 16, index & 0xffff, c);
}

static inline unsigned tw_id_kind(entry_id id)
{
	return (unsigned)(id >> 38) & 0x3f;
}

static inline unsigned tw_id_a(entry_id id)
{
	return (unsigned)(id >> 22) & 0xffff;
}

static inline unsigned tw_id_b(entry_id id)
{
	return (unsigned)(id >> 6) & 0xffff;
}

static inline unsigned tw_id_c(entry_id id)
{
	return (unsigned)id & 0x3f;
}

static inline uint32_t tw_id_index(entry_id id)
{
	return (uint32_t)tw_id_a(id) << 16 | tw_id_b(id);
}

struct tw_kind {
	const char *label; /* what the tests and the report call it */

	/* Fills all of *ret but id. */
	int (*stat)(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e);

	/* Directories. child is struct format's list without the stat: 1 an entry, 0 the end. */
	int (*find)(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);
	int (*child)(
		const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret);

	/* Files. size may be NULL where stat always knows it. */
	int (*size)(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e);
	int (*get)(const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n,
		struct error *e);
	uint64_t most; /* struct entry's */
	/* Judges `in` and puts edits into c (made against m); none where it says what stands there.
	 * NULL: read-only. */
	int (*parse)(const struct tw_map *m, entry_id id, const struct extent *in,
		struct tw_change *c, struct error *e);
	/* 0 if get would succeed, judged as deeply as it takes (decoding); for what raw/ would
	 * break. NULL: stat tells. */
	int (*readable)(const struct tw_map *m, entry_id id, struct error *e);

	/* Names the entries of this kind that show the item (its integers or a blob it names). */
	void (*touch)(const struct tw_map *m, uint32_t item, struct touched *t);
};

/* The table (lens.c); NULL where a kind is not served. */
const struct tw_kind *tw_kind(entry_id id);
extern const struct tw_kind *const tw_kinds[TW_N_KINDS];

/* Names every entry, typed and raw, that shows the item or the blob. */
void tw_touch_item(const struct tw_map *m, uint32_t item, struct touched *t);
void tw_touch_blob(const struct tw_map *m, uint32_t blob, struct touched *t);

/* A directory that is always there: entry fields for stat. */
static inline void tw_stat_dir(struct entry *ret, bool fixed)
{
	*ret = (struct entry){.dir = true, .sized = true, .fixed = fixed};
}

static inline void tw_stat_file(struct entry *ret, uint64_t size, bool writable)
{
	*ret = (struct entry){.sized = true, .size = size, .writable = writable};
}

/* In raw/ numbers are what things are called by: nothing moves or goes there. */
static inline void tw_stat_raw(struct entry *ret, const struct tw_map *m, uint64_t size)
{
	tw_stat_file(ret, size, m->shared->raw == TW_RAW_RW);
	ret->fixed = true;
}

/*
 * Files whose text is small are made whole and cut: size, and get of a range of *text.
 * tw_slice copies [off, off + n) of a span; past its end is -EIO.
 */
int tw_slice(const void *data, size_t size, uint64_t off, void *dst, size_t n, struct error *e);

#endif
