/* SPDX-License-Identifier: Zlib */
#include "codec_test.h"

#include <zlib.h>

#include "codec/blob.h"

static struct error err;

enum { LARGE = BLOB_WHOLE_MAX + 12345 };

static uint8_t pattern(uint64_t off)
{
	return (uint8_t)(off ^ off >> 8 ^ off >> 16);
}

static int read_pattern(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	uint8_t *p = dst;

	(void)arg;
	(void)e;
	for (size_t i = 0; i < n; i++)
		p[i] = pattern(off + i);
	return 0;
}

static struct extent stored(enum blob_coding coding, size_t n)
{
	uint8_t *p = malloc(n + 1);
	struct extent x = EXTENT_INIT;

	if (coding == BLOB_ZLIB) {
		assert_ok(deflate_from(read_pattern, NULL, n, -1, &x, &err));
	} else {
		read_pattern(NULL, 0, p, n, NULL);
		x = extent_of(p, n);
	}
	free(p);
	return x;
}

static struct blob *blob_of(enum blob_coding coding, size_t n, struct budget *budget)
{
	CLEANUP_EXTENT struct extent x = stored(coding, n);

	return blob_new(&x, coding, n, budget);
}

static const struct {
	enum blob_coding coding;
	size_t size;
} kinds[] = {
	{BLOB_RAW, 0},
	{BLOB_RAW, 5000},
	{BLOB_RAW, LARGE},
	{BLOB_ZLIB, 0},
	{BLOB_ZLIB, 5000},
	{BLOB_ZLIB, LARGE},
};

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static int check_chunk(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	uint64_t *off = arg;

	(void)e;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(data[i], pattern(*off + i));
	*off += n;
	return 0;
}

static void every_way_of_reading_gives_the_same_bytes(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(1 << 20);

	(void)state;
	for (size_t k = 0; k < N_KINDS; k++) {
		struct blob *b = blob_of(kinds[k].coding, kinds[k].size, budget);
		size_t size = kinds[k].size, n = 0;
		CLEANUP(bytes_unref) struct bytes *whole = NULL;
		uint64_t seed = k + 1, off = 0, total = 0;
		uint8_t got[1000];

		assert_ok(blob_load(b, &whole, &err));
		assert_int_equal(whole->size, size);
		check_chunk(&off, whole->data, size, NULL);
		assert_ok(blob_each(b, check_chunk, &total, &err));
		assert_int_equal(total, size);
		for (int i = 0; i < 5 && size; i++) {
			off = next_random(&seed) % (size - sizeof(got));
			assert_ok(blob_read(b, off, got, sizeof(got), &err));
			check_chunk(&off, got, sizeof(got), NULL);
		}
		assert_ok(blob_read(b, size, got, 0, &err));
		assert_fails(blob_read(b, size, got, 1, &err), EINVAL, "past the end");
		assert_ok(blob_prefix(b, got, 700, &n, &err));
		assert_int_equal(n, size < 700 ? size : 700);
		off = 0;
		check_chunk(&off, got, n, NULL);
		bytes_unref(TAKE(whole));
		blob_unref(b);
	}
	assert_int_equal(budget_used(budget), 0);
}

static void a_blob_works_without_a_budget(void **state)
{
	CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, 5000, NULL);
	uint8_t got[10];
	uint64_t off = 4990;

	(void)state;
	assert_ok(blob_read(b, off, got, 10, &err));
	check_chunk(&off, got, 10, NULL);
}

static void small_blobs_are_cached_and_prefixes_and_streams_are_not(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(64 << 20);
	CLEANUP(blob_unref) struct blob *small = blob_of(BLOB_ZLIB, 5000, budget);
	CLEANUP(blob_unref) struct blob *large = blob_of(BLOB_ZLIB, LARGE, budget);
	uint8_t got[10];
	size_t n;

	(void)state;
	assert_ok(blob_prefix(small, got, 10, &n, &err));
	assert_int_equal(budget_used(budget), 0);
	assert_ok(blob_read(large, LARGE - 10, got, 10, &err));
	assert_int_equal(budget_used(budget), 0);
	assert_ok(blob_read(small, 0, got, 10, &err));
	assert_in_range(budget_used(budget), 5000, 6000);
}

