/* SPDX-License-Identifier: Zlib */
/*
 * For every N, the N-th allocation of each operation fails, in the project or in a library; the
 * result is -ENOMEM or correct. This program replaces malloc and related functions. memory.c and
 * faults.c of tests/vfs do the same to whole mounts, without libraries.
 */
#include "support/codec_test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <png.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "codec/image/png.h"
#include "codec/image/png_pack.h"
#include "codec/text/json.h"
#include "codec/text/xml.h"

static atomic_int countdown = -1; /* negative: none fails */
static atomic_bool hit;

/* Some sanitizers allocate before they can be asked for their malloc. */
#if !defined(__clang__) && !defined(__SANITIZE_THREAD__)
static bool allocation_fails(void)
{
	if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) > 0)
		return false;
	atomic_store(&hit, true);
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	static void *(*real)(size_t);

	if (!real)
		real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	return allocation_fails() ? NULL : real(n);
}

void *calloc(size_t n, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		real = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	return allocation_fails() ? NULL : real(n, size);
}

void *realloc(void *p, size_t n)
{
	static void *(*real)(void *, size_t);

	if (!real)
		real = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	return allocation_fails() ? NULL : real(p, n);
}
#endif

enum { SIDE = 16, PIXELS = 4 * SIDE * SIDE, N_MAX = 2000 };

static uint8_t pixels[PIXELS];
static struct extent png, packed, plain;

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *)
{
	memcpy((uint8_t *)arg + (size_t)4 * SIDE * y, rgba, (size_t)4 * SIDE);
	return 0;
}

static int read_png(struct error *e)
{
	uint8_t got[PIXELS];
	struct png_sink sink = {.row = take_row, .arg = got};
	int r = png_decode(&png, &sink, e);

	assert_true(r < 0 || memcmp(got, pixels, PIXELS) == 0);
	return r;
}

static int write_png(struct error *e)
{
	uint8_t file[2 * PIXELS];
	uint64_t size = 0;
	int r = png_file_size(SIDE, SIDE, &size);

	return r < 0 ? r
		     : png_file_read(SIDE, SIDE, extent_read_fn, &plain, NULL, 0, file, size, e);
}

static int pack_png(struct error *e)
{
	struct budget *budget = budget_create(1 << 20);
	struct blob *b = budget ? blob_new(&packed, BLOB_ZLIB, PIXELS, budget) : NULL;
	uint8_t file[2 * PIXELS];
	uint64_t size = 0;
	int r = b ? png_packed_size(b, SIDE, SIDE, &size, e) : error_set(e, -ENOMEM, "no memory");

	assert_true(size <= sizeof(file));
	if (r == 0)
		r = png_packed_read(b, SIDE, SIDE, 0, file, size, e);
	blob_unref(b);
	budget_destroy(budget);
	return r;
}

static int inflate_pixels(struct error *e)
{
	struct bytes *b = NULL;
	int r = inflate_all(&packed, PIXELS, &b, e);

	assert_true(r < 0 || memcmp(b->data, pixels, PIXELS) == 0);
	bytes_unref(b);
	return r;
}

static int inflate_part(struct error *e)
{
	uint8_t some[100];
	size_t n;

	return inflate_prefix(&packed, PIXELS, some, sizeof(some), &n, e);
}

static int deflate_pixels(struct error *e)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	return deflate_all(&plain, AT_FDCWD, &x, e);
}

static int read_xml(struct error *e)
{
	static const char text[] = "<?xml version='1.0'?><a b='c'><d e='&amp;f' g='&#228;'/>"
				   "<!-- h --><i>some text</i></a>";

	return xml_read(text, sizeof(text) - 1, NULL, NULL, e);
}

static int read_json(struct error *e)
{
	static const char text[] = "{\"a\": [1, 2.5, true], \"a longer key\": {\"b\": \"c\\u00e4"
				   " and more than the sixteen bytes of a small buffer\"}}";
	struct bytes mine = {.data = (const uint8_t *)text, .size = sizeof(text) - 1};
	struct extent x = {.mem = &mine, .size = mine.size};
	struct json_doc d;
	int r;

	mine.refs = 2; /* borrowers do not free it */
	r = json_doc_load(&x, mine.size, &d, e);
	if (r == 0) {
		struct json_at root = json_root(&d), object = root, string = root;
		const char *word = "";

		assert_int_equal(json_need(&root, "a longer key", &object, e), 0);
		assert_int_equal(json_need(&object, "b", &string, e), 0);
		assert_int_equal(json_as_string(&string, &word, NULL, e), 0);
		assert_string_equal(
			word, "c\u00e4 and more than the sixteen bytes of a small buffer");
		json_doc_finish(&d);
	}
	return r;
}

static const struct {
	const char *name;
	int (*run)(struct error *e);
} operations[] = {
	{"read a PNG", read_png},
	{"write a PNG", write_png},
	{"write a compressed PNG", pack_png},
	{"inflate", inflate_pixels},
	{"inflate a part", inflate_part},
	{"deflate", deflate_pixels},
	{"read XML", read_xml},
	{"read JSON", read_json},
};

static void each_failed_allocation_gives_enomem_or_a_correct_result(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		int at = 0;

		do {
			struct error e = ERROR_INIT;
			int r;

			assert_true(at < N_MAX);
			atomic_store(&hit, false);
			atomic_store(&countdown, at);
			r = operations[i].run(&e);
			atomic_store(&countdown, -1);
			if (r != 0 && (r != -ENOMEM || !atomic_load(&hit)))
				fail_msg("%s: allocation %d: %d (%s)", operations[i].name, at, r,
					error_text(&e));
			at++;
		} while (atomic_load(&hit));
		print_message("%s: %d allocations failed\n", operations[i].name, at - 1);
	}
}

static void write_some(png_structp to, png_bytep data, size_t n)
{
	buffer_append(png_get_io_ptr(to), data, n);
}

/* Interlaced, with chunks that are not shown. */
static struct extent make_png(void)
{
	png_structp to = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(to);
	png_text text = {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = "Title", .text = "t"};
	struct buffer out = BUFFER_INIT;
	uint8_t *rows[SIDE];
	struct bytes *b = NULL;

	for (size_t y = 0; y < SIDE; y++)
		rows[y] = pixels + 4 * SIDE * y;
	png_set_write_fn(to, &out, write_some, NULL);
	png_set_IHDR(to, info, SIDE, SIDE, 8, PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_ADAM7,
		PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_gAMA(to, info, 1.0);
	png_set_text(to, info, &text, 1);
	png_set_rows(to, info, rows);
	png_write_png(to, info, PNG_TRANSFORM_IDENTITY, NULL);
	png_destroy_write_struct(&to, &info);
	assert_int_equal(buffer_finish(&out, &b), 0);
	return extent_of_bytes(b);
}

static int make_files(void **state)
{
	struct error e = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < PIXELS; i++)
		pixels[i] = (uint8_t)(i * i / 97);
	png = make_png();
	plain = extent_of(pixels, PIXELS);
	return deflate_all(&plain, AT_FDCWD, &packed, &e);
}

static int remove_files(void **state)
{
	(void)state;
	extent_finish(&png);
	extent_finish(&plain);
	extent_finish(&packed);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failed_allocation_gives_enomem_or_a_correct_result),
	};

	return cmocka_run_group_tests_name("scarce", tests, make_files, remove_files);
}
