/* SPDX-License-Identifier: Zlib */
/*
 * Replaces two files as one, on a disk that fails at each operation, and in a process that is
 * killed there. After every failure the files are the old pair, the new pair, or a pair with a
 * marker from which the next mount makes the new pair.
 */
#include "../base/support/util.h"

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

static int begin_file(const struct room *room, const char *name, const char *text,
	struct replace **ret, struct error *e)
{
	int r = replace_begin(room->fd, name, -1, ret, e);

	if (r < 0)
		return r;
	replace_write(*ret, text, strlen(text));
	return replace_close(*ret, e);
}

/* *ret_stands is set as by replace_is_committed of the first file. */
static int commit(const struct room *room, bool over, bool *ret_stands)
{
	CLEANUP(replace_destroy) struct replace *a = NULL;
	CLEANUP(replace_destroy) struct replace *b = NULL;
	struct error e = ERROR_INIT;
	int r = begin_file(room, "X.PAK", "new pak", &a, &e);

	*ret_stands = false;
	if (r == 0)
		r = begin_file(room, "X.PAK.MAN", "new man", &b, &e);
	if (r == 0) {
		r = pair_commit(a, b, "X.PAK", over, &e);
		*ret_stands = replace_is_committed(a);
	}
	if (r < 0)
		assert_true(*error_text(&e));
	return r;
}

/* `arg` says which names that are not the map's are left. */
static enum pair_permission validate(void *arg, const char *first, const char *second)
{
	const enum pair_permission *others = arg;

	return strcmp(first, "X.PAK") == 0 && strcmp(second, "X.PAK.MAN") == 0 ? PAIR_REPLACE
									       : *others;
}

static int finish_pair(const struct room *room, struct error *e)
{
	const struct trust trust = own_files(room->fd);
	enum pair_permission others = PAIR_FORBIDDEN;

	return pair_finish(&trust, "X.PAK", validate, &others, e);
}

static bool is_marked(const struct room *room)
{
	return faccessat(room->fd, ".X.PAK.mapfs-pair", F_OK, 0) == 0;
}

static bool file_is(const struct room *room, const char *name, const char *text)
{
	CLEANUP(bytes_unref) struct bytes *b = get_file(room->fd, name);

	return b && bytes_equal_data(b, text, strlen(text));
}

static bool are_all_old(const struct room *room)
{
	return file_is(room, "X.PAK", "old pak") && file_is(room, "X.PAK.MAN", "old man");
}

static bool are_all_new(const struct room *room)
{
	return file_is(room, "X.PAK", "new pak") && file_is(room, "X.PAK.MAN", "new man");
}

static void remove_files(const struct room *room)
{
	DIR *dir = fdopendir(openat(room->fd, ".", O_RDONLY | O_DIRECTORY));
	const struct dirent *d;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			unlinkat(room->fd, d->d_name, 0);
	closedir(dir);
}

static void both_files_are_replaced_and_no_marker_is_left(void **state)
{
	const struct room *room = *state;
	bool stands;

	make_old(room);
	assert_int_equal(commit(room, true, &stands), 0);
	assert_true(stands && are_all_new(room));
	assert_int_equal(count_files(room->fd), 2);
	assert_int_equal(finish_pair(room, NULL), 0);
}

static void the_names_of_a_new_pair_must_be_free(void **state)
{
	const struct room *room = *state;
	bool stands;

	make_old(room);
	assert_int_equal(commit(room, false, &stands), -EEXIST);
	assert_true(!stands && are_all_old(room));
	assert_int_equal(count_files(room->fd), 2);
}

