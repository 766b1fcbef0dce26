/* SPDX-License-Identifier: Zlib */
/* Compressed PNG files, checked with libpng's reader. */
#include "support/codec_test.h"

#include <png.h>
#include <zlib.h>

#include "codec/image/png_pack.h"

static struct error err;

/* Pixels as a map stores them, inflated through a budget of this size. */
struct image {
	uint32_t width, height;
	size_t size;
	uint8_t *pixels;
	struct budget *budget;
	struct blob *blob;
};

/* Fill with noise if `noisy`, otherwise with runs of one color, as in pictures. */
static void draw_pixels(struct image *im, bool noisy)
{
	uint64_t seed = im->width + 1;

	for (size_t i = 0; i < im->size; i++)
		im->pixels[i] = noisy ? (uint8_t)next_random(&seed) : (uint8_t)(i / 997);
}

static struct image image_of(uint32_t width, uint32_t height, size_t cache, bool noisy)
{
	struct image im = {width, height, .size = (size_t)4 * width * height};
	uLongf n = compressBound(im.size);
	uint8_t *packed = malloc(n);
	struct extent x;

	im.pixels = malloc(im.size);
	draw_pixels(&im, noisy);
	assert_int_equal(compress(packed, &n, im.pixels, im.size), Z_OK);
	x = extent_of(packed, n);
	im.budget = budget_create(cache);
	im.blob = blob_new(&x, BLOB_ZLIB, im.size, im.budget);
	extent_finish(&x);
	free(packed);
	return im;
}

static void image_end(struct image *im)
{
	blob_unref(im->blob);
	budget_destroy(im->budget);
	free(im->pixels);
}

static uint8_t *whole_file(struct image *im, size_t *ret_size)
{
	uint64_t size;
	uint8_t *file;

	assert_ok(png_packed_size(im->blob, im->width, im->height, &size, &err));
	*ret_size = (size_t)size;
	file = malloc(*ret_size);
	assert_ok(png_packed_read(im->blob, im->width, im->height, 0, file, *ret_size, &err));
	return file;
}

/* One band, one full band (1024 * (4 * 255 + 1) bytes and some), and several; wide and narrow. */
static const struct {
	uint32_t width, height;
	bool noisy;
} kinds[] = {{1, 1, true}, {255, 1027, false}, {255, 1027, true}, {700, 1100, false},
	{700, 1100, true}, {300000, 3, true}, {2, 300000, false}};

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static void libpng_reads_the_same_pixels_without_a_warning(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_KINDS; i++) {
		struct image im =
			image_of(kinds[i].width, kinds[i].height, 64 << 20, kinds[i].noisy);
		png_image image = {.version = PNG_IMAGE_VERSION};
		uint8_t *got = malloc(im.size);
		size_t size;
		uint8_t *file = whole_file(&im, &size);

		assert_int_not_equal(png_image_begin_read_from_memory(&image, file, size), 0);
		assert_int_equal(image.width, im.width);
		assert_int_equal(image.height, im.height);
		assert_int_equal(image.format, PNG_FORMAT_RGBA);
		assert_int_not_equal(png_image_finish_read(&image, NULL, got, 0, NULL), 0);
		assert_int_equal(image.warning_or_error, 0);
		assert_memory_equal(got, im.pixels, im.size);
		if (!kinds[i].noisy)
			assert_true(size < im.size / 20);
		free(file);
		free(got);
		image_end(&im);
	}
}

static void the_file_does_not_depend_on_the_budget(void **state)
{
	static const size_t caches[] = {0, 1 << 20, 64 << 20};
	struct image im = image_of(700, 1100, 64 << 20, true);
	size_t size, again;
	uint8_t *file = whole_file(&im, &size);

	(void)state;
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		struct image other = image_of(700, 1100, caches[i], true);
		uint8_t *got = whole_file(&other, &again);

		assert_int_equal(again, size);
		assert_memory_equal(got, file, size);
		assert_true(budget_used(other.budget) <= caches[i] + (16 << 20));
		free(got);
		image_end(&other);
	}
	free(file);
	image_end(&im);
}

