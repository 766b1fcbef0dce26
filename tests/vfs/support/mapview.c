/* SPDX-License-Identifier: Zlib */
#include "mapview.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cursor.h"

enum { BLOB_MAX = 1 << 26 };

bool mapview_init(const struct bytes *map, struct mapview *ret)
{
	struct mapview v = {.p = map->data};

	if (map->size < MAP_HEADER || memcmp(v.p, "DATA", 4) != 0 || load_u32(v.p + 4) != 4)
		return false;
	v.n_types = load_u32(v.p + 16);
	v.n_items = load_u32(v.p + 20);
	v.n_data = load_u32(v.p + 24);
	v.item_size = load_u32(v.p + 28);
	v.data_size = load_u32(v.p + 32);
	v.offs = MAP_HEADER + 12 * v.n_types;
	v.data_offs = v.offs + 4 * v.n_items;
	v.data_sizes = v.data_offs + 4 * v.n_data;
	v.items = v.data_sizes + 4 * v.n_data;
	v.data = v.items + v.item_size;
	*ret = v;
	return v.data + v.data_size == map->size;
}

uint8_t *mapview_blob(const struct mapview *v, int64_t i, size_t *ret_size)
{
	uint64_t at = (uint64_t)i, from, to;
	uLongf size;
	uint8_t *out;

	if (i < 0 || at >= v->n_data)
		return NULL;
	from = load_u32(v->p + v->data_offs + 4 * at);
	to = at + 1 < v->n_data ? load_u32(v->p + v->data_offs + 4 * (at + 1)) : v->data_size;
	size = load_u32(v->p + v->data_sizes + 4 * at);
	if (from > to || to > v->data_size || size > BLOB_MAX)
		return NULL;
	*ret_size = size;
	out = calloc(1, size + 1);
	if (out && (uncompress(out, &size, v->p + v->data + from, (uLong)(to - from)) != Z_OK ||
			   size != *ret_size)) {
		free(out);
		return NULL;
	}
	return out;
}

const uint8_t *mapview_item(const struct mapview *v, uint32_t type, unsigned nth)
{
	unsigned id = nth;

	for (uint64_t i = 0; i < v->n_items; i++) {
		uint64_t off = load_u32(v->p + v->offs + 4 * i);
		const uint8_t *p = v->p + v->items + off;

		if (off + 8 > v->item_size)
			return NULL;
		if (load_u32(p) >> 16 != type || nth-- != 0)
			continue;
		return (load_u32(p) & 0xffff) == id ? p + 8 : NULL;
	}
	return NULL;
}
