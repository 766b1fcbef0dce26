/* SPDX-License-Identifier: Zlib */
/* One target for each codec. */
#include <errno.h>
#include <string.h>

#include <jansson.h>
#include <libdeflate.h>

#include "base/buffer.h"
#include "codec/blob.h"
#include "codec/image/dds.h"
#include "codec/text/csv.h"
#include "codec/text/csv_table.h"
#include "codec/text/json.h"
#include "codec/text/text.h"
#include "codec/zlib/checksum.h"
#include "support/fuzz.h"

enum { VALUES_MAX = 60 };

/* Read a value in every way. A refusal searches the text for the position of the value. */
static void json_values(const struct json_at *at, unsigned *n_values)
{
	static const char *const known[] = {"a", "points", NULL};
	struct error e = ERROR_INIT;
	struct json_at below;
	const char *s, *key;
	int32_t ints[4];
	int64_t wide;
	json_t *value;
	size_t n;

	++*n_values;
	check_error(json_as_int(at, ints, &e), &e);
	e = (struct error)ERROR_INIT;
	check_error(json_as_int_within(at, -5, 300, &wide, &e), &e);
	e = (struct error)ERROR_INIT;
	check_error(json_as_ints(at, ints, 4, &e), &e);
	e = (struct error)ERROR_INIT;
	check_error(json_as_string(at, &s, &n, &e), &e);
	e = (struct error)ERROR_INIT;
	check_error(json_expect_object(at, known, &e), &e);
	e = (struct error)ERROR_INIT;
	if (json_expect_array(at, &n, &e) == 0)
		for (size_t i = 0; i < n && *n_values < VALUES_MAX; i++) {
			below = json_element(at, i);
			json_values(&below, n_values);
		}
	if (json_is_object(at->value))
		json_object_foreach(at->value, key, value)
		{
			if (*n_values < VALUES_MAX && json_get(at, key, &below))
				json_values(&below, n_values);
		}
}

static int count_element(void *arg, const struct json_at *at, struct error *e)
{
	(void)at, (void)e;
	++*(size_t *)arg;
	return 0;
}

/* A list read element by element equals the list read at once. */
static void json_as_list(const struct extent *x, const char *key, const struct json_doc *whole)
{
	CLEANUP_JSON struct json_doc rest = {0};
	struct error e = ERROR_INIT;
	struct json_at root, at;
	size_t n = 0, taken = 0;
	int r;

	if (whole) {
		root = at = json_root(whole);
		if (json_is_object(root.value) != (key != NULL))
			return;
		if (key && json_get(&root, key, &at) && !json_is_array(at.value))
			return;
		if (json_is_array(at.value))
			n = json_array_size(at.value);
		else if (!key)
			return;
	}
	r = check_error(json_list_read(x, UINT64_MAX, key, count_element, &taken, &rest, &e), &e);
	if ((r == 0) != (whole != NULL))
		abort_broken("json", whole ? "a list is refused that a document is made of"
					   : "a list is made of what is refused");
	if (whole && taken != n)
		abort_broken("json", "a list of another length");
}

TARGET(fuzz_json)
{
	CLEANUP_EXTENT struct extent x = extent_of(data, size);
	struct error e = ERROR_INIT;
	struct json_doc doc;
	struct json_at root;
	unsigned n = 0;

	if (size > JSON_TEXT_MAX)
		return;
	if (check_error(json_doc_load(&x, JSON_TEXT_MAX, &doc, &e), &e) < 0) {
		json_as_list(&x, NULL, NULL);
		json_as_list(&x, "points", NULL);
		return;
	}
	json_as_list(&x, NULL, &doc);
	json_as_list(&x, "points", &doc);
	root = json_root(&doc);
	json_values(&root, &n);
	json_doc_finish(&doc);
}

struct table {
	int32_t *cells;
	uint64_t n;
	uint8_t given[256][2];
};

static int take_cells(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e)
{
	struct table *t = arg;

	(void)e;
	if (first != t->n)
		abort_broken("csv", "a gap");
	memcpy(t->cells + first, cells, n * sizeof(*cells));
	t->n += n;
	return 0;
}