static void a_wrong_declared_size_is_an_error_whichever_way_it_is_read(void **state)
{
	static const int off[] = {-1, 1};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t size = 5000; size <= LARGE; size += LARGE - 5000) {
			CLEANUP_EXTENT struct extent x = stored(BLOB_ZLIB, size);
			uint64_t declared = size + (uint64_t)off[i];
			CLEANUP(blob_unref)
			struct blob *b = blob_new(&x, BLOB_ZLIB, declared, NULL);
			struct bytes *whole = NULL;
			uint64_t at = 0;
			uint8_t last;

			assert_fails(blob_load(b, &whole, &err), EIO, "declared");
			assert_fails(blob_check(b, &err), EIO, "declared");
			assert_fails(blob_read(b, 0, &last, 1, &err), EIO, "declared");
			assert_fails(blob_read(b, declared - 1, &last, 1, &err), EIO, "declared");
			assert_fails(blob_each(b, check_chunk, &at, &err), EIO, "declared");
		}
	}
}

static void a_raw_blob_with_too_few_bytes_is_an_error(void **state)
{
	CLEANUP_EXTENT struct extent x = extent_of("abc", 3);
	CLEANUP(blob_unref) struct blob *b = blob_new(&x, BLOB_RAW, 4, NULL);
	CLEANUP(blob_unref) struct blob *fits = blob_new(&x, BLOB_RAW, 2, NULL);
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	size_t n;
	char got[8];

	(void)state;
	assert_fails(blob_load(b, &whole, &err), EIO, "3 bytes are stored (declared 4)");
	assert_fails(blob_read(b, 0, got, 1, &err), EIO, "declared 4");
	assert_fails(blob_prefix(b, got, 1, &n, &err), EIO, "declared 4");
	assert_ok(blob_load(fits, &whole, &err));
	assert_int_equal(whole->size, 2);
}

static void equality_is_that_of_the_decoded_bytes(void **state)
{
	(void)state;
	for (size_t size = 5000; size <= LARGE; size += LARGE - 5000) {
		CLEANUP(blob_unref) struct blob *raw = blob_of(BLOB_RAW, size, NULL);
		CLEANUP(blob_unref) struct blob *zlib = blob_of(BLOB_ZLIB, size, NULL);
		CLEANUP(blob_unref) struct blob *shorter = blob_of(BLOB_ZLIB, size - 1, NULL);
		CLEANUP(bytes_unref) struct bytes *whole = NULL;
		uint8_t *copy = malloc(size);
		bool same = false;

		assert_ok(blob_equal(raw, zlib, &same, &err));
		assert_true(same);
		assert_ok(blob_equal(zlib, raw, &same, &err));
		assert_true(same);
		assert_ok(blob_equals_extent(zlib, &raw->stored, &same, &err));
		assert_true(same);
		assert_ok(blob_equal(zlib, shorter, &same, &err));
		assert_false(same);
		assert_ok(blob_load(raw, &whole, &err));
		memcpy(copy, whole->data, size);
		copy[size - 1] ^= 1;
		CLEANUP(blob_unref)
		struct blob *other = blob_of_bytes(bytes_copy(copy, size), NULL);

		free(copy);
		assert_ok(blob_equal(zlib, other, &same, &err));
		assert_false(same);
		assert_ok(blob_equals_extent(zlib, &other->stored, &same, &err));
		assert_false(same);
		assert_ok(blob_equal(NULL, NULL, &same, &err));
		assert_true(same);
		assert_ok(blob_equal(zlib, NULL, &same, &err));
		assert_false(same);
	}
}

