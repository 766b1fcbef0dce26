/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/disk/spool.h"
#include "codec/zlib/checksum.h"
#include "codec/zlib/inflate.h"

static struct error err;

/* The zlib stream of "abc", written by hand: a stored block and the Adler-32 of RFC 1950. */
static const uint8_t abc[] = {
	0x78, 0x01, 0x01, 3, 0, 0xfc, 0xff, 'a', 'b', 'c', 0x02, 0x4d, 0x01, 0x27};

static struct extent make_compressed(const void *data, size_t n)
{
	uLongf size = compressBound((uLong)n);
	uint8_t *out = malloc(size);
	struct extent x;

	assert_int_equal(compress(out, &size, data, (uLong)n), Z_OK);
	x = extent_of(out, size);
	free(out);
	return x;
}

/* Half random and half repeated, so that matches, literals and several blocks occur. */
static uint8_t *make_sample(size_t n, uint64_t seed)
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

static void a_handwritten_stored_stream_is_inflated(void **state)
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

		assert_fails(inflate_all(&x, 3, &b, &err), EIO, "truncated");
	}
	memcpy(bad, abc, sizeof(bad));
	bad[sizeof(bad) - 1] ^= 1;
	CLEANUP_EXTENT struct extent sum = extent_of(bad, sizeof(bad));
	assert_fails(inflate_all(&sum, 3, &b, &err), EIO, "incorrect data check");
	bad[0] = 0;
	CLEANUP_EXTENT struct extent head = extent_of(bad, sizeof(bad));
	assert_fails(inflate_all(&head, 3, &b, &err), EIO, "incorrect header check");
	/* FDICT, with valid check bits of the header. */
	bad[0] = 0x78;
	bad[1] = 0x20;
	CLEANUP_EXTENT struct extent dict = extent_of(bad, sizeof(bad));
	assert_fails(inflate_all(&dict, 3, &b, &err), EIO, "dictionary");
}

static void no_bytes_give_an_empty_blob(void **state)
{
	CLEANUP_EXTENT struct extent nothing = extent_of("", 0);
	CLEANUP_EXTENT struct extent stream = make_compressed("", 0);
	CLEANUP(bytes_unref) struct bytes *a = NULL;
	CLEANUP(bytes_unref) struct bytes *b = NULL;

	(void)state;
	assert_ok(inflate_all(&nothing, 0, &a, &err));
	assert_ok(inflate_all(&stream, 0, &b, &err));
	assert_int_equal(a->size, 0);
	assert_int_equal(b->size, 0);
}

static void a_declared_size_of_4_gib_does_not_allocate_4_gib(void **state)
{
	uint8_t *data = make_sample(10 << 10, 5);
	CLEANUP_EXTENT struct extent x = make_compressed(data, 10 << 10);
	struct rlimit old;
	struct bytes *b = NULL;

	(void)state;
	free(data);
	getrlimit(RLIMIT_DATA, &old);
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer itself needs far more memory */
	setrlimit(RLIMIT_DATA,
		&(struct rlimit){.rlim_cur = (rlim_t)256 << 20, .rlim_max = old.rlim_max});
#endif
	assert_fails(inflate_all(&x, (uint64_t)4 << 30, &b, &err), EIO,
		SIZE_MAX > UINT32_MAX ? "holds 10240 bytes (declared 4294967296)"
				      : "the declared size is too large");
	setrlimit(RLIMIT_DATA, &old);
}

static void a_prefix_needs_only_a_sound_beginning(void **state)
{
	uint8_t *data = make_sample(100000, 7);
	CLEANUP_EXTENT struct extent x = make_compressed(data, 100000);
	uint8_t got[64];
	size_t n = 0;

	(void)state;
	/* The stream ends in the middle; its beginning is present. */
	x.size /= 2;
	assert_ok(inflate_prefix(&x, 100000, got, sizeof(got), &n, &err));
	assert_int_equal(n, sizeof(got));
	assert_memory_equal(got, data, sizeof(got));
	free(data);
}

static void a_prefix_of_the_full_size_detects_a_wrong_length(void **state)
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