static int give_cells(void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e)
{
	struct table *t = arg;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		uint32_t value = (uint32_t)t->cells[first + i];

		t->given[i][0] = (uint8_t)value;
		t->given[i][1] = (uint8_t)(value >> 8);
	}
	*ret = (struct csv_values){t->given[0], sizeof(t->given[0]), true};
	return 0;
}

/* Width and height, then a table. An accepted table equals its canonical form read back. */
TARGET(fuzz_csv)
{
	struct csv_shape shape = {.cell = 6};
	int32_t cells[2][256];
	struct table t = {.cells = cells[0]}, again = {.cells = cells[1]};
	struct error e = ERROR_INIT;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT, canonical = EXTENT_INIT;
	uint8_t text[256 * 7];
	size_t n;

	if (size < 1)
		return;
	shape.width = 1 + data[0] % 16;
	shape.height = 1 + data[0] / 16;
	x = extent_of(data + 1, size - 1);
	if (check_error(csv_parse(&x, &shape, INT16_MIN, INT16_MAX, take_cells, &t, &e), &e) < 0)
		return;
	n = (size_t)csv_size(&shape);
	if (csv_read(&shape, give_cells, &t, 0, text, n, &e) < 0)
		abort_broken("csv", error_text(&e));
	canonical = extent_of(text, n);
	if (csv_parse(&canonical, &shape, INT16_MIN, INT16_MAX, take_cells, &again, &e) < 0 ||
		again.n != t.n || memcmp(cells[0], cells[1], (size_t)t.n * sizeof(**cells)) != 0)
		abort_broken("csv", "what was written does not read back");
}

static int take_cell(void *arg, const struct csv_cell *cell, struct error *e)
{
	unsigned *n = arg;
	int64_t i;
	float f;

	if (cell->column > 2 || !memchr(cell->text, 0, sizeof(cell->text)))
		abort_broken("csv_table", "a cell too many");
	return ++*n % 2 ? csv_as_int(cell, -70000, 70000, &i, e) : csv_as_float(cell, &f, e);
}

TARGET(fuzz_csv_table)
{
	static const char *const header[] = {"x", "y", "value", NULL};
	CLEANUP_EXTENT struct extent x = extent_of(data, size);
	struct error e = ERROR_INIT;
	unsigned n = 0;

	check_error(csv_table_read(&x, 1 << 20, header, take_cell, &n, &e), &e);
}

/* UTF-8 to UTF-16 and back, arbitrary units to UTF-8 and back, names to file names and back. */
TARGET(fuzz_text)
{
	CLEANUP_BUFFER struct buffer wide = BUFFER_INIT, back = BUFFER_INIT, utf8 = BUFFER_INIT,
				     units = BUFFER_INIT;
	char *escaped = malloc(3 * size + 1), *plain = malloc(3 * size + 1);
	struct error e = ERROR_INIT;
	size_t n;

	if (!escaped || !plain)
		abort();
	if (check_error(utf8_to_utf16(data, size, &wide, &e), &e) == 0) {
		utf16_to_utf8(wide.data, wide.size / 2, &back);
		if (back.size != size || (size && memcmp(back.data, data, size) != 0))
			abort_broken("text", "UTF-8 does not come back");
	}
	utf16_to_utf8(data, size / 2, &utf8);
	e = (struct error)ERROR_INIT;
	if (utf8_to_utf16(utf8.data, utf8.size, &units, &e) < 0 || units.size != size / 2 * 2 ||
		(units.size && memcmp(units.data, data, units.size) != 0))
		abort_broken("text", "UTF-16 does not come back");
	n = name_escape(data, size, escaped, 3 * size);
	if (!utf8_valid(escaped, n) || memchr(escaped, '/', n) || memchr(escaped, 0, n))
		abort_broken("text", "an escaped name is no name");
	if (name_unescape(escaped, n, plain) != size || (size && memcmp(plain, data, size) != 0))
		abort_broken("text", "a name does not come back");
	free(escaped);
	free(plain);
}

struct image {
	uint32_t width, height, rows;
};

static int image_begin(void *arg, uint32_t width, uint32_t height, struct error *e)
{
	struct image *i = arg;

	i->width = width;
	i->height = height;
	return (uint64_t)width * height > 1 << 22 ? error_set(e, -EFBIG, "a large image") : 0;
}

