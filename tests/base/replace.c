/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/durable/pair.h"
#include "base/durable/replace.h"

enum { NEW_SIZE = 3 << 20 };
static uint8_t new_data[NEW_SIZE];

/* Write half of the new content, copy a quarter from memory and a quarter from a file. */
static int write_new(const struct room *room, int like, bool over, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *r = NULL;
	CLEANUP_EXTENT struct extent memory = EXTENT_INIT;
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	size_t half = NEW_SIZE / 2, quarter = NEW_SIZE / 4;
	int err = replace_begin(room->fd, "map", like, &r, e);

	if (err < 0)
		return err;
	memory = extent_of_bytes(bytes_copy(new_data + half, quarter));
	file = extent_of_file(
		file_new(openat(room->fd, "source", O_RDONLY)), half + quarter, quarter);
	for (size_t i = 0; i < half; i += 512)
		replace_write(r, new_data + i, 512);
	replace_copy(r, &memory);
	replace_copy(r, &file);
	assert_int_equal(replace_size(r), NEW_SIZE);
	err = replace_close(r, e);
	return err < 0 ? err : replace_commit(r, over, NULL, e);
}

static struct file *misread_file;
static bool lies;

/* Replaces the library's function, to simulate a disk that returns a wrong byte. */
ssize_t pread(int fd, void *to, size_t n, off_t off)
{
	ssize_t (*real)(int, void *, size_t, off_t) =
		(ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
	ssize_t got = real(fd, to, n, off);

	if (lies && misread_file && fd == misread_file->fd && got > 0)
		((uint8_t *)to)[got - 1] ^= 1;
	return got;
}

/* The C library's variant of pread with size checks. */
ssize_t __pread64_chk(int fd, void *to, size_t n, off_t off, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off_t off, size_t room)
{
	assert_true(n <= room);
	return pread(fd, to, n, off);
}

static void prepare(const struct room *room)
{
	fill_bytes(new_data, sizeof(new_data), 77);
	put_file(room->fd, "source", new_data, sizeof(new_data));
	put_file(room->fd, "map", "old", 3);
}

static int write_plain(const struct room *room, int like, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *r = NULL;
	int err = replace_begin(room->fd, "map", like, &r, e);

	if (err < 0)
		return err;
	replace_write(r, new_data, NEW_SIZE);
	err = replace_close(r, e);
	return err < 0 ? err : replace_commit(r, true, NULL, e);
}

/* Each operation fails once; a mode and an attribute add operations on metadata. */
static void at_every_failure_the_file_is_old_or_new(void **state)
{
	const struct room *room = *state;
	bool seen_sync = false, seen_rename = false;

	prepare(room);
	for (int at = 0;; at++) {
		CLEANUP(bytes_unref) struct bytes *got = NULL;
		CLEANUP(close_fd) int like = -1;
		struct fault f = {.at = at, .code = -ENOSPC};
		struct error e = ERROR_INIT;
		bool is_new;
		int r;

		assert_int_equal(unlinkat(room->fd, "map", 0), 0);
		put_file(room->fd, "map", "old", 3);
		like = openat(room->fd, "map", O_RDONLY);
		assert_int_equal(fchmod(like, 0640), 0);
		fsetxattr(like, "user.mapfs-test", "v", 1, 0);
		fault_set(&f);
		r = write_plain(room, like, &e);
		fault_clear();
		got = get_file(room->fd, "map");
		is_new = bytes_equal_data(got, new_data, NEW_SIZE);
		assert_true(is_new || bytes_equal_data(got, "old", 3));
		if (!f.hit) {
			assert_int_equal(r, 0);
			assert_true(is_new);
			break;
		}
		seen_sync = seen_sync || f.last == IO_SYNC;
		seen_rename = seen_rename || f.last == IO_RENAME;
		assert_int_equal(r, -ENOSPC);
		assert_string_not_equal(error_text(&e), "");
		assert_int_equal(count_files(room->fd), 2);
	}
	assert_true(seen_sync && seen_rename);
}

static int note_op(struct io_call *c, void *arg)
{
	char *line = arg;
	size_t n = strlen(line);

	/* There may be any number of writes and metadata operations. */
	if (n < 20 && (n == 0 || line[n - 1] != "owsruTdm"[c->op]))
		line[n] = "owsruTdm"[c->op];
	return 0;
}

static void content_is_synced_before_the_rename_and_the_directory_after(void **state)
{
	const struct room *room = *state;
	char line[24] = "";
	int r;

	prepare(room);
	io_set_hook(note_op, line);
	r = write_plain(room, -1, NULL);
	io_set_hook(NULL, NULL);
	assert_int_equal(r, 0);
	/* open, write, sync, rename, sync */
	assert_string_equal(line, "owsrs");
}

static void all_ways_of_writing_give_the_same_file(void **state)
{
	const struct room *room = *state;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	struct error e = ERROR_INIT;

	prepare(room);
	assert_int_equal(write_new(room, -1, true, &e), 0);
	got = get_file(room->fd, "map");
	assert_true(bytes_equal_data(got, new_data, NEW_SIZE));
	assert_int_equal(count_files(room->fd), 2);
}

static void the_first_error_is_reported(void **state)
{
	const struct room *room = *state;
	CLEANUP(replace_destroy) struct replace *r = NULL;
	CLEANUP_EXTENT struct extent gone = EXTENT_INIT;
	struct error e = ERROR_INIT;
	struct fault f = {.at = 0, .code = -EDQUOT};

	prepare(room);
	assert_int_equal(replace_begin(room->fd, "map", -1, &r, &e), 0);
	/* The range ends after the source does. */
	gone = extent_of_file(file_new(openat(room->fd, "source", O_RDONLY)), NEW_SIZE - 1, 1000);
	replace_copy(r, &gone);
	fault_set(&f);
	replace_write(r, new_data, NEW_SIZE);
	assert_int_equal(replace_close(r, &e), -EIO);
	assert_int_equal(replace_commit(r, true, NULL, &e), -EIO);
	assert_int_equal(f.seen, 0);
}

struct counted {
	unsigned writes;
	uint64_t most;
};

static int count_writes(struct io_call *c, void *arg)
{
	struct counted *n = arg;

	n->writes += c->op == IO_WRITE;
	if (c->op == IO_WRITE && c->n > n->most)
		n->most = c->n;
	return 0;
}

/* Adjacent ranges of a file are copied in one step, also if other bytes precede them. */
static void adjacent_ranges_are_copied_in_one_step(void **state)
{
	enum { PIECE = 1000, PIECES = NEW_SIZE / PIECE };
	const struct room *room = *state;

	prepare(room);
	for (unsigned before = 0; before < 14; before += 13) {
		CLEANUP(file_unref)
		struct file *source = file_new(openat(room->fd, "source", O_RDONLY));
		CLEANUP(replace_destroy) struct replace *r = NULL;
		CLEANUP(bytes_unref) struct bytes *got = NULL;
		struct counted n = {0};
		struct error e = ERROR_INIT;

		assert_int_equal(replace_begin(room->fd, "map", -1, &r, &e), 0);
		io_set_hook(count_writes, &n);
		replace_write(r, new_data, before);
		for (size_t i = 0; i < PIECES; i++) {
			struct extent x = extent_of_file(source, i * PIECE, PIECE);

			replace_copy(r, &x);
			assert_int_equal(replace_size(r), before + (i + 1) * PIECE);
		}
		replace_write(r, new_data, 1);
		assert_int_equal(replace_close(r, &e), 0);
		io_set_hook(NULL, NULL);
		/*
		 * The kernel copies them in one step; otherwise in chunks of a mebibyte of the new
		 * file.
		 */
		assert_int_equal(n.writes, before ? 1 + 3 + 1 : 1 + 1);
		assert_int_equal(n.most, before ? 1 << 20 : PIECES * PIECE);
		assert_int_equal(replace_commit(r, true, NULL, &e), 0);
		got = get_file(room->fd, "map");
		assert_int_equal(got->size, before + PIECES * PIECE + 1);
		assert_memory_equal(got->data, new_data, before);
		assert_memory_equal(got->data + before, new_data, PIECES * PIECE);
		assert_int_equal(got->data[got->size - 1], new_data[0]);
	}
}

/* Write a new file with `before` bytes in front of the copied range, and close it. */
static int copy_after_prefix(const struct room *room, const struct extent *x, size_t before,
	struct replace **ret, struct error *e)
{
	assert_int_equal(replace_begin(room->fd, "map", -1, ret, e), 0);
	replace_write(*ret, new_data, before);
	misread_file = replace_file(*ret);
	replace_copy(*ret, x);
	return replace_close(*ret, e);
}

static bool compared_contains(
	const struct replace *r, struct file *f, uint64_t off, uint64_t n, uint64_t at)
{
	struct extent x = extent_of_file(f, off, n);

	return compared_has(replace_compared(r), &x, at);
}

static void ranges_compared_during_a_copy_are_recorded(void **state)
{
	const struct room *room = *state;
	CLEANUP(file_unref) struct file *source = NULL;
	CLEANUP(file_unref) struct file *other = NULL;
	CLEANUP(replace_destroy) struct replace *r = NULL;
	CLEANUP(bytes_unref) struct bytes *mem = bytes_copy(new_data, 100);
	struct extent x, in_memory = {.mem = mem, .off = 10, .size = 10};
	struct error e = ERROR_INIT;

	prepare(room);
	source = file_new(openat(room->fd, "source", O_RDONLY));
	other = file_new(openat(room->fd, "source", O_RDONLY));
	x = extent_of_file(source, 10, NEW_SIZE - 20);
	assert_int_equal(copy_after_prefix(room, &x, 3, &r, &e), 0);
	assert_true(compared_contains(r, source, 10, NEW_SIZE - 20, 3));
	assert_true(compared_contains(r, source, 11, NEW_SIZE - 21, 4));
	assert_true(compared_contains(r, source, 5000, 70, 4993));
	assert_false(compared_contains(r, source, 10, NEW_SIZE - 19, 3));
	assert_false(compared_contains(r, source, 9, 70, 2));
	assert_false(compared_contains(r, source, 5000, 70, 4994));
	assert_false(compared_contains(r, source, 10, 70, UINT64_MAX));
	assert_false(compared_contains(r, other, 5000, 70, 4993));
	assert_false(compared_has(replace_compared(r), &in_memory, 3));
	assert_false(compared_has(NULL, &x, 3));
	file_unref(TAKE(misread_file));
	replace_destroy(TAKE(r));
	/* The kernel gives no information about a copy within a page. */
	x = extent_of_file(source, 3, NEW_SIZE - 3);
	assert_int_equal(copy_after_prefix(room, &x, 3, &r, &e), 0);
	assert_false(compared_contains(r, source, 3, 70, 3));
	file_unref(TAKE(misread_file));
}

static void wrong_bytes_read_back_are_an_error(void **state)
{
	const struct room *room = *state;
	CLEANUP(file_unref) struct file *source = NULL;
	CLEANUP(replace_destroy) struct replace *r = NULL;
	struct error e = ERROR_INIT;
	struct extent x;

	prepare(room);
	source = file_new(openat(room->fd, "source", O_RDONLY));
	x = extent_of_file(source, 10, NEW_SIZE - 20);
	lies = true;
	assert_int_equal(copy_after_prefix(room, &x, 3, &r, &e), -EIO);
	lies = false;
	file_unref(TAKE(misread_file));
}

static void beside_takes_the_first_free_name(void **state)
{
	const struct room *room = *state;
	struct error e = ERROR_INIT;
	char name[256];

	for (int i = 0; i < 3; i++) {
		static const char *const want[] = {"map", "map.1", "map.2"};
		CLEANUP(replace_destroy) struct replace *r = NULL;
		CLEANUP(bytes_unref) struct bytes *got = NULL;
		char digit = (char)('0' + i);

		assert_int_equal(replace_begin(room->fd, "map", -1, &r, &e), 0);
		replace_write(r, &digit, 1);
		assert_int_equal(replace_close(r, &e), 0);
		assert_int_equal(replace_commit(r, false, name, &e), 0);
		assert_string_equal(name, want[i]);
		got = get_file(room->fd, name);
		assert_true(bytes_equal_data(got, &digit, 1));
	}
	assert_int_equal(count_files(room->fd), 3);
}

static void a_commit_keeps_the_lock_and_inode_of_the_new_file(void **state)
{
	const struct room *room = *state;
	CLEANUP(replace_destroy) struct replace *r = NULL;
	CLEANUP(file_unref) struct file *f = NULL;
	CLEANUP(close_fd) int other = -1;
	struct error e = ERROR_INIT;
	struct stat before, after;
	char got[3];

	put_file(room->fd, "map", "old", 3);
	assert_int_equal(replace_begin(room->fd, "map", -1, &r, &e), 0);
	replace_write(r, "new", 3);
	assert_int_equal(replace_close(r, &e), 0);
	f = replace_file(r);
	assert_int_equal(file_read(f, 0, got, 3, &e), 0);
	assert_memory_equal(got, "new", 3);
	before = *replace_stat(r);
	assert_int_equal(replace_commit(r, true, NULL, &e), 0);
	replace_destroy(TAKE(r));
	assert_int_equal(fstatat(room->fd, "map", &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	other = openat(room->fd, "map", O_RDONLY);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	file_unref(TAKE(f));
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
}

static void long_names_can_be_replaced(void **state)
{
	const struct room *room = *state;
	CLEANUP(replace_destroy) struct replace *r = NULL;
	struct error e = ERROR_INIT;
	char name[256];

	memset(name, 'n', 255);
	name[255] = '\0';
	assert_int_equal(replace_begin(room->fd, name, -1, &r, &e), 0);
	assert_int_equal(replace_close(r, &e), 0);
	assert_int_equal(replace_commit(r, true, NULL, &e), 0);
	assert_int_equal(faccessat(room->fd, name, F_OK, 0), 0);
	assert_int_equal(count_files(room->fd), 1);
}

static void store_progress(void *arg, uint64_t written)
{
	uint64_t *last = arg;

	assert_true(written > *last);
	*last = written;
}

static void progress_is_reported(void **state)
{
	const struct room *room = *state;
	CLEANUP(replace_destroy) struct replace *r = NULL;
	struct error e = ERROR_INIT;
	uint64_t last = 0;

	prepare(room);
	assert_int_equal(replace_begin(room->fd, "map", -1, &r, &e), 0);
	replace_on_progress(r, store_progress, &last);
	replace_write(r, new_data, NEW_SIZE);
	assert_true(last > NEW_SIZE - (1 << 20));
}

static void sweep_removes_only_files_of_dead_writers(void **state)
{
	static const char *const dead[] = {".a.PAK.mapfs-new-abcdef", ".a.PAK.mapfs-new-000000",
		"..a.PAK.mapfs-pair.mapfs-new-abcdef"};
	static const char *const others[] = {".a.PAK.mapfs-pair", ".a.PAK.mapfs-new-abcdefg",
		".b.PAK.mapfs-new-abcdef", "a.PAK.mapfs-new-abcdef", ".a.PAK.MAN.mapfs-new-abcdef"};
	const struct room *room = *state;
	const struct trust trust = own_files(room->fd);
	char marker[NAME_MAX + 1];

	for (size_t i = 0; i < 3; i++)
		put_file(room->fd, dead[i], "x", 1);
	for (size_t i = 0; i < 5; i++)
		put_file(room->fd, others[i], "x", 1);
	pair_marker_name(marker, "a.PAK");
	replace_remove_leftovers(&trust, "a.PAK");
	replace_remove_leftovers(&trust, marker);
	assert_int_equal(count_files(room->fd), 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(faccessat(room->fd, others[i], F_OK, 0), 0);
}

#define in_a_room(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_room(at_every_failure_the_file_is_old_or_new),
		in_a_room(content_is_synced_before_the_rename_and_the_directory_after),
		in_a_room(all_ways_of_writing_give_the_same_file),
		in_a_room(the_first_error_is_reported),
		in_a_room(adjacent_ranges_are_copied_in_one_step),
		in_a_room(ranges_compared_during_a_copy_are_recorded),
		in_a_room(wrong_bytes_read_back_are_an_error),
		in_a_room(beside_takes_the_first_free_name),
		in_a_room(a_commit_keeps_the_lock_and_inode_of_the_new_file),
		in_a_room(long_names_can_be_replaced),
		in_a_room(progress_is_reported),
		in_a_room(sweep_removes_only_files_of_dead_writers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
