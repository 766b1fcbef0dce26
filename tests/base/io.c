/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/io_copy.h"

static void every_call_asks_the_hook_first(void **state)
{
	const struct room *room = *state;
	struct fault f = {.at = 0, .code = -ENOSPC, .and_after = true};
	char name[256];
	int fd;

	put_file(room->fd, "f", "old", 3);
	fd = openat(room->fd, "f", O_RDWR);
	fault_set(&f);
	assert_int_equal(io_openat(room->fd, "new", O_CREAT | O_WRONLY, 0600), -ENOSPC);
	assert_int_equal(io_tmpfile(room->fd), -ENOSPC);
	assert_int_equal(io_temporary(room->fd, "t", 0600, name), -ENOSPC);
	assert_int_equal(io_write(fd, "x", 1), -ENOSPC);
	assert_int_equal(io_pwrite(fd, "x", 1, 0), -ENOSPC);
	assert_int_equal(io_copy(fd, 0, 1, fd), -ENOSPC);
	assert_int_equal(io_truncate(fd, 0), -ENOSPC);
	assert_int_equal(io_sync(fd), -ENOSPC);
	assert_int_equal(io_sync_dir(room->fd), -ENOSPC);
	assert_int_equal(io_datasync(fd), -ENOSPC);
	assert_int_equal(io_sync_fs(fd), -ENOSPC);
	assert_int_equal(io_rename(room->fd, "f", "g"), -ENOSPC);
	assert_int_equal(io_rename_noreplace(room->fd, "f", "g"), -ENOSPC);
	assert_int_equal(io_unlink(room->fd, "f"), -ENOSPC);
	assert_int_equal(io_mkdir(room->fd, "d", 0700), -ENOSPC);
	assert_int_equal(io_chmod(fd, 0), -ENOSPC);
	assert_int_equal(io_chown(fd, 1, 1), -ENOSPC);
	assert_int_equal(io_set_xattr(fd, "user.a", "", 0), -ENOSPC);
	assert_int_equal(io_remove_xattr(fd, "user.a"), -ENOSPC);
	assert_int_equal(f.seen, 19);
	fault_clear();
	close(fd);
	assert_int_equal(count_files(room->fd), 1);
}

static void noreplace_does_not_replace_a_file(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	put_file(room->fd, "a", "A", 1);
	put_file(room->fd, "b", "B", 1);
	assert_int_equal(io_rename_noreplace(room->fd, "a", "b"), -EEXIST);
	got = get_file(room->fd, "b");
	assert_true(bytes_equal_data(got, "B", 1));
	assert_int_equal(io_rename_noreplace(room->fd, "a", "c"), 0);
	assert_int_equal(count_files(room->fd), 2);
	assert_int_equal(faccessat(room->fd, "c", F_OK, 0), 0);
}

/* Some file systems lack the flag (NTFS, shares): test files and directories. */
static void noreplace_works_without_the_kernel_flag(void **state)
{
	const struct room *room = *state;
	struct fault f = {.code = -EINVAL};

	for (int i = 0; i < 2; i++) {
		if (i == 0) {
			put_file(room->fd, "a", "A", 1);
			put_file(room->fd, "b", "B", 1);
		} else {
			assert_int_equal(io_mkdir(room->fd, "a", 0700), 0);
			assert_int_equal(io_mkdir(room->fd, "b", 0700), 0);
			put_file(room->fd, "a/in", "A", 1);
		}
		f.seen = 0;
		fault_set(&f);
		assert_int_equal(io_rename_noreplace(room->fd, "a", "b"), -EEXIST);
		f.seen = 0;
		assert_int_equal(io_rename_noreplace(room->fd, "a", "c"), 0);
		fault_clear();
		assert_int_equal(faccessat(room->fd, i ? "c/in" : "c", F_OK, 0), 0);
		assert_int_equal(faccessat(room->fd, "a", F_OK, 0), -1);
		assert_int_equal(unlinkat(room->fd, "b", i ? AT_REMOVEDIR : 0), 0);
		assert_int_equal(unlinkat(room->fd, i ? "c/in" : "c", 0), 0);
	}
}