static void deflate_gives_the_same_bytes_as_zlibs_compress(void **state)
{
	/* Sizes around zlib's window, our input chunk, and several of these chunks. */
	static const size_t sizes[] = {
		0, 1, 100, 32768, 65274, 65536, 262143, 262144, 262145, 524288 + 7, 3000000};
	CLEANUP(close_fd) int tmp = open(P_tmpdir, O_RDONLY | O_DIRECTORY);

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *data = make_sample(sizes[i], i + 1);
		CLEANUP_EXTENT struct extent want = make_compressed(data, sizes[i]);
		CLEANUP_EXTENT struct extent in = extent_of(data, sizes[i]);
		CLEANUP_EXTENT struct extent a = EXTENT_INIT;
		CLEANUP_EXTENT struct extent b = EXTENT_INIT;
		CLEANUP(bytes_unref) struct bytes *got = NULL;
		CLEANUP_EXTENT struct extent pieces = EXTENT_INIT;
		CLEANUP(deflater_destroy) struct deflater *d = deflater_create(tmp);
		bool same = false;

		for (size_t at = 0, n = 1; at < sizes[i]; at += n, n = (n * 7 + i) % 5000 + 1) {
			if (n > sizes[i] - at)
				n = sizes[i] - at;
			assert_ok(deflater_append(d, data + at, n, &err));
		}
		assert_ok(deflater_end(d, &pieces, &err));
		assert_int_equal(pieces.size, want.size);
		assert_ok(extent_equal(&pieces, &want, &same, &err));
		assert_true(same);
		assert_ok(deflate_all(&in, tmp, &a, &err));
		assert_ok(deflate_from(read_sample, data, sizes[i], tmp, &b, &err));
		assert_int_equal(a.size, want.size);
		assert_int_equal(b.size, want.size);
		assert_ok(extent_load(&a, UINT64_MAX, &got, &err));
		assert_memory_equal(got->data, want.mem->data, (size_t)want.size);
		bytes_unref(TAKE(got));
		assert_ok(extent_load(&b, UINT64_MAX, &got, &err));
		assert_memory_equal(got->data, want.mem->data, (size_t)want.size);
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

static void a_failing_source_stops_deflate(void **state)
{
	struct extent x = EXTENT_INIT;

	(void)state;
	assert_fails(deflate_from(fail_at_300000, NULL, 1000000, -1, &x, &err), EIO, "no more");
	assert_null(x.mem);
}

/* A byte that depends on its offset in a stream of any length. */
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

static void check_stretch(
	struct bytes *c, const struct extent *x, uint64_t size, uint64_t length, uint64_t i)
{
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	uint64_t n = size - i * length < length ? size - i * length : length;

	assert_ok(stretch_load(c, x, size, i, &got, &err));
	assert_int_equal(got->size, n);
	for (size_t k = 0; k < got->size; k++)
		if (got->data[k] != pattern(i * length + k))
			fail_msg("stretch %d, byte %zu", (int)i, k);
}

static void each_stretch_inflates_only_its_own_length(void **state)
{
	const uint64_t length = 1 << 20, size = 5 * length + 12345;
	CLEANUP(bytes_unref) struct bytes *c = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	uint64_t before = inflate_total();

	(void)state;
	assert_ok(deflate_from(read_pattern, NULL, size, -1, &x, &err));
	assert_ok(stretch_prepare(&x, size, length, NULL, NULL, &c, &err));
	assert_int_equal(inflate_total() - before, size);
	before = inflate_total();
	for (uint64_t i = 6; i-- > 0;)
		check_stretch(c, &x, size, length, i);
	assert_int_equal(inflate_total() - before, size);
	before = inflate_total();
	check_stretch(c, &x, size, length, 3);
	assert_int_equal(inflate_total() - before, length);
}

static void a_stream_of_at_most_one_stretch_needs_no_checkpoint(void **state)
{
	static const uint64_t sizes[] = {0, 1, 65536, 65537};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		CLEANUP(bytes_unref) struct bytes *c = NULL;
		CLEANUP_EXTENT struct extent x = EXTENT_INIT;

		assert_ok(deflate_from(read_pattern, NULL, sizes[k], -1, &x, &err));
		assert_ok(stretch_prepare(&x, sizes[k], 65536, NULL, NULL, &c, &err));
		for (uint64_t i = 0; i * 65536 < sizes[k]; i++)
			check_stretch(c, &x, sizes[k], 65536, i);
	}
}

