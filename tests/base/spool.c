/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "base/disk/spool.h"

enum { BIG = SPOOL_MEMORY_MAX + 100000 };

static uint8_t *make_noise(size_t n, uint32_t seed)
{
	uint8_t *p = malloc(n);

	assert_non_null(p);
	fill_bytes(p, n, seed);
	return p;
}

static void assert_extent(const struct extent *x, const void *want, size_t n)
{
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	assert_int_equal(extent_load(x, UINT64_MAX, &got, NULL), 0);
	assert_true(bytes_equal_data(got, want, n));
}

static void gaps_are_zeros_at_every_size(void **state)
{
	const struct room *room = *state;
	static const uint64_t at[] = {5, SPOOL_MEMORY_MAX - 1, SPOOL_MEMORY_MAX + 5};

	for (size_t i = 0; i < 3; i++) {
		CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);
		char got[6];

		assert_int_equal(spool_append(s, "abcdef", 6, NULL), 0);
		assert_int_equal(spool_truncate(s, 3, NULL), 0);
		assert_int_equal(spool_write(s, at[i], "xyz", 3, NULL), 0);
		assert_int_equal(spool_size(s), at[i] + 3);
		assert_int_equal(spool_read(s, 0, got, 5, NULL), 0);
		assert_memory_equal(got, "abc\0\0", 5);
		assert_int_equal(spool_read(s, at[i] - 1, got, 4, NULL), 0);
		assert_memory_equal(got, "\0xyz", 4);
		assert_int_equal(spool_read(s, at[i], got, 4, NULL), -EINVAL);
		assert_int_equal(spool_truncate(s, at[i] + 1, NULL), 0);
		assert_int_equal(spool_truncate(s, at[i] + 3, NULL), 0);
		assert_int_equal(spool_read(s, at[i], got, 3, NULL), 0);
		assert_memory_equal(got, "x\0\0", 3);
	}
	assert_int_equal(count_files(room->fd), 0);
}

static void later_changes_do_not_change_an_extent(void **state)
{
	const struct room *room = *state;
	static const size_t sizes[] = {1000, BIG};

	for (size_t i = 0; i < 2; i++) {
		CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);
		CLEANUP_EXTENT struct extent first = EXTENT_INIT;
		CLEANUP_EXTENT struct extent second = EXTENT_INIT;
		CLEANUP_EXTENT struct extent third = EXTENT_INIT;
		size_t n = sizes[i];
		uint8_t *want = make_noise(n, 3);
		uint8_t *other = make_noise(n + 3, 3);

		assert_int_equal(spool_append(s, want, n, NULL), 0);
		assert_int_equal(spool_extent(s, &first, NULL), 0);
		/* Append, then write, then truncate. */
		memcpy(other + n, "end", 3);
		assert_int_equal(spool_append(s, "end", 3, NULL), 0);
		assert_int_equal(spool_extent(s, &second, NULL), 0);
		assert_int_equal(spool_write(s, 10, "ZZZ", 3, NULL), 0);
		assert_extent(&first, want, n);
		assert_extent(&second, other, n + 3);
		assert_int_equal(spool_extent(s, &third, NULL), 0);
		assert_int_equal(spool_truncate(s, 1, NULL), 0);
		assert_int_equal(spool_truncate(s, 0, NULL), 0);
		assert_int_equal(spool_append(s, "new", 3, NULL), 0);
		assert_extent(&first, want, n);
		memcpy(other + 10, "ZZZ", 3);
		assert_extent(&third, other, n + 3);
		free(want);
		free(other);
	}
}

static void without_a_held_extent_spilled_content_is_changed_in_place(void **state)
{
	const struct room *room = *state;
	CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);
	struct extent x = EXTENT_INIT;
	struct fault f = {.at = -1};
	uint8_t *data = make_noise(BIG, 4);

	assert_int_equal(spool_append(s, data, BIG, NULL), 0);
	assert_int_equal(spool_extent(s, &x, NULL), 0);
	assert_non_null(x.file);
	extent_finish(&x);
	fault_set(&f);
	assert_int_equal(spool_write(s, 0, "a", 1, NULL), 0);
	assert_int_equal(f.seen, 1);
	/* An append does not change earlier bytes either. */
	assert_int_equal(spool_extent(s, &x, NULL), 0);
	assert_int_equal(spool_append(s, "b", 1, NULL), 0);
	assert_int_equal(f.seen, 2);
	extent_finish(&x);
	free(data);
}

