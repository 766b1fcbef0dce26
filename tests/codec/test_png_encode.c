/* SPDX-License-Identifier: Zlib */
/*
 * PNG files of our encoder, checked with libpng's reader, and with a reader of chunks and blocks in
 * this file.
 */
#include "support/codec_test.h"

#include <png.h>
#include <zlib.h>

#include "codec/image/png.h"

static struct error err;

struct pixels {
	uint8_t *data;
	size_t size;
	uint64_t asked; /* number of bytes requested in total */
	uint64_t next;  /* end of the last request */
	bool in_order;
};

static int read_pixels(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct pixels *p = arg;

	(void)e;
	assert_true(off + n <= p->size);
	p->in_order = p->in_order && off == p->next;
	p->next = off + n;
	p->asked += n;
	memcpy(dst, p->data + off, n);
	return 0;
}

static struct pixels pixels_of(uint32_t width, uint32_t height)
{
	struct pixels p = {.size = (size_t)4 * width * height, .in_order = true};
	uint64_t seed = width + 1;

	p.data = malloc(p.size);
	for (size_t i = 0; i < p.size; i++)
		p.data[i] = (uint8_t)next_random(&seed);
	return p;
}

/*
 * Sides around the borders of stored blocks: 65535 bytes are 5 rows of 13107 = 4 * 3276 + 3, so no
 * row length divides a block; also one pixel, wide, narrow, and several blocks.
 */
static const struct {
	uint32_t width, height;
} sides[] = {
	{1, 1}, {1, 13107}, {1, 13108}, {16383, 1}, {16384, 1}, {127, 129}, {3, 6000}, {300, 211}};

#define N_SIDES (sizeof(sides) / sizeof(*sides))

static uint8_t *whole_file(uint32_t width, uint32_t height, struct pixels *p, size_t *ret_size)
{
	uint64_t size;
	uint8_t *file;

	assert_ok(png_file_size(width, height, &size));
	*ret_size = (size_t)size;
	file = malloc(*ret_size);
	assert_ok(png_file_read(width, height, read_pixels, p, NULL, 0, file, *ret_size, &err));
	return file;
}

static uint32_t u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void libpng_reads_the_same_pixels_without_a_warning(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SIDES; i++) {
		struct pixels p = pixels_of(sides[i].width, sides[i].height);
		png_image image = {.version = PNG_IMAGE_VERSION};
		uint8_t *got = malloc(p.size);
		size_t size;
		uint8_t *file = whole_file(sides[i].width, sides[i].height, &p, &size);

		assert_int_not_equal(png_image_begin_read_from_memory(&image, file, size), 0);
		assert_int_equal(image.width, sides[i].width);
		assert_int_equal(image.height, sides[i].height);
		assert_int_equal(image.format, PNG_FORMAT_RGBA);
		assert_int_not_equal(png_image_finish_read(&image, NULL, got, 0, NULL), 0);
		assert_int_equal(image.warning_or_error, 0);
		assert_memory_equal(got, p.data, p.size);
		free(file);
		free(got);
		free(p.data);
	}
}

