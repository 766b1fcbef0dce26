/* SPDX-License-Identifier: Zlib */
/*
 * Every kind of PNG, written with libpng from samples. The expected RGBA is computed here by the
 * rules of the PNG specification (13.12: 16 bits scaled by v * 255 / 65535).
 */
#include "support/codec_test.h"

#include <png.h>
#include <zlib.h>

#include "base/buffer.h"
#include "codec/image/png.h"

static struct error err;

enum { WIDTH = 37, HEIGHT = 29 };

struct kind {
	int type, depth;
	bool interlaced, trns;
};

static void write_to_buffer(png_structp png, png_bytep data, size_t n)
{
	buffer_append(png_get_io_ptr(png), data, n);
}

static void no_flush(png_structp png)
{
	(void)png;
}

static unsigned channels_of(int type)
{
	return type == PNG_COLOR_TYPE_RGBA  ? 4
	       : type == PNG_COLOR_TYPE_RGB ? 3
	       : type == PNG_COLOR_TYPE_GA  ? 2
					    : 1;
}

/*
 * Sample c of pixel x, y: covers the whole range of the depth, with extremes and transparent
 * values.
 */
static uint32_t sample(const struct kind *k, uint32_t x, uint32_t y, unsigned c)
{
	uint64_t seed = 1 + x + 1000 * y + 1000000 * (uint64_t)c;
	uint32_t max = (1u << k->depth) - 1;
	uint64_t v = next_random(&seed) >> 32;

	if (v % 5 == 0)
		return v % 2 ? 0 : max;
	return (uint32_t)(v >> 8) & max;
}

static void palette_color(unsigned i, png_color *color, uint8_t *alpha)
{
	*color = (png_color){(png_byte)(i * 7), (png_byte)(255 - i), (png_byte)(i * 31 + 5)};
	*alpha = (uint8_t)(i * 3);
}

static void put_sample(uint8_t *row, int depth, size_t at, uint32_t v)
{
	if (depth == 16) {
		row[2 * at] = (uint8_t)(v >> 8);
		row[2 * at + 1] = (uint8_t)v;
	} else {
		size_t bit = at * (size_t)depth;

		row[bit / 8] |= (uint8_t)(v << (8 - (size_t)depth - bit % 8));
	}
}

/* The tRNS color is that of pixel 3, 3, so that at least one pixel has it. */
static png_color_16 transparent_color(const struct kind *k)
{
	png_color_16 c = {.gray = (png_uint_16)sample(k, 3, 3, 0)};

	c.red = (png_uint_16)sample(k, 3, 3, 0);
	c.green = (png_uint_16)sample(k, 3, 3, 1);
	c.blue = (png_uint_16)sample(k, 3, 3, 2);
	return c;
}

static void write_header(png_structp png, png_infop info, const struct kind *k)
{
	png_set_IHDR(png, info, WIDTH, HEIGHT, k->depth, k->type,
		k->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
		PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	if (k->type == PNG_COLOR_TYPE_PALETTE) {
		png_color colors[256];
		uint8_t alphas[256];
		int n = 1 << k->depth;

		for (int i = 0; i < n; i++)
			palette_color((unsigned)i, &colors[i], &alphas[i]);
		png_set_PLTE(png, info, colors, n);
		if (k->trns)
			png_set_tRNS(png, info, alphas, n > 100 ? 100 : n, NULL);
	} else if (k->trns) {
		png_color_16 c = transparent_color(k);

		png_set_tRNS(png, info, NULL, 0, &c);
	}
	/* A gamma value and a text must not change the pixels. */
	png_set_gAMA(png, info, 1.0);
	png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Title", .text = "t"};
	png_set_text(png, info, &text, 1);
	png_write_info(png, info);
}

static struct extent make_png(const struct kind *k)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	struct buffer out = BUFFER_INIT;
	struct bytes *b = NULL;
	unsigned channels = channels_of(k->type);
	int passes;

	png_set_write_fn(png, &out, write_to_buffer, no_flush);
	write_header(png, info, k);
	passes = png_set_interlace_handling(png);
	for (int pass = 0; pass < passes; pass++) {
		for (uint32_t y = 0; y < HEIGHT; y++) {
			uint8_t row[WIDTH * 8] = {0};

			for (uint32_t x = 0; x < WIDTH; x++) {
				for (unsigned c = 0; c < channels; c++)
					put_sample(row, k->depth, x * channels + c,
						sample(k, x, y, c));
			}
			png_write_row(png, row);
		}
	}
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
	assert_int_equal(buffer_finish(&out, &b), 0);
	return extent_of_bytes(b);
}