static void stretches_are_longer_if_checkpoints_would_take_too_much(void **state)
{
	const uint64_t gib = 1 << 30;

	(void)state;
	assert_int_equal(stretch_length(gib, 64 << 20), STRETCH);
	assert_true(stretch_length(gib, 8 << 20) > STRETCH);
	assert_true(gib / stretch_length(gib, 8 << 20) * (40 << 10) <= 8 << 20);
	assert_int_equal(stretch_length(gib, 8 << 20) % 65536, 0);
	assert_int_equal(stretch_length(0, 4 << 20), STRETCH);
	/* With little data, stretches are short and balanced with the checkpoints. */
	assert_int_equal(stretch_length(0, 1 << 20), 256 << 10);
	assert_int_equal(stretch_length(0, 0), 64 << 10);
	assert_true(stretch_length(gib, 0) <= 8 << 20);
	assert_true(gib / stretch_length(gib, 0) * (40 << 10) <= stretch_length(gib, 0));
	assert_true(stretch_length(UINT64_MAX / 2, 0) > 0);
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

static void a_gib_is_streamed_with_a_few_mib_of_memory(void **state)
{
	const uint64_t size = (uint64_t)1 << 30;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	CLEANUP(bytes_unref) struct bytes *c = NULL;
	uint64_t n = 0;

	(void)state;
	/* 1 GiB of zeros deflates to 1 MiB, which stays in memory and needs no directory. */
	assert_ok(deflate_from(read_zeros, NULL, size, -1, &x, &err));
	size_t before = mallinfo2().uordblks;

	assert_ok(stretch_prepare(
		&x, size, stretch_length(size, 8 << 20), count_zeros, &n, &c, &err));
	assert_int_equal(n, size);
	/* Both the allocator's own count (nothing under ASan) and the counted size are bounded. */
	assert_true(mallinfo2().uordblks - before < 9 << 20);
	assert_true(c->size <= 9 << 20);
}

static void a_stream_is_checked_before_its_stretches_can_be_read(void **state)
{
	uint8_t *data = make_sample(200000, 9);
	CLEANUP_EXTENT struct extent x = make_compressed(data, 200000);
	CLEANUP(bytes_unref) struct bytes *whole = NULL, *c = NULL;
	size_t size = (size_t)x.size;
	uint8_t *copy = malloc(size);

	(void)state;
	assert_ok(extent_load(&x, UINT64_MAX, &whole, &err));
	memcpy(copy, whole->data, size);
	copy[size - 1] ^= 1;
	CLEANUP_EXTENT struct extent bad = extent_of(copy, size);

	assert_fails(stretch_prepare(&x, 199999, 65536, NULL, NULL, &c, &err), EIO,
		"holds 200000 bytes (declared 199999)");
	assert_fails(stretch_prepare(&x, 200001, 65536, NULL, NULL, &c, &err), EIO,
		"holds 200000 bytes (declared 200001)");
	assert_fails(stretch_prepare(&bad, 200000, 65536, NULL, NULL, &c, &err), EIO,
		"incorrect data check");
	x.size /= 2;
	assert_fails(stretch_prepare(&x, 200000, 65536, NULL, NULL, &c, &err), EIO, "truncated");
	free(copy);
	free(data);
}

static int collect(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	struct buffer *b = arg;

	(void)e;
	buffer_append(b, data, n);
	return b->error;
}

/*
 * Does a stream get the same verdict and message as a whole and in chunks? Only zlib reads chunks.
 */
static bool have_same_verdict(const struct extent *x, uint64_t declared)
{
	CLEANUP_BUFFER struct buffer chunks = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	struct error one = ERROR_INIT, other = ERROR_INIT;
	int r = inflate_all(x, declared, &whole, &one);

	assert_int_equal(inflate_each(x, declared, collect, &chunks, &other), r);
	assert_string_equal(one.text, other.text);
	if (r < 0)
		return false;
	assert_int_equal(whole->size, chunks.size);
	assert_true(!whole->size || memcmp(whole->data, chunks.data, chunks.size) == 0);
	return true;
}

/* Write a stream of any kind that zlib writes. */
static struct extent write_stream(const uint8_t *data, size_t n, int level, int strategy, int bits)
{
	size_t room = n + n / 8 + 1000;
	uint8_t *out = malloc(room);
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
		.avail_in = (uInt)n,
		.next_out = out,
		.avail_out = (uInt)room};
	struct extent x;

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, bits, 8, strategy), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	x = extent_of(out, z.total_out);
	deflateEnd(&z);
	free(out);
	return x;
}