static void more_large_blobs_than_streams_are_kept_can_be_read_in_turns(void **state)
{
	enum { N = 11 };
	CLEANUP_EXTENT struct extent x = stored(BLOB_ZLIB, LARGE);
	struct blob *blobs[N];
	unsigned kept = 0;

	(void)state;
	for (int i = 0; i < N; i++)
		blobs[i] = blob_new(&x, BLOB_ZLIB, LARGE, NULL);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < N; i++) {
			uint64_t off = (uint64_t)(1000 * (round + i));
			uint8_t got[100];

			assert_ok(blob_read(blobs[i], off, got, 100, &err));
			check_chunk(&off, got, 100, NULL);
		}
	}
	for (int i = 0; i < N; i++)
		kept += blobs[i]->stream != NULL;
	assert_in_range(kept, 1, N - 1);
	for (int i = 0; i < N; i++)
		blob_unref(blobs[i]);
}

static void *read_in_thread(void *arg)
{
	struct blob *b = arg;
	struct error mine = ERROR_INIT;
	uint64_t seed = (uint64_t)(uintptr_t)&mine | 1;
	uint8_t got[300];

	for (int i = 0; i < 30; i++) {
		uint64_t off = next_random(&seed) % 200000;

		if (blob_read(b, off, got, sizeof(got), &mine) != 0)
			return &err;
		for (size_t k = 0; k < sizeof(got); k++) {
			if (got[k] != pattern(off + k))
				return &err;
		}
	}
	return NULL;
}

static void threads_read_one_blob_at_a_time_and_all_get_the_right_bytes(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(1 << 20);
	struct blob *blobs[] = {
		blob_of(BLOB_ZLIB, LARGE, budget), blob_of(BLOB_ZLIB, 300000, budget)};
	pthread_t threads[6];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, read_in_thread, blobs[i % 2]), 0);
	for (size_t i = 0; i < 6; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	blob_unref(blobs[0]);
	blob_unref(blobs[1]);
}

static void what_is_remembered_is_recalled_until_others_push_it_out(void **state)
{
	CLEANUP(blob_unref) struct blob *b = blob_of_bytes(bytes_copy("x", 1), NULL);
	uint64_t v = 0;

	(void)state;
	assert_false(blob_recall(b, 0, &v));
	blob_remember(b, 0, 10);
	blob_remember(b, 7, 17);
	blob_remember(b, 7, 18);
	assert_true(blob_recall(b, 0, &v));
	assert_int_equal(v, 10);
	assert_true(blob_recall(b, 7, &v));
	assert_int_equal(v, 18);
	blob_remember(b, 8, 1);
	assert_true(blob_recall(b, 8, &v));
	assert_false(blob_recall(b, 0, &v));
}

static void what_is_known_of_a_blob_can_be_handed_on(void **state)
{
	CLEANUP(blob_unref) struct blob *a = blob_of_bytes(bytes_copy("x", 1), NULL);
	CLEANUP(blob_unref) struct blob *b = blob_of_bytes(bytes_copy("x", 1), NULL);
	uint64_t v = 0;

	(void)state;
	blob_remember(a, 3, 30);
	blob_inherit(b, a);
	assert_true(blob_recall(b, 3, &v));
	assert_int_equal(v, 30);
	assert_false(blob_recall(b, 0, &v));
	/* Each goes its own way from there. */
	blob_remember(b, 3, 31);
	assert_true(blob_recall(a, 3, &v));
	assert_int_equal(v, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_of_reading_gives_the_same_bytes),
		cmocka_unit_test(a_blob_works_without_a_budget),
		cmocka_unit_test(small_blobs_are_cached_and_prefixes_and_streams_are_not),
		cmocka_unit_test(a_wrong_declared_size_is_an_error_whichever_way_it_is_read),
		cmocka_unit_test(a_raw_blob_with_too_few_bytes_is_an_error),
		cmocka_unit_test(equality_is_that_of_the_decoded_bytes),
		cmocka_unit_test(more_large_blobs_than_streams_are_kept_can_be_read_in_turns),
		cmocka_unit_test(threads_read_one_blob_at_a_time_and_all_get_the_right_bytes),
		cmocka_unit_test(what_is_remembered_is_recalled_until_others_push_it_out),
		cmocka_unit_test(what_is_known_of_a_blob_can_be_handed_on),
	};

	return cmocka_run_group_tests_name("blob", tests, NULL, NULL);
}