static void a_range_read_equals_that_part_of_the_file(void **state)
{
	struct image im = image_of(700, 1100, 1 << 20, true);
	uint64_t seed = 5;
	size_t size;
	uint8_t *file = whole_file(&im, &size), *got = malloc(size);

	(void)state;
	for (int k = 0; k < 60; k++) {
		size_t off = (size_t)(next_random(&seed) % (size + 1));
		size_t n = (size_t)(next_random(&seed) % (k % 4 ? 200000 : size + 1));

		if (n > size - off)
			n = size - off;
		assert_ok(png_packed_read(im.blob, 700, 1100, off, got, n, &err));
		assert_memory_equal(got, file + off, n);
	}
	for (uint64_t off = 0; off < size; off += off == 50 ? size - 80 : 1) {
		assert_ok(png_packed_read(im.blob, 700, 1100, off, got, 1, &err));
		assert_int_equal(got[0], file[off]);
	}
	assert_fails(png_packed_read(im.blob, 700, 1100, size, got, 1, &err), EINVAL, "end");
	assert_fails(png_packed_read(im.blob, 0, 1, 0, got, 1, &err), EINVAL, "0x1");
	free(got);
	free(file);
	image_end(&im);
}

static void pixels_are_inflated_and_compressed_once(void **state)
{
	struct image im = image_of(700, 1100, 64 << 20, false);
	uint64_t known, before = inflate_total();
	size_t size;
	uint8_t *file;

	(void)state;
	assert_false(png_packed_known(im.blob, 700, 1100, &known));
	assert_int_equal(inflate_total(), before);
	file = whole_file(&im, &size);
	assert_int_equal(inflate_total() - before, im.size);
	assert_true(png_packed_known(im.blob, 700, 1100, &known));
	assert_int_equal(known, size);
	/* The pixels may be dropped: the bands are kept. */
	budget_drop(im.budget, &im.blob->slot);
	assert_ok(png_packed_read(im.blob, 700, 1100, size / 2, file, 100, &err));
	assert_int_equal(inflate_total() - before, im.size);
	free(file);
	image_end(&im);
}

/* Two images of a map may share their data and differ in their sides. */
static void the_same_pixels_with_other_sides_give_another_file(void **state)
{
	struct image im = image_of(700, 1100, 64 << 20, true);
	size_t size, other, again;
	uint8_t *file = whole_file(&im, &size), *turned, *got;

	(void)state;
	im.width = 1100;
	im.height = 700;
	turned = whole_file(&im, &other);
	assert_memory_equal(turned + 16, "\0\0\x04\x4c\0\0\x02\xbc", 8);
	im.width = 700;
	im.height = 1100;
	got = whole_file(&im, &again);
	assert_int_equal(again, size);
	assert_memory_equal(got, file, size);
	free(got);
	free(turned);
	free(file);
	image_end(&im);
}

static void damaged_pixels_give_an_error_with_a_reason(void **state)
{
	struct image im = image_of(700, 1100, 64 << 20, false);
	struct extent cut = im.blob->stored;
	struct blob *b;
	uint64_t size;
	char got;

	(void)state;
	cut.size -= 9;
	b = blob_new(&cut, BLOB_ZLIB, im.size, im.budget);
	assert_fails(png_packed_size(b, 700, 1100, &size, &err), EIO, "");
	assert_true(png_packed_known(b, 700, 1100, &size));
	assert_int_equal(size, 0);
	assert_fails(png_packed_read(b, 700, 1100, 0, &got, 0, &err), EIO, "damaged");
	blob_unref(b);
	image_end(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libpng_reads_the_same_pixels_without_a_warning),
		cmocka_unit_test(the_file_does_not_depend_on_the_budget),
		cmocka_unit_test(a_range_read_equals_that_part_of_the_file),
		cmocka_unit_test(pixels_are_inflated_and_compressed_once),
		cmocka_unit_test(the_same_pixels_with_other_sides_give_another_file),
		cmocka_unit_test(damaged_pixels_give_an_error_with_a_reason),
	};

	return cmocka_run_group_tests_name("png_pack", tests, NULL, NULL);
}
