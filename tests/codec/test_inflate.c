/* SPDX-License-Identifier: Zlib */
#include "codec_test.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <zlib.h>

#include "base/spool.h"
#include "codec/inflate.h"

static struct error err;

/* The zlib stream of "abc", written out by hand: a stored block and the Adler-32 of RFC 1950. */
static const uint8_t abc[] = {
	0x78, 0x01, 0x01, 3, 0, 0xfc, 0xff, 'a', 'b', 'c', 0x02, 0x4d, 0x01, 0x27};

static struct extent compressed(const void *data, size_t n)
{
	uLongf size = compressBound((uLong)n);
	uint8_t *out = malloc(size);
	struct extent x;

	assert_int_equal(compress(out, &size, data, (uLong)n), Z_OK);
	x = extent_of(out, size);
	free(out);
	return x;
}

/* Half random, half repeated, so that matches, literals and several blocks occur. */
static uint8_t *sample(size_t n, uint64_t seed)
{
	uint8_t *p = malloc(n + 1);

	for (size_t i = 0; i < n; i++) {
		if (i % 4096 < 2048 || i < 4096)
			p[i] = (uint8_t)next_random(&seed);
		else
			p[i] = p[i - 1500 - i / 4096 % 7];
	}
	return p;
}

static void a_stored_stream_written_by_hand_inflates(void **state)
{
	CLEANUP_EXTENT struct extent x = extent_of(abc, sizeof(abc));
	CLEANUP(bytes_unref) struct bytes *b = NULL;

	(void)state;
	assert_ok(inflate_all(&x, 3, &b, &err));
	assert_int_equal(b->size, 3);
	assert_memory_equal(b->data, "abc", 3);
}

static void bytes_after_the_stream_are_ignored(void **state)
{
	uint8_t longer[sizeof(abc) + 5];
	CLEANUP(bytes_unref) struct bytes *b = NULL;

	(void)state;
	memset(longer, 0xee, sizeof(longer));
	memcpy(longer, abc, sizeof(abc));
	CLEANUP_EXTENT struct extent x = extent_of(longer, sizeof(longer));

	assert_ok(inflate_all(&x, 3, &b, &err));
	assert_memory_equal(b->data, "abc", 3);
}

static void a_wrong_declared_size_is_refused_with_both_sizes(void **state)
{
	CLEANUP_EXTENT struct extent x = extent_of(abc, sizeof(abc));
	struct bytes *b = NULL;

	(void)state;
	assert_fails(inflate_all(&x, 2, &b, &err), EIO, "holds 3 bytes (declared 2)");
	assert_fails(inflate_all(&x, 4, &b, &err), EIO, "holds 3 bytes (declared 4)");
	assert_fails(inflate_all(&x, 0, &b, &err), EIO, "holds 3 bytes (declared 0)");
	assert_null(b);
}

static void a_cut_or_damaged_stream_is_refused_with_zlibs_reason(void **state)
{
	struct bytes *b = NULL;
	uint8_t bad[sizeof(abc)];

	(void)state;
	for (size_t n = 0; n < sizeof(abc); n++) {
		CLEANUP_EXTENT struct extent x = extent_of(abc, n);

		assert_fails(inflate_all(&x, 3, &b, &err), EIO, "cut off");
	}
	memcpy(bad, abc, sizeof(bad));
	bad[sizeof(bad) - 1] ^= 1;
	CLEANUP_EXTENT struct extent sum = extent_of(bad, sizeof(bad));
	assert_fails(inflate_all(&sum, 3, &b, &err), EIO, "incorrect data check");
	bad[0] = 0;
	CLEANUP_EXTENT struct extent head = extent_of(bad, sizeof(bad));
	assert_fails(inflate_all(&head, 3, &b, &err), EIO, "incorrect header check");
	/* FDICT, with the header's check bits right again. */
	bad[0] = 0x78;
	bad[1] = 0x20;
	CLEANUP_EXTENT struct extent dict = extent_of(bad, sizeof(bad));
	assert_fails(inflate_all(&dict, 3, &b, &err), EIO, "dictionary");
}