static uint8_t to_8(const struct kind *k, uint32_t v)
{
	uint32_t max = (1u << k->depth) - 1;

	return (uint8_t)((v * 255 * 2 + max) / (2 * max));
}

static void compute_expected_pixel(const struct kind *k, uint32_t x, uint32_t y, uint8_t rgba[4])
{
	uint32_t s[4];
	png_color_16 t = transparent_color(k);
	bool clear;

	for (unsigned c = 0; c < 4; c++)
		s[c] = sample(k, x, y, c);
	rgba[3] = 255;
	if (k->type == PNG_COLOR_TYPE_PALETTE) {
		png_color color;
		uint8_t alpha;

		palette_color(s[0], &color, &alpha);
		memcpy(rgba, (uint8_t[]){color.red, color.green, color.blue}, 3);
		if (k->trns && s[0] < 100)
			rgba[3] = alpha;
		return;
	}
	if (k->type & PNG_COLOR_MASK_COLOR) {
		for (unsigned c = 0; c < 3; c++)
			rgba[c] = to_8(k, s[c]);
		if (k->type & PNG_COLOR_MASK_ALPHA)
			rgba[3] = to_8(k, s[3]);
		clear = s[0] == t.red && s[1] == t.green && s[2] == t.blue;
	} else {
		memset(rgba, to_8(k, s[0]), 3);
		if (k->type & PNG_COLOR_MASK_ALPHA)
			rgba[3] = to_8(k, s[1]);
		clear = s[0] == t.gray;
	}
	if (k->trns && clear)
		rgba[3] = 0;
}

struct decoded_rows {
	uint32_t width, height, rows;
	uint8_t *data;
	uint32_t stop_at; /* a row that is refused; 0: none */
};

static int take_begin(void *arg, uint32_t width, uint32_t height, struct error *e)
{
	struct decoded_rows *t = arg;

	(void)e;
	assert_null(t->data);
	t->width = width;
	t->height = height;
	t->data = malloc((size_t)4 * width * height);
	return 0;
}

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct decoded_rows *t = arg;

	assert_int_equal(y, t->rows);
	assert_true(y < t->height);
	if (t->stop_at && y == t->stop_at)
		return error_set(e, -EFBIG, "enough rows");
	memcpy(t->data + (size_t)4 * t->width * y, rgba, (size_t)4 * t->width);
	t->rows++;
	return 0;
}

static int decode(const struct extent *x, struct decoded_rows *t)
{
	struct png_sink sink = {.begin = take_begin, .row = take_row, .arg = t};

	return png_decode(x, &sink, &err);
}

static void check_kind(const struct kind *k)
{
	CLEANUP_EXTENT struct extent x = make_png(k);
	struct decoded_rows t = {0};

	assert_ok(decode(&x, &t));
	assert_int_equal(t.width, WIDTH);
	assert_int_equal(t.height, HEIGHT);
	assert_int_equal(t.rows, HEIGHT);
	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t i = 0; i < WIDTH; i++) {
			uint8_t want[4];

			compute_expected_pixel(k, i, y, want);
			if (memcmp(t.data + 4 * (y * WIDTH + i), want, 4) != 0)
				fail_msg("type %d, depth %d, interlaced %d, tRNS %d: pixel %u, %u",
					k->type, k->depth, k->interlaced, k->trns, i, y);
		}
	}
	free(t.data);
}

static void every_kind_of_png_is_decoded_to_the_specified_rgba(void **state)
{
	static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_PALETTE,
		PNG_COLOR_TYPE_GA, PNG_COLOR_TYPE_RGBA};
	static const int depths[] = {1, 2, 4, 8, 16};
	unsigned n = 0;

	(void)state;
	for (size_t t = 0; t < 5; t++) {
		for (size_t d = 0; d < 5; d++) {
			int type = types[t], depth = depths[d];

			if (type == PNG_COLOR_TYPE_PALETTE
					? depth > 8
					: type != PNG_COLOR_TYPE_GRAY && depth < 8)
				continue;
			for (unsigned variant = 0; variant < 4; variant++) {
				struct kind k = {type, depth, variant & 1, variant & 2};

				if (k.trns && (type & PNG_COLOR_MASK_ALPHA))
					continue;
				check_kind(&k);
				n++;
			}
		}
	}
	/* 15 pairs of type and depth, with and without interlacing, and 11 of them with tRNS. */
	assert_int_equal(n, 2 * 15 + 2 * 11);
}

