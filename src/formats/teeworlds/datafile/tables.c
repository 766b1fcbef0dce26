/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/datafile/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"

void datafile_tables_finish(struct datafile_tables *t)
{
	bytes_unref(t->raw);
	bytes_unref(t->items);
}

static int read_header(
	const struct file *file, uint64_t file_size, struct datafile_header *h, struct error *e)
{
	uint8_t raw[DATAFILE_HEADER_SIZE];
	const uint8_t *magic;
	struct cursor c;
	int r;

	if (file_size < sizeof(raw))
		return error_set(e, -EINVAL, "the file has %" PRIu64 " bytes (at least %d)",
			file_size, DATAFILE_HEADER_SIZE);
	r = file_read(file, 0, raw, sizeof(raw), e);
	if (r < 0)
		return r;
	c = cursor_init(raw, sizeof(raw));
	magic = cursor_take(&c, 4);
	if (memcmp(magic, "DATA", 4) != 0 && memcmp(magic, "ATAD", 4) != 0)
		return error_set(e, -EINVAL, "magic is %02x %02x %02x %02x (must be DATA or ATAD)",
			magic[0], magic[1], magic[2], magic[3]);
	*h = (struct datafile_header){.version = cursor_i32(&c)};
	h->size = cursor_i32(&c);
	h->swaplen = cursor_i32(&c);
	h->num_item_types = cursor_i32(&c);
	h->num_items = cursor_i32(&c);
	h->num_data = cursor_i32(&c);
	h->item_size = cursor_i32(&c);
	h->data_size = cursor_i32(&c);
	return 0;
}

/* Compute the offsets of sections, which must end within the file. 64 bits hold every sum. */
static int place_sections(struct datafile_tables *t, struct error *e)
{
	const struct datafile_header *h = &t->h;
	uint64_t per_data = h->version == 3 ? 4 : 8;
	const struct {
		const char *name;
		int32_t value;
		uint64_t each;
	} sections[] = {
		{"num_item_types", h->num_item_types, 12},
		{"num_items", h->num_items, 4},
		{"num_data", h->num_data, per_data},
		{"item_size", h->item_size, 1},
		{"data_size", h->data_size, 1},
	};
	uint64_t at = DATAFILE_HEADER_SIZE, starts[5];

	if (h->version != 3 && h->version != 4)
		return error_set(e, -EINVAL, "version is %d (must be 3 or 4)", h->version);
	for (size_t i = 0; i < 5; i++)
		if (sections[i].value < 0)
			return error_set(e, -EINVAL, "%s is %d (at least 0)", sections[i].name,
				sections[i].value);
	if (h->item_size % 4 != 0)
		return error_set(
			e, -EINVAL, "item_size is %d (must be a multiple of 4)", h->item_size);
	for (size_t i = 0; i < 5; i++) {
		starts[i] = at;
		at += (uint64_t)sections[i].value * sections[i].each;
		if (at > t->file_size)
			return error_set(e, -EINVAL,
				"%s is %d: its section ends at byte %" PRIu64
				" (the file has %" PRIu64 ")",
				sections[i].name, sections[i].value, at, t->file_size);
	}
	t->items_at = starts[3];
	t->data_at = starts[4];
	return 0;
}

static int read_span(
	const struct file *file, uint64_t off, uint64_t n, struct bytes **ret, struct error *e)
{
	uint8_t *dst;
	CLEANUP(bytes_unref) struct bytes *b = bytes_new(n, &dst);
	int r;

	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	r = file_read(file, off, dst, b->size, e);
	if (r < 0)
		return r;
	*ret = TAKE(b);
	return 0;
}

int datafile_read_tables(
	const struct file *file, uint64_t file_size, struct datafile_tables *t, struct error *e)
{
	uint64_t tables_size;
	int r = read_header(file, file_size, &t->h, e);

	if (r < 0)
		return r;
	t->file_size = file_size;
	r = place_sections(t, e);
	if (r < 0)
		return r;
	tables_size = t->items_at - DATAFILE_HEADER_SIZE;
	r = read_span(file, DATAFILE_HEADER_SIZE, tables_size, &t->raw, e);
	if (r < 0)
		return r;
	t->types = t->raw->data;
	t->item_offsets = t->types + 12 * (size_t)t->h.num_item_types;
	t->data_offsets = t->item_offsets + 4 * (size_t)t->h.num_items;
	t->data_sizes = t->h.version == 3 ? NULL : t->data_offsets + 4 * (size_t)t->h.num_data;
	return read_span(file, t->items_at, (uint64_t)t->h.item_size, &t->items, e);
}