static void no_bytes_at_all_are_an_empty_blob(void **state)
{
	CLEANUP_EXTENT struct extent nothing = extent_of("", 0);
	CLEANUP_EXTENT struct extent stream = compressed("", 0);
	CLEANUP(bytes_unref) struct bytes *a = NULL;
	CLEANUP(bytes_unref) struct bytes *b = NULL;

	(void)state;
	assert_ok(inflate_all(&nothing, 0, &a, &err));
	assert_ok(inflate_all(&stream, 0, &b, &err));
	assert_int_equal(a->size, 0);
	assert_int_equal(b->size, 0);
}

static void a_claim_of_4_gib_allocates_no_such_thing(void **state)
{
	uint8_t *data = sample(10 << 10, 5);
	CLEANUP_EXTENT struct extent x = compressed(data, 10 << 10);
	struct rlimit old;
	struct bytes *b = NULL;

	(void)state;
	free(data);
	getrlimit(RLIMIT_DATA, &old);
#ifndef __SANITIZE_ADDRESS__ /* which wants much more than this itself */
	setrlimit(RLIMIT_DATA,
		&(struct rlimit){.rlim_cur = (rlim_t)256 << 20, .rlim_max = old.rlim_max});
#endif
	assert_fails(inflate_all(&x, (uint64_t)4 << 30, &b, &err), EIO,
		"holds 10240 bytes (declared 4294967296)");
	setrlimit(RLIMIT_DATA, &old);
}

static void a_prefix_needs_only_the_begin_to_be_sound(void **state)
{
	uint8_t *data = sample(100000, 7);
	CLEANUP_EXTENT struct extent x = compressed(data, 100000);
	uint8_t got[64];
	size_t n = 0;

	(void)state;
	/* Cut in the middle: the begin is still there. */
	x.size /= 2;
	assert_ok(inflate_prefix(&x, 100000, got, sizeof(got), &n, &err));
	assert_int_equal(n, sizeof(got));
	assert_memory_equal(got, data, sizeof(got));
	free(data);
}

static void a_prefix_of_all_notices_a_wrong_length(void **state)
{
	CLEANUP_EXTENT struct extent x = extent_of(abc, sizeof(abc));
	uint8_t got[10];
	size_t n = 77;

	(void)state;
	assert_ok(inflate_prefix(&x, 3, got, sizeof(got), &n, &err));
	assert_int_equal(n, 3);
	assert_fails(inflate_prefix(&x, 2, got, sizeof(got), &n, &err), EIO, "declared 2");
	assert_fails(inflate_prefix(&x, 9, got, sizeof(got), &n, &err), EIO, "declared 9");
	assert_int_equal(n, 3);
	assert_ok(inflate_prefix(&x, 9, got, 2, &n, &err));
	assert_int_equal(n, 2);
}

static int read_sample(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	(void)e;
	memcpy(dst, (uint8_t *)arg + off, n);
	return 0;
}

static void deflating_gives_the_bytes_of_compress(void **state)
{
	/* Around the sizes of zlib's window, of our input chunk, and several of them. */
	static const size_t sizes[] = {
		0, 1, 100, 32768, 65274, 65536, 262143, 262144, 262145, 524288 + 7, 3000000};
	CLEANUP(close_fd) int tmp = open(P_tmpdir, O_RDONLY | O_DIRECTORY);

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *data = sample(sizes[i], i + 1);
		CLEANUP_EXTENT struct extent want = compressed(data, sizes[i]);
		CLEANUP_EXTENT struct extent in = extent_of(data, sizes[i]);
		CLEANUP_EXTENT struct extent a = EXTENT_INIT;
		CLEANUP_EXTENT struct extent b = EXTENT_INIT;
		CLEANUP(bytes_unref) struct bytes *got = NULL;

		assert_ok(deflate_all(&in, tmp, &a, &err));
		assert_ok(deflate_from(read_sample, data, sizes[i], tmp, &b, &err));
		assert_int_equal(a.size, want.size);
		assert_int_equal(b.size, want.size);
		assert_ok(extent_load(&a, UINT64_MAX, &got, &err));
		assert_memory_equal(got->data, want.mem->data, want.size);
		bytes_unref(TAKE(got));
		assert_ok(extent_load(&b, UINT64_MAX, &got, &err));
		assert_memory_equal(got->data, want.mem->data, want.size);
		free(data);
	}
}