/* The file that a spool starts with is never written. */
static void a_spool_over_a_file_copies_it_at_the_first_change(void **state)
{
	const struct room *room = *state;
	static const uint64_t sizes[] = {BIG, BIG + 2, 3, 0};
	CLEANUP(free) uint8_t *data = make_noise(BIG + 20, 5);

	put_file(room->fd, "log", data, BIG + 20);
	for (int i = 0; i < 4; i++) {
		CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);
		CLEANUP(bytes_unref) struct bytes *file = NULL;
		CLEANUP_EXTENT struct extent x = EXTENT_INIT;
		CLEANUP_EXTENT struct extent log = extent_of_file(
			file_new(openat(room->fd, "log", O_RDWR | O_CLOEXEC)), 10, BIG);
		uint8_t two[2];

		spool_init_from(s, &log);
		assert_int_equal(spool_size(s), BIG);
		assert_int_equal(spool_read(s, BIG - 2, two, 2, NULL), 0);
		assert_memory_equal(two, data + 10 + BIG - 2, 2);
		assert_int_equal(spool_read(s, BIG - 1, two, 2, NULL), -EINVAL);
		assert_int_equal(spool_extent(s, &x, NULL), 0);
		if (i == 0)
			assert_int_equal(spool_write(s, 3, "xy", 2, NULL), 0);
		else if (i == 1)
			assert_int_equal(spool_append(s, "xy", 2, NULL), 0);
		else if (i == 2)
			assert_int_equal(spool_truncate(s, 3, NULL), 0);
		else
			assert_int_equal(spool_truncate(s, 0, NULL), 0);
		assert_extent(&x, data + 10, BIG);
		file = get_file(room->fd, "log");
		assert_true(bytes_equal_data(file, data, BIG + 20));
		assert_int_equal(spool_size(s), sizes[i]);
		assert_int_equal(spool_append(s, "z", 1, NULL), 0);
		assert_int_equal(spool_read(s, spool_size(s) - 1, two, 1, NULL), 0);
		assert_int_equal(two[0], 'z');
		if (i != 0)
			continue;
		assert_int_equal(spool_read(s, 3, two, 2, NULL), 0);
		assert_memory_equal(two, "xy", 2);
		assert_int_equal(spool_read(s, 5, two, 2, NULL), 0);
		assert_memory_equal(two, data + 15, 2);
	}
}

static void a_disk_error_leaves_size_and_gaps_correct(void **state)
{
	const struct room *room = *state;
	uint8_t *data = make_noise(BIG, 4);

	for (int at = 0;; at++) {
		CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);
		struct fault f = {.at = at, .code = -ENOSPC};
		struct error e = ERROR_INIT;
		uint64_t size = 0;
		uint8_t got[4];
		int r;

		assert_int_equal(spool_append(s, data, 4, &e), 0);
		size = 4;
		fault_set(&f);
		r = spool_write(s, BIG, "tail", 4, &e);
		if (r == 0)
			size = BIG + 4;
		fault_clear();
		assert_int_equal(r, f.hit ? -ENOSPC : 0);
		assert_int_equal(spool_size(s), size);
		assert_int_equal(spool_read(s, 0, got, 4, &e), 0);
		assert_memory_equal(got, data, 4);
		assert_int_equal(spool_truncate(s, BIG + 8, &e), 0);
		assert_int_equal(spool_read(s, BIG, got, 4, &e), 0);
		assert_memory_equal(got, r == 0 ? "tail" : "\0\0\0\0", 4);
		if (!f.hit)
			break;
	}
	free(data);
}

/* The kernel writes up to the file size limit, and reports the limit at the next write. */
static void a_partial_write_is_not_visible(void **state)
{
	const struct room *room = *state;
	CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);
	struct rlimit before, limit;
	char got[200];

	assert_int_equal(spool_truncate(s, BIG, NULL), 0);
	memset(got, 'x', sizeof(got));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = BIG + 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(spool_append(s, got, sizeof(got), NULL), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(spool_size(s), BIG);
	assert_int_equal(spool_write(s, BIG + 150, "y", 1, NULL), 0);
	assert_int_equal(spool_read(s, BIG, got, 151, NULL), 0);
	for (int i = 0; i < 150; i++)
		assert_int_equal(got[i], 0);
}

static int take_bytes(void *arg, const void *data, size_t n, struct error *e)
{
	struct buffer *b = arg;

	buffer_append(b, data, n);
	return b->size > 6 ? error_set(e, -ENOSPC, "no more") : 0;
}

static void a_sink_spool_passes_all_bytes_on(void **state)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	CLEANUP(spool_destroy) struct spool *s = spool_create_sink(take_bytes, &b);
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(spool_append(s, "abc", 3, &err), 0);
	assert_int_equal(spool_append(s, "def", 3, &err), 0);
	assert_int_equal(spool_size(s), 6);
	assert_memory_equal(b.data, "abcdef", 6);
	assert_int_equal(spool_append(s, "g", 1, &err), -ENOSPC);
	assert_int_equal(spool_size(s), 6);
}

static void sizes_beyond_any_file_are_refused(void **state)
{
	const struct room *room = *state;
	CLEANUP(spool_destroy) struct spool *s = spool_create(room->fd);

	assert_int_equal(spool_write(s, INT64_MAX, "a", 1, NULL), -EFBIG);
	assert_int_equal(spool_write(s, UINT64_MAX, "a", 1, NULL), -EFBIG);
	assert_int_equal(spool_truncate(s, UINT64_MAX, NULL), -EFBIG);
	assert_int_equal(spool_size(s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sink_spool_passes_all_bytes_on),
		cmocka_unit_test_setup_teardown(
			gaps_are_zeros_at_every_size, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			later_changes_do_not_change_an_extent, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			without_a_held_extent_spilled_content_is_changed_in_place, room_setup,
			room_teardown),
		cmocka_unit_test_setup_teardown(a_spool_over_a_file_copies_it_at_the_first_change,
			room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			a_disk_error_leaves_size_and_gaps_correct, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			a_partial_write_is_not_visible, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			sizes_beyond_any_file_are_refused, room_setup, room_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
