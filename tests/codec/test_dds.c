/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include "base/cursor.h"
#include "codec/image/dds.h"

enum { HEADER = 128 };

static struct error err;

struct texture {
	uint8_t data[HEADER + 64];
	size_t size;
};

/* The fields follow Microsoft's documentation. */
static struct texture make_compressed(
	uint32_t w, uint32_t h, const char *letters, const void *pixels, size_t n)
{
	struct texture f = {.size = HEADER + n};

	memcpy(f.data, "DDS ", 4);
	store_u32(f.data + 4, 124);
	store_u32(f.data + 8, 0x1007);
	store_u32(f.data + 12, h);
	store_u32(f.data + 16, w);
	store_u32(f.data + 76, 32);
	store_u32(f.data + 80, letters ? 4 : 0);
	if (letters)
		memcpy(f.data + 84, letters, 4);
	store_u32(f.data + 108, 0x1000);
	memcpy(f.data + HEADER, pixels, n);
	return f;
}

static struct texture make_uncompressed(uint32_t w, uint32_t h, uint32_t flags, uint32_t bits,
	const uint32_t masks[4], const void *pixels, size_t n)
{
	struct texture f = make_compressed(w, h, NULL, pixels, n);

	store_u32(f.data + 80, flags);
	store_u32(f.data + 88, bits);
	for (int i = 0; i < 4; i++)
		store_u32(f.data + 92 + 4 * i, masks[i]);
	return f;
}

static void assert_pixels(const struct texture *f, uint32_t w, uint32_t h, const uint8_t *expected)
{
	struct dds d;

	assert_ok(dds_decode(f->data, f->size, &d, &err));
	assert_int_equal(d.w, w);
	assert_int_equal(d.h, h);
	assert_int_equal(d.rgba->size, w * h * 4);
	assert_memory_equal(d.rgba->data, expected, w * h * 4);
	bytes_unref(d.rgba);
}

static void assert_refused(const struct texture *f, const char *words)
{
	struct dds d;

	assert_fails(dds_decode(f->data, f->size, &d, &err), EINVAL, words);
}

/* Red (0xF800) and blue (0x001F); the first row has the color numbers 0 to 3 from the left. */
static void a_block_has_two_colors_and_two_between_them(void **state)
{
	static const uint8_t block[8] = {0x00, 0xF8, 0x1F, 0x00, 0xE4};
	static const uint8_t row[16] = {
		255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255};
	struct texture f = make_compressed(4, 1, "DXT1", block, 8);

	(void)state;
	assert_pixels(&f, 4, 1, row);
}

/*
 * Blue comes first and is the smaller number, so color 2 is their mean and color 3 is transparent.
 */
static void the_fourth_color_can_be_transparent(void **state)
{
	static const uint8_t block[8] = {0x1F, 0x00, 0x00, 0xF8, 0xE4};
	static const uint8_t row[16] = {0, 0, 255, 255, 255, 0, 0, 255, 127, 0, 127, 255};
	struct texture f = make_compressed(4, 1, "DXT1", block, 8);

	(void)state;
	assert_pixels(&f, 4, 1, row);
}

/* A block with separate alpha has four colors in any order; alpha is 0, 1, 8 and 15 of 15. */
static void alpha_of_four_bits_is_decoded(void **state)
{
	static const uint8_t block[16] = {0x10, 0xF8, [8] = 0x1F, 0x00, 0x00, 0xF8, 0xE4};
	static const uint8_t row[16] = {
		0, 0, 255, 0, 255, 0, 0, 17, 85, 0, 170, 136, 170, 0, 85, 255};
	struct texture f = make_compressed(4, 1, "DXT3", block, 16);

	(void)state;
	assert_pixels(&f, 4, 1, row);
}

/* Numbers 0, 1, 2, 7 in the first row: 0 | 1 << 3 | 2 << 6 | 7 << 9. */
static void alpha_between_two_values_is_decoded(void **state)
{
	static const uint8_t down[16] = {240, 30, 0x88, 0x0E, [8] = 0x00, 0xF8};
	static const uint8_t up[16] = {30, 230, 0x88, 0x0E, [8] = 0x00, 0xF8};
	/* (6 * 240 + 30) / 7 and (240 + 6 * 30) / 7; (4 * 30 + 230) / 5 and 255 */
	static const uint8_t alphas[2][4] = {{240, 30, 210, 60}, {30, 230, 70, 255}};
	uint8_t row[16];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct texture f = make_compressed(4, 1, "DXT5", i ? up : down, 16);

		for (int x = 0; x < 4; x++)
			memcpy(row + 4 * x, (uint8_t[4]){255, 0, 0, alphas[i][x]}, 4);
		assert_pixels(&f, 4, 1, row);
	}
}

