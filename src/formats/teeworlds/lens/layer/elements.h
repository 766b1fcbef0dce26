/* SPDX-License-Identifier: Zlib */
/*
 * elements: the list of a quads or a sounds layer, element by element, since it may be larger than
 * memory.
 */
#ifndef FORMATS_TEEWORLDS_LENS_LAYER_ELEMENTS_H
#define FORMATS_TEEWORLDS_LENS_LAYER_ELEMENTS_H

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/lens/lens.h"
#include "formats/teeworlds/lens/record.h"

enum { TW_LIST_TEXT_MAX = 512 << 20 /* bytes of a file */ };

/* A layer's list as the map holds it. */
struct tw_list {
	uint32_t item;
	const struct tw_key *keys;
	uint32_t ints;     /* of an element */
	struct blob *blob; /* may be NULL where count is 0 */
	uint32_t count;
	uint64_t memo; /* under which the blob remembers the file's size */
};

/* elements_list.c. -ENOENT, -EIO: the layer has no such list. */
int tw_list_find(const struct tw_map *m, entry_id id, struct tw_list *ret, struct error *e);

struct tw_list_window {
	const struct tw_list *l;
	uint32_t first, n; /* the elements that `data` holds */
	uint8_t data[16 << 10];
};

/* The integers of element i < count. */
int tw_list_element(struct tw_list_window *w, uint32_t i, int32_t *v, struct error *e);

/* elements_offsets.c. Where an element's text begins. */
struct tw_list_start {
	uint32_t element;
	uint64_t off;
};

/* Of a list with elements: one whose text begins at off or not far before, and the length of all of
 * the file. The first time, all elements are looked at; where they begin is remembered. */
int tw_list_seek(const struct tw_map *m, const struct tw_list *l, uint64_t off,
	struct tw_list_start *ret, struct error *e);
int tw_list_length(const struct tw_map *m, const struct tw_list *l, uint64_t *ret, struct error *e);

/* elements_parse.c: struct tw_kind's parse. */
int tw_list_parse(const struct tw_map *m, entry_id id, const struct extent *in, struct tw_change *c,
	struct error *e);

#endif
