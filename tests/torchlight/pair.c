/* SPDX-License-Identifier: Zlib */
/*
 * Two files replaced as one: a disk that fails at each operation, and a process that dies at it.
 * Whatever happens, what stands is the old pair or the new one, or a marker from which the next
 * mount makes the new one.
 */
#include "../base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/durable/pair.h"
#include "formats/torchlight/format.h"
#include "vfs/files/companion.h"

enum { DIED = 77, DONE = 78, STEPS_MAX = 200 };

static void make_old(const struct room *room)
{
	put_file(room->fd, "X.PAK", "old pak", 7);
	put_file(room->fd, "X.PAK.MAN", "old man", 7);
}

static int begin(const struct room *room, const char *name, const char *text, struct replace **ret,
	struct error *e)
{
	int r = replace_begin(room->fd, name, -1, ret, e);

	if (r < 0)
		return r;
	replace_write(*ret, text, strlen(text));
	return replace_close(*ret, e);
}

/* *ret_stands as replace_is_committed says of the first. */
static int commit(const struct room *room, bool over, bool *ret_stands)
{
	CLEANUP(replace_destroy) struct replace *a = NULL;
	CLEANUP(replace_destroy) struct replace *b = NULL;
	struct error e = ERROR_INIT;
	int r = begin(room, "X.PAK", "new pak", &a, &e);

	*ret_stands = false;
	if (r == 0)
		r = begin(room, "X.PAK.MAN", "new man", &b, &e);
	if (r == 0) {
		r = pair_commit(a, b, "X.PAK", over, &e);
		*ret_stands = replace_is_committed(a);
	}
	if (r < 0)
		assert_true(*error_text(&e));
	return r;
}

/* arg: how the names that are not the map's are to be left. */
static enum pair_permission validate(void *arg, const char *first, const char *second)
{
	const enum pair_permission *others = arg;

	return strcmp(first, "X.PAK") == 0 && strcmp(second, "X.PAK.MAN") == 0 ? PAIR_REPLACE
									       : *others;
}

static int finish(const struct room *room, struct error *e)
{
	const struct trust trust = own_files(room->fd);
	enum pair_permission others = PAIR_FORBIDDEN;

	return pair_finish(&trust, "X.PAK", validate, &others, e);
}

static bool is_marked(const struct room *room)
{
	return faccessat(room->fd, ".X.PAK.mapfs-pair", F_OK, 0) == 0;
}

static bool is(const struct room *room, const char *name, const char *text)
{
	CLEANUP(bytes_unref) struct bytes *b = get_file(room->fd, name);

	return b && same(b, text, strlen(text));
}

static bool all_old(const struct room *room)
{
	return is(room, "X.PAK", "old pak") && is(room, "X.PAK.MAN", "old man");
}

static bool all_new(const struct room *room)
{
	return is(room, "X.PAK", "new pak") && is(room, "X.PAK.MAN", "new man");
}

static void clear(const struct room *room)
{
	DIR *dir = fdopendir(openat(room->fd, ".", O_RDONLY | O_DIRECTORY));
	const struct dirent *d;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			unlinkat(room->fd, d->d_name, 0);
	closedir(dir);
}

static void both_are_replaced_and_nothing_is_left(void **state)
{
	const struct room *room = *state;
	bool stands;

	make_old(room);
	assert_int_equal(commit(room, true, &stands), 0);
	assert_true(stands && all_new(room));
	assert_int_equal(count_files(room->fd), 2);
	assert_int_equal(finish(room, NULL), 0);
}

static void names_that_must_be_free_are(void **state)
{
	const struct room *room = *state;
	bool stands;

	make_old(room);
	assert_int_equal(commit(room, false, &stands), -EEXIST);
	assert_true(!stands && all_old(room));
	assert_int_equal(count_files(room->fd), 2);
}

static void at_every_failure_it_is_the_old_pair_or_the_new_one(void **state)
{
	const struct room *room = *state;
	unsigned old = 0, new = 0;

	for (int and_after = 0; and_after < 2; and_after++) {
		for (int at = 0;; at++) {
			struct fault f = {.at = at, .code = -EIO, .and_after = and_after != 0};
			bool stands;
			int r;

			assert_true(at < STEPS_MAX);
			clear(room);
			make_old(room);
			fault_set(&f);
			r = commit(room, true, &stands);
			fault_clear();
			if (r == 0)
				assert_true(all_new(room));
			else if (!stands)
				assert_true(all_old(room));
			/* What was said to stand does once the next mount was there. */
			r = finish(room, NULL);
			assert_true(r >= 0);
			assert_true(stands ? all_new(room) : all_old(room));
			assert_int_equal(finish(room, NULL), 0);
			old += !stands;
			new += stands;
			if (!f.hit)
				break;
		}
	}
	assert_true(old > 4 && new > 4);
}

struct dying {
	int at, seen;
};

static int die(struct io_call *c, void *arg)
{
	struct dying *d = arg;

	(void)c;
	if (d->seen++ == d->at)
		_exit(DIED);
	return 0;
}