static void whole_streams_get_the_verdict_of_zlib(void **state)
{
	static const int levels[] = {0, 1, 6, 9};
	static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
	static const size_t sizes[] = {1, 300, 70000};
	size_t accepted = 0, refused = 0;
	uint64_t seed = 17;

	(void)state;
	for (size_t i = 0; i < 4 * 4 * 3; i++) {
		size_t n = sizes[i % 3];
		uint8_t *data = make_sample(n, i + 1), *bad;
		CLEANUP_EXTENT struct extent x = write_stream(
			data, n, levels[i / 3 % 4], strategies[i / 12], 9 + (int)i % 7);
		CLEANUP(bytes_unref) struct bytes *stream = NULL;

		assert_ok(extent_load(&x, UINT64_MAX, &stream, &err));
		assert_true(have_same_verdict(&x, n));
		assert_false(have_same_verdict(&x, n - 1) || have_same_verdict(&x, n + 1));
		bad = malloc(stream->size);
		for (size_t k = 0; k < 300; k++) {
			size_t most = k % 2 ? stream->size : 40;
			size_t at = (size_t)(next_random(&seed) % most) % stream->size;
			CLEANUP_EXTENT struct extent y = EXTENT_INIT;

			memcpy(bad, stream->data, stream->size);
			bad[at] ^= (uint8_t)(1 << k % 8);
			y = extent_of(bad, k % 5 ? stream->size : at);
			*(have_same_verdict(&y, n) ? &accepted : &refused) += 1;
		}
		free(bad);
		free(data);
	}
	assert_true(accepted > 0 && refused > 10000);
}

/*
 * Wrap raw deflate data as a zlib stream with the checksum of what libdeflate decodes. False if
 * libdeflate refuses the data.
 */
static bool wrap_deflate(const uint8_t *raw, size_t n, struct extent *ret, size_t *ret_declared)
{
	enum { ROOM = 1 << 20 };
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	CLEANUP(free) uint8_t *out = malloc(ROOM);
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	size_t used;
	bool good = libdeflate_deflate_decompress_ex(d, raw, n, out, ROOM, &used, ret_declared) ==
		    LIBDEFLATE_SUCCESS;

	libdeflate_free_decompressor(d);
	if (!good)
		return false;
	buffer_byte(&b, 0x78);
	buffer_byte(&b, 0x9c);
	buffer_append(&b, raw, used);
	for (unsigned i = 0, sum = (unsigned)adler32(1, out, (uInt)*ret_declared); i < 4; i++)
		buffer_byte(&b, (uint8_t)(sum >> (24 - 8 * i)));
	*ret = extent_of(b.data, b.size);
	return true;
}

struct bits {
	struct buffer out;
	unsigned at;
};

static void put_bits(struct bits *b, unsigned value, unsigned n)
{
	for (unsigned i = 0; i < n; i++, b->at++) {
		if (b->at % 8 == 0)
			buffer_byte(&b->out, 0);
		b->out.data[b->at / 8] |= (uint8_t)((value >> i & 1) << b->at % 8);
	}
}

/* Huffman codes are stored with their bits reversed. */
static void put_code(struct bits *b, unsigned code, unsigned n)
{
	for (unsigned i = n; i; i--)
		put_bits(b, code >> (i - 1) & 1, 1);
}