/* Check the form, chunk by chunk and block by block. Returns the bytes of all stored blocks. */
static void check_form(const uint8_t *file, uint64_t size, uint32_t width, uint32_t height)
{
	static const uint8_t begin[] = {
		0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
	uint64_t raw = (uint64_t)height * (4 * (uint64_t)width + 1), seen = 0;
	uint32_t idat = u32(file + 33), sum = (uint32_t)adler32(0, NULL, 0);
	const uint8_t *p = file + 41, *end = p + idat;

	assert_memory_equal(file, begin, sizeof(begin));
	assert_int_equal(u32(file + 16), width);
	assert_int_equal(u32(file + 20), height);
	assert_memory_equal(file + 24, "\x08\x06\0\0\0", 5);
	assert_int_equal(u32(file + 29), crc32(0, file + 12, 17));
	assert_memory_equal(file + 37, "IDAT\x78\x01", 6);
	assert_int_equal(u32(end), crc32(0, file + 37, idat + 4));
	assert_memory_equal(end + 4, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
	assert_ptr_equal(end + 16, file + size);
	for (p += 2; seen < raw;) {
		uint32_t n = p[1] | (uint32_t)p[2] << 8;

		assert_int_equal(p[0], seen + n == raw);
		assert_int_equal(p[3] | (uint32_t)p[4] << 8, n ^ 0xffff);
		if (seen + n != raw)
			assert_int_equal(n, 65535);
		sum = (uint32_t)adler32(sum, p + 5, n);
		seen += n;
		p += 5 + n;
	}
	assert_int_equal(seen, raw);
	assert_int_equal(u32(p), sum);
	assert_ptr_equal(p + 4, end);
	assert_int_equal(size, 63 + raw + 5 * ((raw + 65534) / 65535));
}

static void the_file_has_the_canonical_form_and_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SIDES; i++) {
		struct pixels p = pixels_of(sides[i].width, sides[i].height);
		size_t size;
		uint8_t *file = whole_file(sides[i].width, sides[i].height, &p, &size);

		check_form(file, size, sides[i].width, sides[i].height);
		free(file);
		free(p.data);
	}
}

static void a_range_read_equals_that_part_of_the_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SIDES; i++) {
		uint32_t w = sides[i].width, h = sides[i].height;
		struct pixels p = pixels_of(w, h);
		struct png_memo memo = PNG_MEMO_INIT;
		uint64_t seed = i + 1;
		size_t size;
		uint8_t *file = whole_file(w, h, &p, &size);
		uint8_t *got = malloc(size);

		for (int k = 0; k < 300; k++) {
			size_t off = (size_t)(next_random(&seed) % (size + 1));
			size_t n = (size_t)(next_random(&seed) % (k % 2 ? size + 1 : 100));

			if (n > size - off)
				n = size - off;
			assert_ok(png_file_read(w, h, read_pixels, &p, &memo, off, got, n, &err));
			assert_memory_equal(got, file + off, n);
		}
		/* Read byte by byte around the borders of the parts. */
		for (uint64_t off = 0; off < size;
			off += off == 70 && size > 200 ? size - 130 : 1) {
			assert_ok(png_file_read(w, h, read_pixels, &p, &memo, off, got, 1, &err));
			assert_int_equal(got[0], file[off]);
		}
		free(got);
		free(file);
		free(p.data);
	}
}

static void a_range_requests_only_the_pixels_that_it_shows(void **state)
{
	struct pixels p = pixels_of(300, 211);
	uint8_t got[100];

	(void)state;
	assert_ok(png_file_read(300, 211, read_pixels, &p, NULL, 0, got, 43, &err));
	assert_int_equal(p.asked, 0);
	assert_ok(png_file_read(300, 211, read_pixels, &p, NULL, 100000, got, 100, &err));
	assert_in_range(p.asked, 90, 100);
	free(p.data);
}

static void a_sequential_read_requests_every_pixel_once(void **state)
{
	struct pixels p = pixels_of(300, 211);
	struct png_memo memo = PNG_MEMO_INIT;
	uint64_t size;
	uint8_t got[4096];

	(void)state;
	assert_ok(png_file_size(300, 211, &size));
	for (uint64_t off = 0; off < size; off += sizeof(got)) {
		size_t n = size - off < sizeof(got) ? (size_t)(size - off) : sizeof(got);

		assert_ok(png_file_read(300, 211, read_pixels, &p, &memo, off, got, n, &err));
	}
	assert_int_equal(p.asked, p.size);
	assert_true(p.in_order);
	free(p.data);
}