static int fail_at_300000(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	(void)arg;
	if (off + n > 300000)
		return error_set(e, -EIO, "no more");
	memset(dst, 0, n);
	return 0;
}

static void a_source_that_fails_stops_deflating(void **state)
{
	struct extent x = EXTENT_INIT;

	(void)state;
	assert_fails(deflate_from(fail_at_300000, NULL, 1000000, -1, &x, &err), EIO, "no more");
	assert_null(x.mem);
}

/* A byte of a stream of any length that says where it stands. */
static uint8_t pattern(uint64_t off)
{
	return (uint8_t)(off ^ off >> 8 ^ off >> 16 ^ off >> 24);
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

static void check_pattern(struct inflater *f, uint64_t off, size_t n)
{
	uint8_t *got = malloc(n + 1);

	assert_ok(inflater_read(f, off, got, n, &err));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], pattern(off + i));
	free(got);
}

static void a_large_stream_is_read_at_any_place(void **state)
{
	const uint64_t size = (uint64_t)70 << 20;
	CLEANUP(close_fd) int tmp = open(P_tmpdir, O_RDONLY | O_DIRECTORY);
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	CLEANUP(inflater_destroy) struct inflater *f = NULL;
	uint64_t seed = 3;

	(void)state;
	assert_ok(deflate_from(read_pattern, NULL, size, tmp, &x, &err));
	assert_ok(inflater_create(&x, size, &f, &err));
	check_pattern(f, size - 5, 5);
	check_pattern(f, 0, 100000);
	/* Both sides of a checkpoint, which stand every 16 MiB. */
	check_pattern(f, ((uint64_t)32 << 20) - 3, 6);
	check_pattern(f, (uint64_t)32 << 20, 1);
	check_pattern(f, ((uint64_t)16 << 20) - 1, 1);
	for (int i = 0; i < 10; i++)
		check_pattern(f, next_random(&seed) % (size - 1000), 1000);
	check_pattern(f, size - 1, 1);
	check_pattern(f, size, 0);
	assert_fails(inflater_read(f, size, &seed, 1, &err), EINVAL, "past the end");
	assert_fails(inflater_read(f, UINT64_MAX, &seed, 2, &err), EINVAL, "past the end");
}

static int read_zeros(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	(void)arg;
	(void)off;
	(void)e;
	memset(dst, 0, n);
	return 0;
}

static int count_zeros(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	(void)e;
	assert_true(n <= 65536);
	assert_int_equal(data[0], 0);
	assert_int_equal(data[n - 1], 0);
	*(uint64_t *)arg += n;
	return 0;
}

static void a_gib_is_streamed_in_a_few_mib(void **state)
{
	const uint64_t size = (uint64_t)1 << 30;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	CLEANUP(inflater_destroy) struct inflater *f = NULL;
	uint8_t *chunk = malloc(1 << 20);
	uint64_t n = 0;

	(void)state;
	/* 1 GiB of zeros deflates to 1 MiB, which stays in memory: no directory is needed. */
	assert_ok(deflate_from(read_zeros, NULL, size, -1, &x, &err));
	size_t before = mallinfo2().uordblks;

	assert_ok(inflater_create(&x, size, &f, &err));
	for (uint64_t off = 0; off < size; off += 1 << 20) {
		chunk[0] = 1;
		assert_ok(inflater_read(f, off, chunk, 1 << 20, &err));
		assert_int_equal(chunk[0], 0);
	}
	/* The allocator's own count (nothing under ASan), and the reader's. */
	assert_true(mallinfo2().uordblks - before < 4 << 20);
	assert_true(inflater_memory(f) < 4 << 20);
	assert_ok(inflate_each(&x, size, count_zeros, &n, &err));
	assert_int_equal(n, size);
	free(chunk);
}