/* Write enough bytes for any distance. */
static void put_stored(struct bits *b)
{
	static const uint8_t zeros[40000];

	put_bits(b, 0, 8);
	put_bits(b, sizeof(zeros), 16);
	put_bits(b, ~(unsigned)sizeof(zeros), 16);
	buffer_append(&b->out, zeros, sizeof(zeros));
	b->at += 8 * (unsigned)sizeof(zeros);
}

/*
 * Code of "a" is 0, of the end 10, of a length of three 11. Code lengths 0 to 14 are written in
 * four bits, and 15 starts a run of zeros.
 */
static void put_codes(struct bits *b, unsigned n_literals, const uint8_t *distances, unsigned n)
{
	static const uint8_t order[] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

	put_bits(b, 1 | 2 << 1, 3);
	put_bits(b, n_literals - 257, 5);
	put_bits(b, n - 1, 5);
	put_bits(b, 15, 4);
	for (size_t i = 0; i < sizeof(order); i++)
		put_bits(b, order[i] == 18 || order[i] < 15 ? 4 : 0, 3);
	for (unsigned i = 0; i < n_literals; i++)
		put_code(b, i == 'a' ? 1 : i == 256 || i == 257 ? 2 : 0, 4);
	for (unsigned i = 0; i < n; i++)
		put_code(b, distances[i], 4);
}

enum { RUN = 15 };

static const struct forged {
	const char *what;
	unsigned literals; /* 0: the fixed codes */
	uint8_t distances[32];
	unsigned n_distances;
	unsigned match, n_match; /* the bits that follow, up to the end of the block */
	bool sound;
} forged[] = {
	{"two distances", 258, {1, 1}, 2, 3 << 1 | 1, 3, true},
	{"one distance", 258, {1}, 1, 3 << 1, 3, true},
	{"one distance, and its other bit", 258, {1}, 1, 3 << 1 | 1, 3, false},
	{"no distance, and one is used", 258, {0}, 1, 3 << 1, 3, false},
	{"287 literals", 287, {1, 1}, 2, 3 << 1, 3, false},
	{"288 literals", 288, {1, 1}, 2, 3 << 1, 3, false},
	{"31 distances", 258, {1, 1}, 31, 3 << 1, 3, false},
	{"32 distances", 258, {1, 1}, 32, 3 << 1, 3, false},
	{"lengths beyond the last", 258, {1, 1, RUN}, 4, 3 << 1, 3, false},
	{"a fixed match", 0, {0}, 0, 1 << 5, 12, true},
	{"literal 286", 0, {0}, 0, 0xc6 << 5, 13, false},
	{"literal 287", 0, {0}, 0, 0xc7 << 5, 13, false},
	{"distance 30", 0, {0}, 0, 1 << 18 | 30 << 13, 25, false},
	{"distance 31", 0, {0}, 0, 1 << 18 | 31 << 13, 25, false},
};

/* Streams that libdeflate accepts and zlib refuses are refused. */
static void forged_streams_get_the_verdict_of_zlib(void **state)
{
	size_t taken = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		const struct forged *f = &forged[i];
		CLEANUP_EXTENT struct extent x = EXTENT_INIT;
		struct bits b = {.out = BUFFER_INIT};
		size_t declared;
		bool good = false;

		put_stored(&b);
		if (f->literals)
			put_codes(&b, f->literals, f->distances, f->n_distances);
		else
			put_bits(&b, 1 | 1 << 1, 3);
		put_code(&b, f->match, f->n_match);
		put_code(&b, f->literals ? 2 : 0, f->literals ? 2 : 7);
		/* Spare bits for a decoder that reads ahead. */
		put_bits(&b, 0, 16);
		if (wrap_deflate(b.out.data, b.out.size, &x, &declared)) {
			good = have_same_verdict(&x, declared);
			taken += !f->sound;
		}
		if (good != f->sound)
			fail_msg("%s", f->what);
		buffer_finish_free(&b.out);
	}
	/* Other versions of libdeflate may differ in some cases. */
	assert_true(taken > 0);
}

