/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include <zlib.h>

#include "codec/blob.h"
#include "codec/blob_equal.h"

static struct error err;

/* A blob of LARGE bytes exceeds a budget of SMALL and fits one of ROOMY. */
enum { LARGE = (17 << 20) + 12345, SMALL = 8 << 20, ROOMY = 64 << 20, UNIT = 128 << 10 };

/* Bytes beside the budget that blobs take when they are read piece by piece (budget.h). */
enum { BESIDE = BUDGET_KEPT_SIZE };

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

static struct extent make_encoded(enum blob_coding coding, size_t n)
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

/* Compressed once for all tests, because compression takes longer than a test. */
static struct extent large = EXTENT_INIT;

static struct extent get_encoded(enum blob_coding coding, size_t n)
{
	if (coding != BLOB_ZLIB || n != LARGE)
		return make_encoded(coding, n);
	if (!large.size)
		large = make_encoded(coding, n);
	return extent_ref(&large);
}

static int drop_large(void **state)
{
	(void)state;
	extent_finish(&large);
	return 0;
}

static struct blob *blob_of(enum blob_coding coding, size_t n, struct budget *budget)
{
	CLEANUP_EXTENT struct extent x = get_encoded(coding, n);

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
	CLEANUP(budget_destroy) struct budget *budget = budget_create(SMALL);

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
		assert_ok(blob_for_each_chunk(b, check_chunk, &total, &err));
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

static void a_blob_that_fits_the_budget_is_cached_whole_and_a_prefix_is_not(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(ROOMY);
	CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
	uint8_t got[10];
	size_t n;

	(void)state;
	assert_ok(blob_prefix(b, got, 10, &n, &err));
	assert_int_equal(budget_used(budget), 0);
	assert_ok(blob_read(b, LARGE - 10, got, 10, &err));
	assert_in_range(budget_used(budget), LARGE, LARGE + 1000);
}

/* Read all pieces of a blob: in order (0), as cp does, backwards (1) or mixed. */
static void read_pieces(struct blob *b, int order)
{
	size_t n = (size_t)((b->size + UNIT - 1) / UNIT), *pieces = calloc(n, sizeof(*pieces));
	uint8_t *got = malloc(UNIT);
	uint64_t seed = (uint64_t)order + 1;

	for (size_t i = 0; i < n; i++)
		pieces[i] = order == 1 ? n - 1 - i : i;
	for (size_t i = n; order > 1 && i-- > 1;) {
		size_t k = (size_t)(next_random(&seed) % (i + 1)), other = pieces[i];

		pieces[i] = pieces[k];
		pieces[k] = other;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t off = pieces[i] * (uint64_t)UNIT;
		size_t part = b->size - off < UNIT ? (size_t)(b->size - off) : UNIT;

		assert_ok(blob_read(b, off, got, part, &err));
		for (size_t k = 0; k < part; k += 1000)
			assert_int_equal(got[k], pattern(off + k));
	}
	free(pieces);
	free(got);
}

static void a_blob_that_fits_is_inflated_once_in_any_order_of_reads(void **state)
{
	(void)state;
	for (int order = 0; order < 4; order++) {
		CLEANUP(budget_destroy) struct budget *budget = budget_create(ROOMY);
		CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
		uint64_t before = inflate_total(), n = 0;

		if (order & 1)
			assert_ok(blob_check(b, &err));
		read_pieces(b, order);
		assert_ok(blob_check(b, &err));
		assert_ok(blob_for_each_chunk(b, check_chunk, &n, &err));
		assert_int_equal(inflate_total() - before, LARGE);
	}
}

static void a_blob_that_does_not_fit_costs_one_pass_and_the_parts_that_are_read(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		CLEANUP(budget_destroy) struct budget *budget = budget_create(SMALL);
		CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
		uint64_t before = inflate_total(), n = 0;

		if (order)
			assert_ok(blob_for_each_chunk(b, check_chunk, &n, &err));
		read_pieces(b, order);
		assert_ok(blob_check(b, &err));
		assert_int_equal(inflate_total() - before, 2 * LARGE);
		assert_true(budget_used(budget) <= SMALL + BESIDE);
	}
}

static void a_blob_known_to_be_sound_is_read_without_a_first_pass(void **state)
{
	(void)state;
	for (int order = 0; order < 4; order++) {
		CLEANUP(budget_destroy) struct budget *budget = budget_create(SMALL);
		CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
		uint64_t before;

		assert_ok(blob_check(b, &err));
		before = inflate_total();
		read_pieces(b, order);
		/* Backwards, one pass skips everything before the end. */
		if (order < 2)
			assert_true(inflate_total() - before <= (order ? 2 : 1) * (uint64_t)LARGE);
	}
}

struct reader {
	struct blob *b;
	uint64_t off;
};