static void copy_appends_a_range(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	CLEANUP(close_fd) int from = -1;
	CLEANUP(close_fd) int to = -1;
	static uint8_t data[300000];

	fill_bytes(data, sizeof(data), 5);
	put_file(room->fd, "from", data, sizeof(data));
	from = openat(room->fd, "from", O_RDONLY);
	to = openat(room->fd, "to", O_WRONLY | O_CREAT, 0600);
	assert_int_equal(io_write(to, data, 10), 0);
	assert_int_equal(io_copy(from, 10, sizeof(data) - 10, to), 0);
	got = get_file(room->fd, "to");
	assert_true(bytes_equal_data(got, data, sizeof(data)));
	/* The file ends before the range does. */
	assert_int_equal(io_copy(from, sizeof(data) - 1, 2, to), -EIO);
}

/* Copy between different offsets within a page, with sizes around the chunk size. */
static void copy_works_between_any_offsets(void **state)
{
	enum { SIZE = (2 << 20) + 5000 };
	static const size_t begins[] = {0, 1, 4095, 4096, 4097}, before[] = {0, 1, 13, 4096, 5000};
	const struct room *room = *state;
	CLEANUP(close_fd) int from = -1;
	uint8_t *data = malloc(SIZE);

	fill_bytes(data, SIZE, 15);
	put_file(room->fd, "from", data, SIZE);
	from = openat(room->fd, "from", O_RDONLY);
	for (size_t i = 0; i < 25; i++) {
		size_t off = begins[i % 5], at = before[i / 5], n = SIZE - off - i;
		CLEANUP(bytes_unref) struct bytes *got = NULL;
		CLEANUP(close_fd)
		int to = openat(room->fd, "to", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		assert_int_equal(io_write(to, data, at), 0);
		assert_int_equal(io_copy(from, off, n, to), 0);
		got = get_file(room->fd, "to");
		assert_int_equal(got->size, at + n);
		assert_memory_equal(got->data, data, at);
		assert_memory_equal(got->data + at, data + off, n);
	}
	free(data);
}

static void copy_works_without_copy_file_range(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	CLEANUP(close_fd) int from = -1;
	CLEANUP(close_fd) int to = -1;
	static uint8_t data[300000];

	fill_bytes(data, sizeof(data), 6);
	put_file(room->fd, "from", data, sizeof(data));
	from = openat(room->fd, "from", O_RDONLY);
	/* copy_file_range refuses descriptors that append. */
	to = openat(room->fd, "to", O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_int_equal(io_copy(from, 7, sizeof(data) - 7, to), 0);
	got = get_file(room->fd, "to");
	assert_true(bytes_equal_data(got, data + 7, sizeof(data) - 7));
}

static void temporary_files_are_new_and_private(void **state)
{
	const struct room *room = *state;
	char a[256], b[256];
	struct stat st;
	int fd = io_tmpfile(room->fd);

	assert_true(fd >= 0);
	assert_int_equal(count_files(room->fd), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);

	fd = io_temporary(room->fd, "stem-", 0600, a);
	assert_true(fd >= 0);
	close(fd);
	fd = io_temporary(room->fd, "stem-", 0600, b);
	assert_true(fd >= 0);
	close(fd);
	assert_string_not_equal(a, b);
	assert_int_equal(strncmp(a, "stem-", 5), 0);
	assert_int_equal(strlen(a), 11);
	memset(a, 'x', 250);
	a[250] = '\0';
	assert_int_equal(io_temporary(room->fd, a, 0600, b), -ENAMETOOLONG);
}

static void interrupted_calls_are_repeated(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	CLEANUP(close_fd) int from = -1;
	int fd;

	put_file(room->fd, "from", "copied", 6);
	from = openat(room->fd, "from", O_RDONLY | O_CLOEXEC);
	for (int at = 0; at < 7; at++) {
		struct fault f = {.at = at, .code = -EINTR};

		fault_set(&f);
		fd = io_openat(room->fd, "f", O_CREAT | O_TRUNC | O_RDWR, 0600);
		assert_true(fd >= 0);
		assert_int_equal(io_write(fd, "written", 7), 0);
		assert_int_equal(io_truncate(fd, 5), 0);
		assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
		assert_int_equal(io_copy(from, 1, 5, fd), 0);
		assert_int_equal(io_pwrite(fd, "W", 1, 0), 0);
		assert_int_equal(io_datasync(fd), 0);
		assert_int_equal(io_sync(fd), 0);
		fault_clear();
		close(fd);
		/* Seven calls, one of them repeated. */
		assert_true(f.hit);
		assert_int_equal(f.seen, 8);
		bytes_unref(got);
		got = get_file(room->fd, "f");
		assert_true(bytes_equal_data(got, "Writtopied", 10));
	}
}

/* Write only a part of the first write. */
static int shorten_first_write(struct io_call *c, void *arg)
{
	int *seen = arg;

	if (c->op == IO_WRITE && (*seen)++ == 0)
		c->n = c->n / 3 + 1;
	return 0;
}

static void partial_writes_are_completed(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	CLEANUP(close_fd) int from = -1;
	static const char text[] = "0123456789";

	put_file(room->fd, "from", text, 10);
	from = openat(room->fd, "from", O_RDONLY | O_CLOEXEC);
	for (int way = 0; way < 3; way++) {
		int fd = openat(room->fd, "f", O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
		int seen = 0;

		io_set_hook(shorten_first_write, &seen);
		assert_int_equal(way == 0   ? io_write(fd, text, 10)
				 : way == 1 ? io_pwrite(fd, text, 10, 0)
					    : io_copy(from, 0, 10, fd),
			0);
		io_set_hook(NULL, NULL);
		close(fd);
		assert_int_equal(seen, 2);
		bytes_unref(got);
		got = get_file(room->fd, "f");
		assert_true(bytes_equal_data(got, text, 10));
	}
}

static bool can_open(int dirfd, const char *path, int flags)
{
	CLEANUP(close_fd) int fd = io_openat(dirfd, path, flags, 0600);

	return fd >= 0;
}

static bool stays_beneath(int dirfd)
{
	static const char *const out[] = {
		"../x", "..", "/tmp/x", "dir/../../x", "link", "to-dir/x", "dir/link", ""};

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		if (can_open(dirfd, out[i], O_WRONLY | O_CREAT) || can_open(dirfd, out[i], O_RDWR))
			return false;
	return can_open(dirfd, "new", O_WRONLY | O_CREAT | O_EXCL) &&
	       can_open(dirfd, "dir/new", O_WRONLY | O_CREAT) &&
	       can_open(dirfd, "dir/new", O_RDWR) && can_open(dirfd, ".", O_TMPFILE | O_RDWR) &&
	       !can_open(dirfd, "none/new", O_RDWR);
}

static void opens_do_not_leave_the_directory(void **state)
{
	const struct room *room = *state;

	assert_int_equal(mkdirat(room->fd, "dir", 0700), 0);
	put_file(room->fd, "dir/there", "x", 1);
	assert_int_equal(symlinkat("dir/there", room->fd, "link"), 0);
	assert_int_equal(symlinkat("dir", room->fd, "to-dir"), 0);
	assert_int_equal(symlinkat("/etc/passwd", room->fd, "dir/link"), 0);
	assert_true(stays_beneath(room->fd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_call_asks_the_hook_first, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			noreplace_does_not_replace_a_file, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			noreplace_works_without_the_kernel_flag, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(copy_appends_a_range, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			copy_works_between_any_offsets, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			copy_works_without_copy_file_range, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			interrupted_calls_are_repeated, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			partial_writes_are_completed, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			temporary_files_are_new_and_private, room_setup, room_teardown),
		cmocka_unit_test_setup_teardown(
			opens_do_not_leave_the_directory, room_setup, room_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