static void transparent_pixels_keep_their_colors(void **state)
{
	uint8_t pixels[4 * 4 * 4];
	struct decoded_rows t = {0};
	uint64_t seed = 1, size;

	(void)state;
	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = i % 4 == 3 ? 0 : (uint8_t)next_random(&seed);
	CLEANUP_EXTENT struct extent source = extent_of(pixels, sizeof(pixels));
	uint8_t file[200];

	assert_ok(png_file_size(4, 4, &size));
	assert_ok(png_file_read(4, 4, extent_read_fn, &source, NULL, 0, file, (size_t)size, &err));
	CLEANUP_EXTENT struct extent x = extent_of(file, (size_t)size);
	assert_ok(decode(&x, &t));
	assert_memory_equal(t.data, pixels, sizeof(pixels));
	free(t.data);
}

static const struct kind plain = {PNG_COLOR_TYPE_RGBA, 8, false, false};
static const struct kind interlaced = {PNG_COLOR_TYPE_PALETTE, 4, true, true};

static void two_images_can_be_read_at_once(void **state)
{
	const struct kind *kinds[] = {&plain, &interlaced};
	struct extent x[2];
	struct png_reader *readers[2];
	uint32_t w, h;

	(void)state;
	for (int i = 0; i < 2; i++) {
		x[i] = make_png(kinds[i]);
		assert_ok(png_reader_open(
			extent_read_fn, &x[i], x[i].size, &readers[i], &w, &h, &err));
		assert_int_equal(w, WIDTH);
		assert_int_equal(h, HEIGHT);
	}
	for (uint32_t y = 0; y < HEIGHT; y++)
		for (int i = 0; i < 2; i++) {
			const uint8_t *row;
			uint8_t rgba[4];

			assert_ok(png_reader_row(readers[i], &row, &err));
			for (uint32_t at = 0; at < WIDTH; at++) {
				compute_expected_pixel(kinds[i], at, y, rgba);
				assert_memory_equal(row + (size_t)at * 4, rgba, 4);
			}
		}
	for (int i = 0; i < 2; i++) {
		png_reader_close(readers[i]);
		extent_finish(&x[i]);
	}
}

static void bytes_after_the_png_are_ignored(void **state)
{
	CLEANUP_EXTENT struct extent x = make_png(&plain);
	size_t size = (size_t)x.size;
	uint8_t *longer = calloc(1, size + 100);
	struct decoded_rows t = {0};

	(void)state;
	memcpy(longer, x.mem->data, size);
	CLEANUP_EXTENT struct extent y = extent_of(longer, size + 100);
	assert_ok(decode(&y, &t));
	assert_int_equal(t.rows, HEIGHT);
	free(t.data);
	free(longer);
}

static void every_cut_png_is_refused(void **state)
{
	const struct kind *kinds[] = {&plain, &interlaced};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CLEANUP_EXTENT struct extent x = make_png(kinds[i]);

		for (uint64_t n = 0; n < x.size; n += n < 100 || n > x.size - 50 ? 1 : 37) {
			CLEANUP_EXTENT struct extent cut = extent_ref(&x);
			struct decoded_rows t = {0};

			cut.size = n;
			assert_fails(
				decode(&cut, &t), EINVAL, n < 8 ? "not a PNG" : "PNG is damaged: ");
			free(t.data);
		}
	}
}

static void a_changed_byte_is_refused_or_harmless(void **state)
{
	const struct kind *kinds[] = {&plain, &interlaced};
	uint64_t seed = 11;
	unsigned refused = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		CLEANUP_EXTENT struct extent x = make_png(kinds[i % 2]);
		uint8_t *p = (uint8_t *)(uintptr_t)x.mem->data;
		struct decoded_rows t = {0};

		p[next_random(&seed) % x.size] ^= (uint8_t)(1 << next_random(&seed) % 8);
		err = (struct error)ERROR_INIT;
		if (decode(&x, &t) != 0) {
			assert_int_equal(err.code, -EINVAL);
			assert_true(strstr(err.text, "PNG"));
			assert_null(strchr(err.text, '\n'));
			refused++;
		}
		free(t.data);
	}
	assert_true(refused > 1500);
}

static void other_files_are_refused(void **state)
{
	static const struct {
		const char *head, *why;
		size_t n;
	} others[] = {{"\xff\xd8\xff\xe0\0\x10JFIF\0\1", "is a JPEG image, not a PNG", 12},
		{"GIF89a\1\0\1\0\0\0\0", "is a GIF image, not a PNG", 13},
		{"RIFF\x24\0\0\0WEBPVP8 ", "is a WebP image, not a PNG", 16},
		{"BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "is a BMP image, not a PNG", 14},
		{"DDS \x7c\0\0\0\7\x10\0\0", "is a DDS image, not a PNG", 12},
		/* Shorter than a signature. */
		{"GIF8", "is a GIF image, not a PNG", 4}, {"B", "not a PNG", 1},
		{"", "not a PNG", 0}, {"RIFF\x24\0\0\0WAVEfmt ", "not a PNG", 16}};
	struct decoded_rows t = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CLEANUP_EXTENT struct extent x = extent_of(others[i].head, others[i].n);

		assert_fails(decode(&x, &t), EINVAL, others[i].why);
		assert_true(strncmp(err.text, others[i].why, strlen(others[i].why)) == 0);
	}
}