/* Sound streams with some bits flipped and a corrected checksum. */
static void changed_streams_get_the_verdict_of_zlib(void **state)
{
	size_t accepted = 0, refused = 0;
	uint64_t seed = 23;

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		size_t n = i % 2 ? 300 : 5000;
		uint8_t *data = make_sample(n, i + 1);
		CLEANUP_EXTENT struct extent x = write_stream(data, n, 6, i % 3 ? 0 : Z_FIXED, 15);
		CLEANUP(bytes_unref) struct bytes *stream = NULL;
		size_t size = (size_t)x.size;
		CLEANUP(free) uint8_t *bad = malloc(size);

		assert_ok(extent_load(&x, UINT64_MAX, &stream, &err));
		for (size_t k = 0; k < 500; k++) {
			CLEANUP_EXTENT struct extent y = EXTENT_INIT;
			size_t most = k % 2 ? 60 : size - 6, declared;
			size_t at = (size_t)(next_random(&seed) % most);

			memcpy(bad, stream->data, size);
			bad[2 + at] ^= (uint8_t)(1 << next_random(&seed) % 8);
			if (wrap_deflate(bad + 2, size - 6, &y, &declared))
				*(have_same_verdict(&y, declared) ? &accepted : &refused) += 1;
		}
		free(data);
	}
	print_message("accepted %zu, refused by zlib alone %zu\n", accepted, refused);
	assert_true(accepted > 100);
}

static void checksums_equal_those_of_zlib(void **state)
{
	uint8_t *data = make_sample(100000, 5);
	uint32_t crc = CRC32_START, adler = ADLER32_START;

	(void)state;
	for (size_t at = 0, n = 0; at + n <= 100000; at += n++) {
		crc = checksum_crc32(crc, data + at, n);
		adler = checksum_adler32(adler, data + at, n);
		assert_int_equal(crc, crc32(0, data, (uInt)(at + n)));
		assert_int_equal(adler, adler32(1, data, (uInt)(at + n)));
	}
	assert_int_equal(checksum_crc32(7, NULL, 0), 7);
	assert_int_equal(checksum_adler32(7, NULL, 0), 7);
	free(data);
}

static int stop_at_once(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	(void)data;
	(void)n;
	(*(int *)arg)++;
	return error_set(e, -ECANCELED, "enough");
}

static void inflate_each_stops_if_the_callback_fails(void **state)
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
		cmocka_unit_test(a_handwritten_stored_stream_is_inflated),
		cmocka_unit_test(bytes_after_the_stream_are_ignored),
		cmocka_unit_test(a_wrong_declared_size_is_refused_with_both_sizes),
		cmocka_unit_test(a_cut_or_damaged_stream_is_refused_with_zlibs_reason),
		cmocka_unit_test(no_bytes_give_an_empty_blob),
		cmocka_unit_test(a_declared_size_of_4_gib_does_not_allocate_4_gib),
		cmocka_unit_test(a_prefix_needs_only_a_sound_beginning),
		cmocka_unit_test(a_prefix_of_the_full_size_detects_a_wrong_length),
		cmocka_unit_test(deflate_gives_the_same_bytes_as_zlibs_compress),
		cmocka_unit_test(a_failing_source_stops_deflate),
		cmocka_unit_test(each_stretch_inflates_only_its_own_length),
		cmocka_unit_test(a_stream_of_at_most_one_stretch_needs_no_checkpoint),
		cmocka_unit_test(stretches_are_longer_if_checkpoints_would_take_too_much),
		cmocka_unit_test(a_gib_is_streamed_with_a_few_mib_of_memory),
		cmocka_unit_test(a_stream_is_checked_before_its_stretches_can_be_read),
		cmocka_unit_test(whole_streams_get_the_verdict_of_zlib),
		cmocka_unit_test(forged_streams_get_the_verdict_of_zlib),
		cmocka_unit_test(changed_streams_get_the_verdict_of_zlib),
		cmocka_unit_test(checksums_equal_those_of_zlib),
		cmocka_unit_test(inflate_each_stops_if_the_callback_fails),
	};

	return cmocka_run_group_tests_name("inflate", tests, NULL, NULL);
}
