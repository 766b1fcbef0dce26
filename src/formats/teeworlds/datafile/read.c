/* SPDX-License-Identifier: Zlib */
#include <errno.h>

#include "base/array.h"
#include "base/cursor.h"
#include "formats/teeworlds/datafile/tables.h"

/* The bytes of an item in its section. Sorted, they show overlaps. */
struct range {
	uint32_t begin, end;
	uint32_t item;
};

static int compare_ranges(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return array_compare(a->begin, b->begin);
}

static int check_item(const struct datafile_tables *t, uint32_t i, int32_t type, struct range *ret,
	struct error *e)
{
	int32_t off = load_i32(t->item_offsets + 4 * (size_t)i);
	int32_t room = t->h.item_size - 8, size, has;

	if (off < 0 || off > room)
		return error_set(e, -EINVAL, "item_offsets[%u] is %d (0 to item_size - 8 = %d)", i,
			off, room);
	if (off % 4 != 0)
		return error_set(
			e, -EINVAL, "item_offsets[%u] is %d (must be a multiple of 4)", i, off);
	has = (int32_t)(load_u32(t->items->data + off) >> 16);
	size = load_i32(t->items->data + off + 4);
	if (size < 0 || size > room - off)
		return error_set(e, -EINVAL, "items[%u].size is %d (0 to %d, the end of the items)",
			i, size, room - off);
	if (size % 4 != 0)
		return error_set(
			e, -EINVAL, "items[%u].size is %d (must be a multiple of 4)", i, size);
	if (has != type)
		return error_set(
			e, -EINVAL, "items[%u].type is %d (%d in item_types)", i, has, type);
	*ret = (struct range){(uint32_t)off, (uint32_t)(off + 8 + size), i};
	return 0;
}

static int add_item(const struct datafile_tables *t, const struct range *at, struct tw_map *m)
{
	const uint8_t *p = t->items->data + at->begin;
	uint32_t head = load_u32(p), n = (at->end - at->begin - 8) / 4;
	struct tw_ints *ints = tw_ints_new(n);
	struct tw_item *it = &m->items[m->n_items];

	if (!ints)
		return -ENOMEM;
	for (uint32_t k = 0; k < n; k++)
		ints->v[k] = load_i32(p + 8 + 4 * (size_t)k);
	*it = (struct tw_item){.type = (uint16_t)(head >> 16), .id = (uint16_t)head, .ints = ints};
	m->n_items++;
	return 0;
}

static int check_overlaps(struct range *ranges, size_t n, struct error *e)
{
	qsort(ranges, n, sizeof(*ranges), compare_ranges);
	for (size_t i = 1; i < n; i++)
		if (ranges[i].begin < ranges[i - 1].end)
			return error_set(e, -EINVAL,
				"item_offsets[%u] is %u (item %u, which it overlaps, ends at %u)",
				ranges[i].item, ranges[i].begin, ranges[i - 1].item,
				ranges[i - 1].end);
	return 0;
}

static int read_type(const struct datafile_tables *t, int32_t i, uint8_t seen[65536 / 8],
	struct range *ranges, struct tw_map *m, struct error *e)
{
	struct cursor c = cursor_init(t->types + 12 * (size_t)i, 12);
	int32_t id = cursor_i32(&c), start = cursor_i32(&c), num = cursor_i32(&c);
	int32_t left = t->h.num_items - (int32_t)m->n_items;
	int r;