static int in_a_child(const struct room *room, int at, bool finishing)
{
	struct dying d = {.at = at};
	int status = 0;
	bool stands;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		io_set_hook(die, &d);
		if (finishing)
			(void)finish(room, NULL);
		else
			(void)commit(room, true, &stands);
		_exit(DONE);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void killed_at_every_operation_the_next_mount_finds_or_makes_a_pair(void **state)
{
	const struct room *room = *state;
	unsigned mixed = 0, old = 0, new = 0;
	int code = DIED;

	for (int at = 0; code == DIED; at++) {
		assert_true(at < STEPS_MAX);
		clear(room);
		make_old(room);
		code = in_a_child(room, at, false);
		mixed += !all_old(room) && !all_new(room);
		if (!all_old(room) && !all_new(room))
			assert_true(is_marked(room));
		assert_true(finish(room, NULL) >= 0);
		assert_true(all_old(room) || all_new(room));
		old += all_old(room);
		new += all_new(room);
		assert_false(is_marked(room));
	}
	assert_true(mixed > 0 && old > 4 && new > 2);
}

static void finishing_is_killed_at_every_operation_and_done_by_the_next(void **state)
{
	const struct room *room = *state;

	for (int at = 0; at < STEPS_MAX; at++) {
		int code = DIED;

		clear(room);
		make_old(room);
		assert_int_equal(in_a_child(room, at, false), DIED);
		if (!is_marked(room))
			continue;
		for (int again = 0; code == DIED; again++) {
			code = in_a_child(room, again, true);
			if (code == DIED)
				assert_int_equal(in_a_child(room, again, true) == DIED ||
							 in_a_child(room, again, true) == DONE,
					true);
		}
		assert_true(all_new(room));
		break;
	}
}

static void a_file_that_is_no_marker_is_refused_and_stays(void **state)
{
	static const char *const texts[] = {"", "mapfs pair 1\n", "mapfs pair 1\na\nb\nc\nd\n",
		"mapfs pair 1\n.X.mapfs-new-1\n../X\n.Y.mapfs-new-2\nY\n",
		"mapfs pair 1\n.X.mapfs-new-1\nX\n.Y.mapfs-new-2\nY\nmore"};
	const struct room *room = *state;

	make_old(room);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct error e = ERROR_INIT;

		put_file(room->fd, ".X.PAK.mapfs-pair", texts[i], strlen(texts[i]));
		assert_int_equal(finish(room, &e), -EINVAL);
		assert_true(strstr(error_text(&e), ".X.PAK.mapfs-pair"));
		assert_true(all_old(room));
	}
}

static void put_marker(const struct room *room, const char *text, mode_t mode)
{
	put_file(room->fd, ".X.PAK.mapfs-pair", text, strlen(text));
	assert_int_equal(fchmodat(room->fd, ".X.PAK.mapfs-pair", mode, 0), 0);
}

static void a_marker_that_others_can_have_written_is_left_alone(void **state)
{
	const struct room *room = *state;
	struct error e = ERROR_INIT;

	make_old(room);
	put_file(room->fd, ".X.PAK.mapfs-new-a", "evil", 4);
	put_file(room->fd, ".X.PAK.mapfs-new-b", "evil", 4);
	put_marker(room, "mapfs pair 1\n.X.PAK.mapfs-new-a\nX.PAK\n.X.PAK.mapfs-new-b\nX.PAK.MAN\n",
		0666);
	assert_int_equal(finish(room, &e), -EPERM);
	assert_non_null(strstr(error_text(&e), "is writable by other users"));
	assert_true(is_marked(room) && all_old(room));
}

static void a_marker_names_nothing_but_the_pair(void **state)
{
	const struct room *room = *state;
	const struct trust trust = own_files(room->fd);
	enum pair_permission made = PAIR_CREATE;

	make_old(room);
	put_file(room->fd, "private", "old", 3);
	put_file(room->fd, ".X.PAK.mapfs-new-a", "new", 3);
	put_file(room->fd, ".X.PAK.mapfs-new-b", "new", 3);
	put_marker(room, "mapfs pair 1\n.X.PAK.mapfs-new-a\nprivate\n.X.PAK.mapfs-new-b\nother\n",
		0644);
	assert_int_equal(finish(room, NULL), -EPERM);
	assert_true(is(room, "private", "old") && is_marked(room));
	/* What is to be made replaces nothing either. */
	assert_int_equal(pair_finish(&trust, "X.PAK", validate, &made, NULL), -EEXIST);
	assert_true(is(room, "private", "old"));
	assert_int_equal(unlinkat(room->fd, "private", 0), 0);
	assert_int_equal(pair_finish(&trust, "X.PAK", validate, &made, NULL), 1);
	assert_true(is(room, "private", "new") && is(room, "other", "new"));
}

static void directory_that_cannot_be_read_hides_no_second_file(void **state)
{
	const struct room *room = *state;
	struct source src = {.name = "X.PAK", .n_files = 1};
	char name[NAME_MAX + 1];
	struct error e = ERROR_INIT;

	put_file(room->fd, "X.PAK", "pak", 3);
	put_file(room->fd, "x.pak.man", "man", 3);
	for (int at = 0; at <= 2; at++) {
		fail_reads_after(at);
		assert_int_equal(
			companion_open(room->fd, &format_torchlight_pak, "X.PAK", &src, name, &e),
			-EIO);
		assert_string_equal(
			error_text(&e), "cannot list the map's directory: Input/output error");
	}
	fail_reads_after(-1);
	assert_int_equal(
		companion_open(room->fd, &format_torchlight_pak, "X.PAK", &src, name, NULL), 0);
	assert_string_equal(name, "x.pak.man");
	file_unref(src.files[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_marker_that_others_can_have_written_is_left_alone),
		TEST(a_marker_names_nothing_but_the_pair),
		TEST(both_are_replaced_and_nothing_is_left),
		TEST(names_that_must_be_free_are),
		TEST(at_every_failure_it_is_the_old_pair_or_the_new_one),
		TEST(killed_at_every_operation_the_next_mount_finds_or_makes_a_pair),
		TEST(finishing_is_killed_at_every_operation_and_done_by_the_next),
		TEST(a_file_that_is_no_marker_is_refused_and_stays),
		TEST(directory_that_cannot_be_read_hides_no_second_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