static void a_refusal_by_the_sink_is_returned(void **state)
{
	const struct kind *kinds[] = {&plain, &interlaced};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CLEANUP_EXTENT struct extent x = make_png(kinds[i]);
		struct decoded_rows t = {.stop_at = 10};

		assert_fails(decode(&x, &t), EFBIG, "enough rows");
		assert_int_equal(t.rows, 10);
		free(t.data);
	}
}

/* A valid PNG with another header. */
static struct extent with_header(uint32_t width, uint32_t height, uint8_t lace)
{
	uint8_t pixels[4] = {1, 2, 3, 4}, file[200];
	CLEANUP_EXTENT struct extent source = extent_of(pixels, 4);
	uint64_t size;
	uint32_t crc;

	assert_ok(png_file_size(1, 1, &size));
	assert_ok(png_file_read(1, 1, extent_read_fn, &source, NULL, 0, file, (size_t)size, &err));
	for (int i = 0; i < 4; i++) {
		file[16 + i] = (uint8_t)(width >> (24 - 8 * i));
		file[20 + i] = (uint8_t)(height >> (24 - 8 * i));
	}
	file[28] = lace;
	crc = (uint32_t)crc32(0, file + 12, 17);
	for (int i = 0; i < 4; i++)
		file[29 + i] = (uint8_t)(crc >> (24 - 8 * i));
	return extent_of(file, (size_t)size);
}

static void a_header_with_huge_sides_is_refused_before_allocation(void **state)
{
	static const struct {
		uint32_t width, height;
		uint8_t lace;
		const char *why;
	} cases[] = {
		{23171, 23171, 1, "at most 536870911 pixels"},
		{23170, 23170, 1, "too few for 23170x23170"},
#if SIZE_MAX > UINT32_MAX
		{0x7fffffff, 0x7fffffff, 0, "at most 536870911 pixels"},
		{536870911, 1, 0, "too few for 536870911x1"},
#else /* libpng itself refuses such rows */
		{0x7fffffff, 0x7fffffff, 0, "PNG is damaged: "},
		{536870911, 1, 0, "PNG is damaged: "},
#endif
		{0, 1, 0, "PNG is damaged: "},
		{1, 0x80000000u, 0, "PNG is damaged: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP_EXTENT struct extent x =
			with_header(cases[i].width, cases[i].height, cases[i].lace);
		struct decoded_rows t = {0};

		assert_fails(decode(&x, &t), EINVAL, cases[i].why);
		assert_null(t.data);
	}
}

static void sides_beyond_libpngs_default_limit_are_read(void **state)
{
	/* By default, libpng refuses sides over a million. */
	enum { LONG = 1500000 };
	uint8_t *pixels = calloc(LONG, 4), *file;
	CLEANUP_EXTENT struct extent source = extent_of(pixels, (size_t)4 * LONG);
	uint64_t file_size;

	(void)state;
	for (int tall = 0; tall < 2; tall++) {
		uint32_t w = tall ? 1 : LONG, h = tall ? LONG : 1;
		struct decoded_rows t = {0};

		assert_ok(png_file_size(w, h, &file_size));
		size_t size = (size_t)file_size;

		file = malloc(size);
		assert_ok(png_file_read(w, h, extent_read_fn, &source, NULL, 0, file, size, &err));
		CLEANUP_EXTENT struct extent x = extent_of(file, size);
		assert_ok(decode(&x, &t));
		assert_int_equal(t.rows, h);
		free(t.data);
		free(file);
	}
	free(pixels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_png_is_decoded_to_the_specified_rgba),
		cmocka_unit_test(transparent_pixels_keep_their_colors),
		cmocka_unit_test(two_images_can_be_read_at_once),
		cmocka_unit_test(bytes_after_the_png_are_ignored),
		cmocka_unit_test(every_cut_png_is_refused),
		cmocka_unit_test(a_changed_byte_is_refused_or_harmless),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_refusal_by_the_sink_is_returned),
		cmocka_unit_test(a_header_with_huge_sides_is_refused_before_allocation),
		cmocka_unit_test(sides_beyond_libpngs_default_limit_are_read),
	};

	return cmocka_run_group_tests_name("png_decode", tests, NULL, NULL);
}