static void after_every_failure_the_old_or_the_new_pair_exists(void **state)
{
	const struct room *room = *state;
	unsigned old = 0, new = 0;

	for (int and_after = 0; and_after < 2; and_after++) {
		for (int at = 0;; at++) {
			struct fault f = {.at = at, .code = -EIO, .and_after = and_after != 0};
			bool stands;
			int r;

			assert_true(at < STEPS_MAX);
			remove_files(room);
			make_old(room);
			fault_set(&f);
			r = commit(room, true, &stands);
			fault_clear();
			if (r == 0)
				assert_true(are_all_new(room));
			else if (!stands)
				assert_true(are_all_old(room));
			/* If the commit was reported, the new pair exists after the next mount. */
			r = finish_pair(room, NULL);
			assert_true(r >= 0);
			assert_true(stands ? are_all_new(room) : are_all_old(room));
			assert_int_equal(finish_pair(room, NULL), 0);
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

static int kill_at_operation(struct io_call *c, void *arg)
{
	struct dying *d = arg;

	(void)c;
	if (d->seen++ == d->at)
		_exit(DIED);
	return 0;
}

static int run_in_child(const struct room *room, int at, bool finishing)
{
	struct dying d = {.at = at};
	int status = 0;
	bool stands;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		io_set_hook(kill_at_operation, &d);
		if (finishing)
			(void)finish_pair(room, NULL);
		else
			(void)commit(room, true, &stands);
		_exit(DONE);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void after_a_kill_at_any_operation_the_next_mount_has_a_pair(void **state)
{
	const struct room *room = *state;
	unsigned mixed = 0, old = 0, new = 0;
	int code = DIED;

	for (int at = 0; code == DIED; at++) {
		assert_true(at < STEPS_MAX);
		remove_files(room);
		make_old(room);
		code = run_in_child(room, at, false);
		mixed += !are_all_old(room) && !are_all_new(room);
		if (!are_all_old(room) && !are_all_new(room))
			assert_true(is_marked(room));
		assert_true(finish_pair(room, NULL) >= 0);
		assert_true(are_all_old(room) || are_all_new(room));
		old += are_all_old(room);
		new += are_all_new(room);
		assert_false(is_marked(room));
	}
	assert_true(mixed > 0 && old > 4 && new > 2);
}

static void a_recovery_killed_at_any_operation_is_completed_by_the_next(void **state)
{
	const struct room *room = *state;

	for (int at = 0; at < STEPS_MAX; at++) {
		int code = DIED;

		remove_files(room);
		make_old(room);
		assert_int_equal(run_in_child(room, at, false), DIED);
		if (!is_marked(room))
			continue;
		for (int again = 0; code == DIED; again++) {
			code = run_in_child(room, again, true);
			if (code == DIED)
				assert_int_equal(run_in_child(room, again, true) == DIED ||
							 run_in_child(room, again, true) == DONE,
					true);
		}
		assert_true(are_all_new(room));
		break;
	}
}

static void an_invalid_marker_is_refused_and_stays(void **state)
{
	static const char *const texts[] = {"", "mapfs pair 1\n", "mapfs pair 1\na\nb\nc\nd\n",
		"mapfs pair 1\n.X.mapfs-new-1\n../X\n.Y.mapfs-new-2\nY\n",
		"mapfs pair 1\n.X.mapfs-new-1\nX\n.Y.mapfs-new-2\nY\nmore"};
	const struct room *room = *state;

	make_old(room);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct error e = ERROR_INIT;

		put_file(room->fd, ".X.PAK.mapfs-pair", texts[i], strlen(texts[i]));
		assert_int_equal(finish_pair(room, &e), -EINVAL);
		assert_true(strstr(error_text(&e), ".X.PAK.mapfs-pair"));
		assert_true(are_all_old(room));
	}
}

static void put_marker(const struct room *room, const char *text, mode_t mode)
{
	put_file(room->fd, ".X.PAK.mapfs-pair", text, strlen(text));
	assert_int_equal(fchmodat(room->fd, ".X.PAK.mapfs-pair", mode, 0), 0);
}

static void a_marker_that_others_could_write_is_ignored(void **state)
{
	const struct room *room = *state;
	struct error e = ERROR_INIT;

	make_old(room);
	put_file(room->fd, ".X.PAK.mapfs-new-a", "evil", 4);
	put_file(room->fd, ".X.PAK.mapfs-new-b", "evil", 4);
	put_marker(room, "mapfs pair 1\n.X.PAK.mapfs-new-a\nX.PAK\n.X.PAK.mapfs-new-b\nX.PAK.MAN\n",
		0666);
	assert_int_equal(finish_pair(room, &e), -EPERM);
	assert_non_null(strstr(error_text(&e), "is writable by other users"));
	assert_true(is_marked(room) && are_all_old(room));
}

/* A new file that cannot be trusted is not taken for one that was renamed already. */
static void a_new_file_with_hard_links_keeps_the_marker(void **state)
{
	const struct room *room = *state;
	struct error e = ERROR_INIT;

	for (int i = 0; i < 2; i++) {
		const char *which = i ? ".X.PAK.mapfs-new-b" : ".X.PAK.mapfs-new-a";

		make_old(room);
		put_file(room->fd, ".X.PAK.mapfs-new-a", "new pak", 7);
		put_file(room->fd, ".X.PAK.mapfs-new-b", "new man", 7);
		put_marker(room,
			"mapfs pair 1\n.X.PAK.mapfs-new-a\nX.PAK\n.X.PAK.mapfs-new-b\nX.PAK.MAN\n",
			0644);
		assert_int_equal(linkat(room->fd, which, room->fd, "backup", 0), 0);
		assert_int_equal(finish_pair(room, &e), -EPERM);
		assert_non_null(strstr(error_text(&e), which));
		assert_true(is_marked(room) && are_all_old(room));
		assert_int_equal(unlinkat(room->fd, "backup", 0), 0);
		assert_int_equal(finish_pair(room, NULL), 1);
		assert_true(!is_marked(room) && are_all_new(room));
		error_clear(&e);
	}
}

static void a_marker_can_only_name_the_pair(void **state)
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
	assert_int_equal(finish_pair(room, NULL), -EPERM);
	assert_true(file_is(room, "private", "old") && is_marked(room));
	/* A new name does not replace a file either. */
	assert_int_equal(pair_finish(&trust, "X.PAK", validate, &made, NULL), -EEXIST);
	assert_true(file_is(room, "private", "old"));
	assert_int_equal(unlinkat(room->fd, "private", 0), 0);
	assert_int_equal(pair_finish(&trust, "X.PAK", validate, &made, NULL), 1);
	assert_true(file_is(room, "private", "new") && file_is(room, "other", "new"));
}

static void an_unreadable_directory_is_not_taken_for_a_missing_companion(void **state)
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
		TEST(a_marker_that_others_could_write_is_ignored),
		TEST(a_new_file_with_hard_links_keeps_the_marker),
		TEST(a_marker_can_only_name_the_pair),
		TEST(both_files_are_replaced_and_no_marker_is_left),
		TEST(the_names_of_a_new_pair_must_be_free),
		TEST(after_every_failure_the_old_or_the_new_pair_exists),
		TEST(after_a_kill_at_any_operation_the_next_mount_has_a_pair),
		TEST(a_recovery_killed_at_any_operation_is_completed_by_the_next),
		TEST(an_invalid_marker_is_refused_and_stays),
		TEST(an_unreadable_directory_is_not_taken_for_a_missing_companion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