static void reading_on_after_a_failure_works(void **state)
{
	uint8_t *data = sample(200000, 9);
	CLEANUP_EXTENT struct extent x = compressed(data, 200000);
	CLEANUP(inflater_destroy) struct inflater *cut = NULL;
	CLEANUP(inflater_destroy) struct inflater *longer = NULL;
	uint8_t got[100];

	(void)state;
	assert_ok(inflater_create(&x, 199999, &longer, &err));
	assert_fails(inflater_read(longer, 199899, got, 100, &err), EIO,
		"holds 200000 bytes (declared 199999)");
	assert_ok(inflater_read(longer, 1000, got, 100, &err));
	assert_memory_equal(got, data + 1000, 100);
	x.size /= 2;
	assert_ok(inflater_create(&x, 200000, &cut, &err));
	assert_fails(inflater_read(cut, 199900, got, 100, &err), EIO, "cut off");
	assert_ok(inflater_read(cut, 1000, got, 100, &err));
	assert_memory_equal(got, data + 1000, 100);
	free(data);
}

static void a_checksum_is_verified_at_the_end_after_seeking_too(void **state)
{
	const uint64_t size = (uint64_t)40 << 20;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	CLEANUP(inflater_destroy) struct inflater *f = NULL;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	uint8_t *copy;
	uint8_t got[4];

	(void)state;
	assert_ok(deflate_from(read_zeros, NULL, size, -1, &x, &err));
	assert_ok(extent_load(&x, UINT64_MAX, &b, &err));
	copy = malloc(b->size);
	memcpy(copy, b->data, b->size);
	copy[b->size - 1] ^= 1;
	CLEANUP_EXTENT struct extent bad = extent_of(copy, b->size);

	free(copy);
	assert_ok(inflater_create(&bad, size, &f, &err));
	assert_ok(inflater_read(f, size - 100, got, 4, &err));
	assert_ok(inflater_read(f, 0, got, 4, &err));
	assert_fails(inflater_read(f, size - 4, got, 4, &err), EIO, "incorrect data check");
}

static int stop_at_once(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	(void)data;
	(void)n;
	(*(int *)arg)++;
	return error_set(e, -ECANCELED, "enough");
}

static void each_stops_when_it_is_told_to(void **state)
{
	CLEANUP_EXTENT struct extent x = extent_of(abc, sizeof(abc));
	int calls = 0;

	(void)state;
	assert_fails(inflate_each(&x, 3, stop_at_once, &calls, &err), ECANCELED, "enough");
	assert_int_equal(calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stored_stream_written_by_hand_inflates),
		cmocka_unit_test(bytes_after_the_stream_are_ignored),
		cmocka_unit_test(a_wrong_declared_size_is_refused_with_both_sizes),
		cmocka_unit_test(a_cut_or_damaged_stream_is_refused_with_zlibs_reason),
		cmocka_unit_test(no_bytes_at_all_are_an_empty_blob),
		cmocka_unit_test(a_claim_of_4_gib_allocates_no_such_thing),
		cmocka_unit_test(a_prefix_needs_only_the_begin_to_be_sound),
		cmocka_unit_test(a_prefix_of_all_notices_a_wrong_length),
		cmocka_unit_test(deflating_gives_the_bytes_of_compress),
		cmocka_unit_test(a_source_that_fails_stops_deflating),
		cmocka_unit_test(a_large_stream_is_read_at_any_place),
		cmocka_unit_test(a_gib_is_streamed_in_a_few_mib),
		cmocka_unit_test(reading_on_after_a_failure_works),
		cmocka_unit_test(a_checksum_is_verified_at_the_end_after_seeking_too),
		cmocka_unit_test(each_stops_when_it_is_told_to),
	};

	return cmocka_run_group_tests_name("inflate", tests, NULL, NULL);
}
