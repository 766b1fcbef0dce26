/* SPDX-License-Identifier: Zlib */
/* Commands that visit many maps. */
#include "../base/support/util.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/target.h"
#include "tools/common/many.h"

static int count_visit(void *arg, struct offline *t, struct buffer *out)
{
	(void)arg;
	(void)t;
	(void)out;
	return -1;
}

/* Visit in a child, because the sandbox cannot be left. */
static int visit_all(char *path)
{
	const struct vfs_options how = {0};
	struct many m = {.visit = count_visit, .options = &how};
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(many_visit_all(&m, &path, 1) < 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void folder_without_maps_is_visited(void **state)
{
	struct room *room = *state;

	assert_int_equal(visit_all(room->path), 0);
	put_file(room->fd, "no-map.txt", "x", 1);
	assert_int_equal(visit_all(room->path), 0);
}

/* The N-th read of the folder, or of one below it, fails. */
static void a_folder_with_a_read_error_gives_a_failure(void **state)
{
	struct room *room = *state;
	int n = 0;

	assert_int_equal(mkdirat(room->fd, "below", 0777), 0);
	put_file(room->fd, "no-map.txt", "x", 1);
	put_file(room->fd, "below/no-map.txt", "x", 1);
	assert_int_equal(visit_all(room->path), 0);
	/* ".", ".." and the entries of both folders, and the end of each. */
	for (; n < 9; n++) {
		fail_reads_after(n);
		assert_int_not_equal(visit_all(room->path), 0);
	}
	fail_reads_after(n);
	assert_int_equal(visit_all(room->path), 0);
	fail_reads_after(-1);
}

static void an_unreadable_folder_is_not_reported_as_free_of_journals(void **state)
{
	struct room *room = *state;
	struct targets t = {0};

	put_file(room->fd, "a.map", "x", 1);
	put_file(room->fd, "b.map", "x", 1);
	assert_int_equal(targets_add_below(&t, room->path, false), -ENOENT);
	for (int n = 0; n < 5; n++) {
		fail_reads_after(n);
		assert_int_equal(targets_add_below(&t, room->path, true), -EIO);
		assert_int_equal(t.n, 0);
	}
	fail_reads_after(5);
	assert_int_equal(targets_add_below(&t, room->path, true), 0);
	fail_reads_after(-1);
	targets_finish(&t);
}

#define IN_A_ROOM(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_ROOM(folder_without_maps_is_visited),
		IN_A_ROOM(a_folder_with_a_read_error_gives_a_failure),
		IN_A_ROOM(an_unreadable_folder_is_not_reported_as_free_of_journals),
	};

	return cmocka_run_group_tests_name("cli: many", tests, NULL, NULL);
}