	if (id < 0 || id > 0xffff)
		return error_set(e, -EINVAL, "item_types[%d].type is %d (0 to 65535)", i, id);
	if (seen[id / 8] & 1 << id % 8)
		return error_set(e, -EINVAL, "item_types[%d].type is %d (already used)", i, id);
	seen[id / 8] |= (uint8_t)(1 << id % 8);
	if (num < 0 || num > left)
		return error_set(e, -EINVAL,
			"item_types[%d].num is %d (0 to %d, the remaining items)", i, num, left);
	if (start != (int32_t)m->n_items)
		return error_set(e, -EINVAL, "item_types[%d].start is %d (must be %zu)", i, start,
			m->n_items);
	for (int32_t k = 0; k < num; k++) {
		uint32_t item = (uint32_t)(start + k);

		r = check_item(t, item, id, &ranges[item], e);
		if (r == 0)
			r = add_item(t, &ranges[item], m);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_items(const struct datafile_tables *t, struct tw_map *m, struct error *e)
{
	uint8_t seen[65536 / 8] = {0};
	size_t n = (size_t)t->h.num_items;
	CLEANUP(free) struct range *ranges = malloc((n ? n : 1) * sizeof(*ranges));
	int r;

	m->items = calloc(n ? n : 1, sizeof(*m->items));
	if (!ranges || !m->items)
		return error_set(e, -ENOMEM, "out of memory");
	for (int32_t i = 0; i < t->h.num_item_types; i++) {
		r = read_type(t, i, seen, ranges, m, e);
		if (r < 0)
			return r;
	}
	if (m->n_items != n)
		return error_set(e, -EINVAL, "num_items is %d (item_types list %zu)",
			t->h.num_items, m->n_items);
	return check_overlaps(ranges, n, e);
}

static int read_blob(const struct source *src, const struct datafile_tables *t, int32_t i,
	struct tw_map *m, struct error *e)
{
	int32_t begin = load_i32(t->data_offsets + 4 * (size_t)i), end = t->h.data_size, size;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	bool packed = t->h.version != 3;

	if (i + 1 < t->h.num_data)
		end = load_i32(t->data_offsets + 4 * (size_t)(i + 1));
	if (begin < 0 || begin > t->h.data_size)
		return error_set(e, -EINVAL, "data_offsets[%d] is %d (0 to data_size = %d)", i,
			begin, t->h.data_size);
	if (end < begin && i + 1 < t->h.num_data)
		return error_set(e, -EINVAL,
			"data_offsets[%d] is %d (at least %d, the previous offset)", i + 1, end,
			begin);
	size = packed ? load_i32(t->data_sizes + 4 * (size_t)i) : end - begin;
	if (size < 0)
		return error_set(e, -EINVAL, "data_sizes[%d] is %d (at least 0)", i, size);
	x = extent_of_file(
		file_ref(src->files[0]), t->data_at + (uint64_t)begin, (uint64_t)(end - begin));
	m->blobs[i] =
		blob_new(&x, packed ? BLOB_ZLIB : BLOB_RAW, (uint64_t)size, m->shared->budget);
	return m->blobs[i] ? 0 : -ENOMEM;
}

static int read_blobs(const struct source *src, const struct datafile_tables *t, struct tw_map *m,
	struct error *e)
{
	size_t n = (size_t)t->h.num_data;
	int r;

	m->blobs = calloc(n ? n : 1, sizeof(struct blob *));
	if (!m->blobs)
		return error_set(e, -ENOMEM, "out of memory");
	for (; m->n_blobs < n; m->n_blobs++) {
		r = read_blob(src, t, (int32_t)m->n_blobs, m, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int datafile_read(const struct source *src, struct tw_map *m, struct error *e)
{
	__attribute__((cleanup(datafile_tables_finish))) struct datafile_tables t = {0};
	int r = datafile_read_tables(src->files[0], src->sizes[0], &t, e);

	if (r == 0)
		r = read_items(&t, m, e);
	if (r == 0)
		r = read_blobs(src, &t, m, e);
	if (r == 0)
		r = tw_map_reindex(m);
	if (r == -ENOMEM && e && !e->code)
		error_set(e, r, "out of memory");
	m->shared->file_version = t.h.version;
	m->file = file_ref(src->files[0]);
	if (r == 0)
		m->trailing = t.file_size - t.data_at - (uint64_t)t.h.data_size;
	return r;
}