/* Each reader reads a piece in turn, up to the end; at most `most` bytes may be inflated. */
static void read_in_turn(struct reader *readers, size_t n, size_t piece, uint64_t most)
{
	uint64_t before = inflate_total();
	uint8_t *got = malloc(piece);
	size_t left = n;

	while (left) {
		left = 0;
		for (size_t i = 0; i < n; i++) {
			struct reader *r = &readers[i];
			uint64_t rest = r->b->size - r->off;
			size_t part = rest < piece ? (size_t)rest : piece;

			assert_ok(blob_read(r->b, r->off, got, part, &err));
			for (size_t k = 0; k < part; k += 1000)
				assert_int_equal(got[k], pattern(r->off + k));
			r->off += part;
			left += r->off < r->b->size;
		}
		assert_true(inflate_total() - before <= most);
	}
	free(got);
}

static const size_t tiny[] = {1, 256 << 10, 1 << 20, 4 << 20};

static void a_sequential_read_inflates_at_most_twice_with_any_budget(void **state)
{
	static const size_t pieces[] = {4 << 10, 16 << 10, UNIT}, sizes[] = {LARGE, 700 << 10};

	(void)state;
	for (size_t k = 0; k < 4 * 3 * 2; k++) {
		size_t limit = tiny[k % 4], size = sizes[k / 12];
		CLEANUP(budget_destroy) struct budget *budget = budget_create(limit);
		CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, size, budget);
		struct reader r = {b, 0};

		read_in_turn(&r, 1, pieces[k / 4 % 3], 2 * size);
		assert_true(budget_used(budget) <= limit + BESIDE);
	}
}

static void two_alternating_readers_cost_one_pass_per_blob_and_the_parts_they_read(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		CLEANUP(budget_destroy) struct budget *budget = budget_create(tiny[k]);
		CLEANUP(blob_unref) struct blob *a = blob_of(BLOB_ZLIB, LARGE, budget);
		CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
		CLEANUP(blob_unref) struct blob *c = blob_of(BLOB_ZLIB, 60 << 10, budget);
		struct reader two[] = {{a, 0}, {b, 0}}, same[] = {{a, 0}, {a, LARGE / 2}};
		uint64_t before, at = 0;
		uint8_t got[10];

		read_in_turn(two, 2, 16 << 10, 4 * (uint64_t)LARGE);
		read_in_turn(same, 2, 16 << 10, 3 * (uint64_t)LARGE);
		assert_true(budget_used(budget) <= tiny[k] + BESIDE);
		/* The pieces kept for the other readers are not dropped. */
		before = inflate_total();
		for (; at < 1000 && tiny[k] > 1; at += 10)
			assert_ok(blob_read(c, at, got, 10, &err));
		assert_true(inflate_total() - before <= 60 << 10);
	}
}

static void space_is_freed_before_a_blob_is_inflated(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(LARGE + 1000);
	CLEANUP(blob_unref) struct blob *first = blob_of(BLOB_ZLIB, 5 << 20, budget);
	CLEANUP(blob_unref) struct blob *second = blob_of(BLOB_ZLIB, LARGE, budget);
	uint8_t got;

	(void)state;
	assert_ok(blob_read(first, 0, &got, 1, &err));
	assert_true(budget_used(budget) >= 5 << 20);
	second->size--; /* Loading it fails, and it takes no space itself. */
	assert_fails(blob_read(second, 0, &got, 1, &err), EIO, "declared");
	second->size++;
	assert_int_equal(budget_used(budget), 0);
}

static void a_piece_costs_at_most_the_stretches_that_it_touches(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(SMALL);
	CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
	uint64_t seed = 7;
	uint8_t got[300];

	(void)state;
	assert_ok(blob_check(b, &err));
	for (int i = 0; i < 40; i++) {
		uint64_t off = next_random(&seed) % (LARGE - sizeof(got));
		uint64_t before = inflate_total();

		assert_ok(blob_read(b, off, got, sizeof(got), &err));
		check_chunk(&off, got, sizeof(got), NULL);
		assert_true(inflate_total() - before <=
			    (off / STRETCH == (off - 300) / STRETCH ? 1 : 2) * STRETCH);
	}
}

static void blobs_that_evict_each_other_are_not_inflated_for_each_piece(void **state)
{
	enum { N = 3, PIECES = 100 };
	CLEANUP(budget_destroy) struct budget *budget = budget_create(LARGE + (8 << 20));
	struct blob *blobs[N];
	uint64_t before, bound;
	uint8_t got[100];

	(void)state;
	for (int i = 0; i < N; i++)
		blobs[i] = blob_of(BLOB_ZLIB, LARGE, budget);
	before = inflate_total();
	for (int k = 0; k < PIECES; k++)
		for (int i = 0; i < N; i++) {
			uint64_t off = (uint64_t)k * (LARGE / PIECES);

			assert_ok(blob_read(blobs[i], off, got, sizeof(got), &err));
			check_chunk(&off, got, sizeof(got), NULL);
		}
	/* One pass over each whole blob, and then the parts that are read. */
	bound = (uint64_t)N * 2 * LARGE;
	assert_true(inflate_total() - before <= bound);
	for (int i = 0; i < N; i++)
		blob_unref(blobs[i]);
}