static int image_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct image *i = arg;
	uint8_t last;

	(void)e;
	memcpy(&last, rgba + 4 * (size_t)i->width - 1, 1);
	if (y != i->rows++)
		abort_broken("png", "rows are not in order");
	return 0;
}

TARGET(fuzz_png)
{
	CLEANUP_EXTENT struct extent x = extent_of(data, size);
	struct image i = {0};
	struct png_sink sink = {image_begin, image_row, &i};
	struct error e = ERROR_INIT;

	if (check_error(png_decode(&x, &sink, &e), &e) == 0 && i.rows != i.height)
		abort_broken("png", "rows are missing");
}

TARGET(fuzz_dds)
{
	struct error e = ERROR_INIT;
	struct dds d;

	if (check_error(dds_decode(data, size, &d, &e), &e) < 0)
		return;
	if (d.rgba->size != (size_t)d.w * d.h * 4)
		abort_broken("dds", "pixels are missing");
	bytes_unref(d.rgba);
}

static int count_chunk(void *arg, const uint8_t *chunk, size_t n, struct error *e)
{
	(void)chunk;
	(void)e;
	*(uint64_t *)arg += n;
	return 0;
}

/* The declared size, then a stream: all ways of reading give the same result. */
TARGET(fuzz_inflate)
{
	CLEANUP(blob_unref) struct blob *b = NULL;
	CLEANUP(bytes_unref) struct bytes *all = NULL, *loaded = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct error e = ERROR_INIT;
	uint64_t declared, n = 0;
	uint8_t some[64];
	size_t got;
	int r;

	if (size < 2)
		return;
	declared = (uint64_t)data[0] | (uint64_t)data[1] << 8;
	x = extent_of(data + 2, size - 2);
	r = check_error(inflate_all(&x, declared, &all, &e), &e);
	e = (struct error)ERROR_INIT;
	check_error(inflate_prefix(&x, declared, some, sizeof(some), &got, &e), &e);
	e = (struct error)ERROR_INIT;
	if ((check_error(inflate_each(&x, declared, count_chunk, &n, &e), &e) < 0) != (r < 0) ||
		(r == 0 && n != declared))
		abort_broken("inflate", "in chunks it is another one");
	b = blob_new(&x, BLOB_ZLIB, declared, NULL);
	e = (struct error)ERROR_INIT;
	if (!b || (check_error(blob_load(b, &loaded, &e), &e) < 0) != (r < 0))
		abort_broken("inflate", "as a blob it is another one");
	if (r == 0 && declared && memcmp(all->data, loaded->data, all->size) != 0)
		abort_broken("inflate", "a blob has other bytes");
}

/*
 * Raw deflate data, wrapped as a zlib stream with the checksum of what libdeflate decodes. Read at
 * once, it gives the result of zlib.
 */
TARGET(fuzz_deflate)
{
	static struct libdeflate_decompressor *d;
	static uint8_t out[1 << 18];
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *all = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct error e = ERROR_INIT;
	uint64_t n = 0;
	size_t used, got;
	int r;

	if (!d)
		d = libdeflate_alloc_decompressor();
	if (libdeflate_deflate_decompress_ex(d, data, size, out, sizeof(out), &used, &got) !=
			LIBDEFLATE_SUCCESS ||
		!got)
		return;
	buffer_byte(&b, 0x78);
	buffer_byte(&b, 0x9c);
	buffer_append(&b, data, used);
	for (uint32_t i = 0, sum = checksum_adler32(1, out, got); i < 4; i++)
		buffer_byte(&b, (uint8_t)(sum >> (24 - 8 * i)));
	x = extent_of(b.data, b.size);
	r = check_error(inflate_all(&x, got, &all, &e), &e);
	e = (struct error)ERROR_INIT;
	if ((check_error(inflate_each(&x, got, count_chunk, &n, &e), &e) < 0) != (r < 0))
		abort_broken("deflate", "zlib is of another mind");
	if (r == 0 && memcmp(all->data, out, got) != 0)
		abort_broken("deflate", "other bytes");
}
