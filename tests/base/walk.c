/* SPDX-License-Identifier: Zlib */
/* Files in and below a directory; some directories cannot be read. */
#include "support/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/walk.h"

struct failures {
	unsigned n;
	int last;
	char path[300];
};

static bool is_wanted(const char *name, bool is_directory)
{
	return strcmp(name, is_directory ? "other" : "no") != 0;
}

static void note_file(void *arg, const char *path, int r)
{
	struct failures *f = arg;

	f->n++;
	f->last = r;
	snprintf(f->path, sizeof(f->path), "%s", path);
}

static struct names files_of(const char *top, bool stays, struct failures *f)
{
	const struct walk walk = {.is_wanted = is_wanted,
		.on_failure = note_file,
		.arg = f,
		.one_file_system = stays};
	struct names files = {0};

	*f = (struct failures){0};
	assert_int_equal(walk_files(&walk, top, &files), 0);
	names_sort(&files);
	return files;
}

/* a, no, link -> a, below/b, below/deep/c, other/d, linked -> below */
static void make_tree(const struct room *room)
{
	put_file(room->fd, "a", "x", 1);
	put_file(room->fd, "no", "x", 1);
	assert_int_equal(symlinkat("a", room->fd, "link"), 0);
	assert_int_equal(symlinkat("below", room->fd, "linked"), 0);
	assert_int_equal(mkdirat(room->fd, "below", 0777), 0);
	assert_int_equal(mkdirat(room->fd, "below/deep", 0777), 0);
	assert_int_equal(mkdirat(room->fd, "other", 0777), 0);
	put_file(room->fd, "below/b", "x", 1);
	put_file(room->fd, "below/deep/c", "x", 1);
	put_file(room->fd, "other/d", "x", 1);
}

static void regular_files_are_found(void **state)
{
	static const char *const expected[] = {"/a", "/below/b", "/below/deep/c"};
	const struct room *room = *state;

	make_tree(room);
	for (int stays = 0; stays < 2; stays++) {
		struct failures f;
		CLEANUP_NAMES struct names files = files_of(room->path, stays, &f);

		assert_int_equal(f.n, 0);
		assert_int_equal(files.n, 3);
		for (size_t i = 0; i < files.n; i++) {
			char path[300];

			snprintf(path, sizeof(path), "%s%s", room->path, expected[i]);
			assert_string_equal(files.items[i], path);
		}
	}
}

static void directory_that_cannot_be_read_to_its_end_is_reported(void **state)
{
	const struct room *room = *state;
	unsigned n;

	make_tree(room);
	for (n = 0; n < 100; n++) {
		struct failures f;

		fail_reads_after((int)n);
		CLEANUP_NAMES struct names files = files_of(room->path, false, &f);
		fail_reads_after(-1);
		if (!f.n)
			break;
		assert_int_equal(f.last, -EIO);
		assert_true(files.n <= 3);
	}
	/* Three directories with their dots, entries and ends. */
	assert_int_equal(n, 3 * 3 + 6 + 2 + 1);
}

static void directory_that_cannot_be_opened_is_reported(void **state)
{
	const struct room *room = *state;
	struct failures f;
	char path[300];

	snprintf(path, sizeof(path), "%s/none", room->path);
	CLEANUP_NAMES struct names none = files_of(path, true, &f);
	assert_int_equal(none.n, 0);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.last, -ENOENT);
	assert_string_equal(f.path, path);
	if (geteuid() == 0)
		return;
	make_tree(room);
	assert_int_equal(fchmodat(room->fd, "below", 0, 0), 0);
	CLEANUP_NAMES struct names files = files_of(room->path, false, &f);
	assert_int_equal(fchmodat(room->fd, "below", 0777, 0), 0);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.last, -EACCES);
	assert_int_equal(files.n, 1);
}

#define IN_A_ROOM(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_ROOM(regular_files_are_found),
		IN_A_ROOM(directory_that_cannot_be_read_to_its_end_is_reported),
		IN_A_ROOM(directory_that_cannot_be_opened_is_reported),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