static void a_wrong_declared_size_is_an_error_for_every_way_of_reading(void **state)
{
	static const int off[] = {-1, 1};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t size = 5000; size <= LARGE; size += LARGE - 5000) {
			CLEANUP_EXTENT struct extent x = get_encoded(BLOB_ZLIB, size);
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
			assert_fails(
				blob_for_each_chunk(b, check_chunk, &at, &err), EIO, "declared");
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

static void blobs_are_equal_if_their_decoded_bytes_are(void **state)
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

static void a_comparison_caches_nothing(void **state)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(4 * LARGE);
	CLEANUP(blob_unref) struct blob *raw = blob_of(BLOB_RAW, LARGE, NULL);
	CLEANUP(blob_unref) struct blob *zlib = blob_of(BLOB_ZLIB, LARGE, budget);
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	uint64_t before;
	bool same = false;

	(void)state;
	assert_ok(blob_equal(raw, zlib, &same, &err));
	assert_true(same);
	assert_int_equal(budget_used(budget), 0);
	/* A cached blob is not inflated again. */
	assert_ok(blob_load(zlib, &whole, &err));
	before = inflate_total();
	assert_ok(blob_equal(raw, zlib, &same, &err));
	assert_true(same);
	assert_int_equal(inflate_total(), before);
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

static void concurrent_readers_wait_for_one_inflation(void **state)
{
	static const size_t limits[] = {SMALL, ROOMY};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		CLEANUP(budget_destroy) struct budget *budget = budget_create(limits[k]);
		CLEANUP(blob_unref) struct blob *b = blob_of(BLOB_ZLIB, LARGE, budget);
		uint64_t before = inflate_total();
		pthread_t threads[6];

		for (size_t i = 0; i < 6; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, read_in_thread, b), 0);
		for (size_t i = 0; i < 6; i++) {
			void *failed;

			pthread_join(threads[i], &failed);
			assert_null(failed);
		}
		/* All reads lie in the first stretch. */
		assert_int_equal(
			inflate_total() - before, limits[k] == SMALL ? LARGE + STRETCH : LARGE);
	}
}

static void a_remembered_value_is_recalled_until_another_replaces_it(void **state)
{
	CLEANUP(blob_unref) struct blob *b = blob_of_bytes(bytes_copy("x", 1), NULL);
	uint64_t v = 0;

	(void)state;
	assert_false(blob_recall(b, 0, &v));
	blob_remember(b, 0, 10);
	assert_true(blob_recall(b, 0, &v));
	assert_int_equal(v, 10);
	blob_remember(b, 7, 17);
	blob_remember(b, 7, 18);
	assert_true(blob_recall(b, 7, &v));
	assert_int_equal(v, 18);
	assert_false(blob_recall(b, 0, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_of_reading_gives_the_same_bytes),
		cmocka_unit_test(a_blob_works_without_a_budget),
		cmocka_unit_test(a_blob_that_fits_the_budget_is_cached_whole_and_a_prefix_is_not),
		cmocka_unit_test(a_blob_that_fits_is_inflated_once_in_any_order_of_reads),
		cmocka_unit_test(
			a_blob_that_does_not_fit_costs_one_pass_and_the_parts_that_are_read),
		cmocka_unit_test(a_blob_known_to_be_sound_is_read_without_a_first_pass),
		cmocka_unit_test(a_sequential_read_inflates_at_most_twice_with_any_budget),
		cmocka_unit_test(
			two_alternating_readers_cost_one_pass_per_blob_and_the_parts_they_read),
		cmocka_unit_test(space_is_freed_before_a_blob_is_inflated),
		cmocka_unit_test(a_piece_costs_at_most_the_stretches_that_it_touches),
		cmocka_unit_test(blobs_that_evict_each_other_are_not_inflated_for_each_piece),
		cmocka_unit_test(a_wrong_declared_size_is_an_error_for_every_way_of_reading),
		cmocka_unit_test(a_raw_blob_with_too_few_bytes_is_an_error),
		cmocka_unit_test(blobs_are_equal_if_their_decoded_bytes_are),
		cmocka_unit_test(a_comparison_caches_nothing),
		cmocka_unit_test(concurrent_readers_wait_for_one_inflation),
		cmocka_unit_test(a_remembered_value_is_recalled_until_another_replaces_it),
	};

	return cmocka_run_group_tests_name("blob", tests, NULL, drop_large);
}