static void the_checksums_are_computed_once_and_in_order(void **state)
{
	struct pixels p = pixels_of(300, 211);
	struct png_memo memo = PNG_MEMO_INIT;
	uint8_t got[20];
	uint64_t size;

	(void)state;
	assert_ok(png_file_size(300, 211, &size));
	for (int i = 0; i < 2; i++)
		assert_ok(
			png_file_read(300, 211, read_pixels, &p, &memo, size - 20, got, 20, &err));
	assert_int_equal(p.asked, p.size);
	assert_true(p.in_order);
	/* The same pixels with other sides have other checksums. */
	assert_ok(png_file_size(211, 300, &size));
	assert_ok(png_file_read(211, 300, read_pixels, &p, &memo, size - 9, got, 9, &err));
	assert_int_equal(p.asked, 2 * p.size);
	free(p.data);
}

static int no_pixels(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	(void)arg;
	(void)off;
	(void)dst;
	(void)n;
	return error_set(e, -EIO, "the pixels are gone");
}

static void a_failing_source_fails_the_read_and_leaves_no_checksum(void **state)
{
	struct pixels p = pixels_of(20, 20);
	struct png_memo memo = PNG_MEMO_INIT;
	size_t size;
	uint8_t *file = whole_file(20, 20, &p, &size);
	uint8_t got[20];

	(void)state;
	assert_fails(png_file_read(20, 20, no_pixels, NULL, &memo, size - 20, got, 20, &err), EIO,
		"the pixels are gone");
	assert_fails(png_file_read(20, 20, no_pixels, NULL, &memo, 50, got, 20, &err), EIO, "gone");
	assert_ok(png_file_read(20, 20, read_pixels, &p, &memo, size - 20, got, 20, &err));
	assert_memory_equal(got, file + size - 20, 20);
	free(file);
	free(p.data);
}

static void an_image_too_large_for_an_idat_has_no_size(void **state)
{
	uint64_t size = 7;
	char got;

	(void)state;
	assert_int_equal(png_file_size(0, 1, &size), -EINVAL);
	assert_int_equal(png_file_size(1, 0, &size), -EINVAL);
	assert_int_equal(png_file_size(0x80000000u, 1, &size), -EINVAL);
	assert_int_equal(png_file_size(0x7fffffff, 0x7fffffff, &size), -EFBIG);
	/*
	 * A row of one pixel has 5 bytes. An IDAT of 2^31 - 1 bytes holds 2147483641 bytes of
	 * blocks: 32766 whole blocks are 2147483640, of 65535 * 32766 = 2147319810 bytes of rows,
	 * that is 429463962 rows; one byte is left, too little for another block.
	 */
	assert_int_equal(size, 7);
	assert_int_equal(png_file_size(1, 429463962, &size), 0);
	assert_int_equal(size, 63 + 5 * (uint64_t)429463962 + (uint64_t)5 * 32766);
	assert_true(size - 57 <= INT32_MAX);
	assert_int_equal(png_file_size(1, 429463963, &size), -EFBIG);
	assert_fails(png_file_read(0, 1, no_pixels, NULL, NULL, 0, &got, 1, &err), EINVAL, "0x1");
	assert_fails(png_file_read(1, 1, no_pixels, NULL, NULL, 73, &got, 1, &err), EINVAL, "end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libpng_reads_the_same_pixels_without_a_warning),
		cmocka_unit_test(the_file_has_the_canonical_form_and_length),
		cmocka_unit_test(a_range_read_equals_that_part_of_the_file),
		cmocka_unit_test(a_range_requests_only_the_pixels_that_it_shows),
		cmocka_unit_test(a_sequential_read_requests_every_pixel_once),
		cmocka_unit_test(the_checksums_are_computed_once_and_in_order),
		cmocka_unit_test(a_failing_source_fails_the_read_and_leaves_no_checksum),
		cmocka_unit_test(an_image_too_large_for_an_idat_has_no_size),
	};

	return cmocka_run_group_tests_name("png_encode", tests, NULL, NULL);
}
