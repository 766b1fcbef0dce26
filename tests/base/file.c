/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/disk/file.h"

static struct file *open_hello(const struct room *room)
{
	put_file(room->fd, "f", "hello world", 11);
	return file_new(openat(room->fd, "f", O_RDONLY));
}

static void reads_exactly_or_fails(void **state)
{
	CLEANUP(file_unref) struct file *f = open_hello(*state);
	struct error e = ERROR_INIT;
	char got[12] = "";

	assert_int_equal(file_read(f, 6, got, 5, &e), 0);
	assert_memory_equal(got, "world", 5);
	assert_int_equal(file_read(f, 6, got, 6, &e), -EIO);
	assert_int_equal(file_read(f, 11, got, 0, &e), 0);
	assert_int_equal(file_read(f, UINT64_MAX, got, 1, &e), -EINVAL);
}

static void the_last_reference_closes_the_file(void **state)
{
	struct file *f = open_hello(*state);
	struct file *other = file_ref(f);
	int fd = f->fd;

	file_unref(f);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	file_unref(other);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	file_unref(NULL);
}

static void extents_stay_within_their_bounds(void **state)
{
	CLEANUP_EXTENT struct extent in_file = extent_of_file(open_hello(*state), 2, 5);
	CLEANUP_EXTENT struct extent in_memory = extent_of_bytes(bytes_copy("hello world", 11));
	struct error e = ERROR_INIT;
	char got[8];

	assert_int_equal(extent_read(&in_file, 1, got, 4, &e), 0);
	assert_memory_equal(got, "lo w", 4);
	assert_int_equal(extent_read(&in_file, 1, got, 5, &e), -EINVAL);
	assert_int_equal(extent_read(&in_file, 6, got, 0, &e), -EINVAL);
	in_memory.off = 2;
	in_memory.size = 5;
	assert_int_equal(extent_read(&in_memory, 1, got, 4, &e), 0);
	assert_memory_equal(got, "lo w", 4);
	assert_int_equal(extent_read(&in_memory, UINT64_MAX, got, 2, &e), -EINVAL);
}

static void load_copies_only_if_necessary(void **state)
{
	CLEANUP_EXTENT struct extent whole = extent_of_bytes(bytes_copy("hello", 5));
	CLEANUP_EXTENT struct extent part = extent_ref(&whole);
	CLEANUP_EXTENT struct extent in_file = extent_of_file(open_hello(*state), 6, 5);
	CLEANUP_EXTENT struct extent empty = EXTENT_INIT;
	struct bytes *got;
	struct error e = ERROR_INIT;

	assert_int_equal(extent_load(&whole, 5, &got, &e), 0);
	assert_ptr_equal(got, whole.mem);
	bytes_unref(got);
	part.off = 1;
	part.size = 3;
	assert_int_equal(extent_load(&part, 5, &got, &e), 0);
	assert_true(bytes_equal_data(got, "ell", 3));
	bytes_unref(got);
	assert_int_equal(extent_load(&in_file, 5, &got, &e), 0);
	assert_true(bytes_equal_data(got, "world", 5));
	bytes_unref(got);
	assert_int_equal(extent_load(&empty, 0, &got, &e), 0);
	assert_int_equal(got->size, 0);
	bytes_unref(got);
	assert_int_equal(extent_load(&in_file, 4, &got, &e), -EFBIG);
}

/* Sizes around the step of the comparison, at odd offsets; one byte is changed at a time. */
static void equal_compares_every_byte(void **state)
{
	enum { SIZE = 120000, STEP = 52 << 10, AT = 4097 };
	static const size_t sizes[] = {0, 1, 4096, STEP - 1, STEP, STEP + 1, SIZE};
	const struct room *room = *state;
	static uint8_t data[AT + SIZE];
	struct error e = ERROR_INIT;
	bool same_bytes;

	fill_bytes(data, sizeof(data), 3);
	put_file(room->fd, "a", data, sizeof(data));
	put_file(room->fd, "b", data + AT - 13, SIZE + 13);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i], changed[] = {0, n / 2, n - 1, STEP - 1, STEP};
		CLEANUP(close_fd) int fd = openat(room->fd, "b", O_RDWR);
		CLEANUP_EXTENT struct extent a =
			extent_of_file(file_new(openat(room->fd, "a", O_RDONLY)), AT, n);
		CLEANUP_EXTENT struct extent b =
			extent_of_file(file_new(openat(room->fd, "b", O_RDONLY)), 13, n);

		assert_int_equal(extent_equal(&a, &b, &same_bytes, &e), 0);
		assert_true(same_bytes);
		for (size_t k = 0; k < 5; k++) {
			uint8_t *byte = &data[AT + changed[k]], other = (uint8_t) ~*byte;

			if (changed[k] >= n)
				continue;
			assert_int_equal(pwrite(fd, &other, 1, 13 + (off_t)changed[k]), 1);
			assert_int_equal(extent_equal(&a, &b, &same_bytes, &e), 0);
			assert_false(same_bytes);
			assert_int_equal(pwrite(fd, byte, 1, 13 + (off_t)changed[k]), 1);
		}
		a.size = b.size = SIZE + 1;
		assert_int_equal(extent_equal(&a, &b, &same_bytes, &e), -EIO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_exactly_or_fails, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			the_last_reference_closes_the_file, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			extents_stay_within_their_bounds, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			load_copies_only_if_necessary, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			equal_compares_every_byte, room_setup, room_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