/* 5 x 5 pixels take four blocks, each only partly visible: green, and white from column 4 on. */
static void sides_need_not_be_multiples_of_four(void **state)
{
	static const uint8_t blocks[32] = {
		0xE0, 0x07, [8] = 0xFF, 0xFF, [16] = 0xFF, 0xFF, [24] = 0xFF, 0xFF};
	struct texture f = make_compressed(5, 5, "DXT1", blocks, 32);
	uint8_t expected[100];

	(void)state;
	for (int i = 0; i < 25; i++)
		memcpy(expected + 4 * i,
			i % 5 < 4 && i < 20 ? (uint8_t[4]){0, 255, 0, 255}
					    : (uint8_t[4]){255, 255, 255, 255},
			4);
	assert_pixels(&f, 5, 5, expected);
}

static void uncompressed_pixels_are_decoded(void **state)
{
	static const uint32_t argb[4] = {0xFF0000, 0xFF00, 0xFF, 0xFF000000};
	static const uint32_t rgb565[4] = {0xF800, 0x7E0, 0x1F, 0};
	static const uint32_t gray[4] = {0xFF, 0, 0, 0xFF00};
	static const uint32_t alpha[4] = {0, 0, 0, 0xFF};
	static const uint8_t bytes[4] = {1, 2, 3, 4};
	struct texture f;

	(void)state;
	f = make_uncompressed(1, 1, 0x41, 32, argb, bytes, 4);
	assert_pixels(&f, 1, 1, (uint8_t[4]){3, 2, 1, 4});
	f = make_uncompressed(1, 1, 0x40, 32, argb, bytes, 4); /* the header announces no alpha */
	assert_pixels(&f, 1, 1, (uint8_t[4]){3, 2, 1, 255});
	f = make_uncompressed(1, 1, 0x40, 24, argb, bytes, 3);
	assert_pixels(&f, 1, 1, (uint8_t[4]){3, 2, 1, 255});
	/* channels of 16, 32 and 16 */
	f = make_uncompressed(1, 1, 0x40, 16, rgb565, (uint8_t[2]){0x10, 0x84}, 2);
	assert_pixels(&f, 1, 1, (uint8_t[4]){132, 130, 132, 255});
	f = make_uncompressed(1, 1, 0x20001, 16, gray, bytes, 2);
	assert_pixels(&f, 1, 1, (uint8_t[4]){1, 1, 1, 2});
	f = make_uncompressed(1, 1, 0x20000, 8, gray, bytes, 1);
	assert_pixels(&f, 1, 1, (uint8_t[4]){1, 1, 1, 255});
	f = make_uncompressed(1, 1, 2, 8, alpha, bytes, 1);
	assert_pixels(&f, 1, 1, (uint8_t[4]){0, 0, 0, 1});
}

static void invalid_files_are_refused(void **state)
{
	static const uint32_t holes[4] = {0xF0F, 0xFF00, 0xFF, 0};
	static const uint8_t pixels[16] = {0};
	struct texture good = make_compressed(4, 4, "DXT1", pixels, 8), f;

	(void)state;
	for (size_t n = 0; n < good.size; n++) {
		f = good;
		f.size = n;
		assert_refused(&f, n < HEADER ? "not a DDS texture" : "truncated");
	}
	f = good;
	store_u32(f.data + 4, 123);
	assert_refused(&f, "not a DDS texture");
	f = make_compressed(0, 4, "DXT1", pixels, 8);
	assert_refused(&f, "0 x 4 pixels");
	f = make_compressed(1U << 31, 1U << 31, "DXT1", pixels, 8);
	assert_refused(&f, "2147483648 x 2147483648 pixels");
	f = make_compressed(4, 4, "DX10", pixels, 8);
	assert_refused(&f, "the format 'DX10'");
	f = make_compressed(4, 4, "\x01\0\0\0", pixels, 8);
	assert_refused(&f, "unknown format");
	f = make_uncompressed(1, 1, 0x40, 12, holes, pixels, 4);
	assert_refused(&f, "12 bits");
	f = make_uncompressed(1, 1, 0x40, 32, holes, pixels, 4);
	assert_refused(&f, "mask 0xf0f");
	f = make_uncompressed(3, 1, 0x40, 32, (uint32_t[4]){0xFF}, pixels, 8);
	assert_refused(&f, "8 bytes of pixels (must be 12)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_has_two_colors_and_two_between_them),
		cmocka_unit_test(the_fourth_color_can_be_transparent),
		cmocka_unit_test(alpha_of_four_bits_is_decoded),
		cmocka_unit_test(alpha_between_two_values_is_decoded),
		cmocka_unit_test(sides_need_not_be_multiples_of_four),
		cmocka_unit_test(uncompressed_pixels_are_decoded),
		cmocka_unit_test(invalid_files_are_refused),
	};

	return cmocka_run_group_tests_name("dds", tests, NULL, NULL);
}
