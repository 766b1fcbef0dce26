/* SPDX-License-Identifier: Zlib */
/* Commands that look at many maps. */
#include "../base/util.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/many.h"

static int visit(void *arg, struct offline *t, struct buffer *out)
{
	(void)arg;
	(void)t;
	(void)out;
	return -1;
}

/* In a child, for the sandbox is entered. */
static int visit_all(char *path)
{
	const struct vfs_options how = {0};
	struct many m = {.visit = visit, .how = &how};
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		folder_without_maps_is_visited, room_setup, room_teardown)};

	return cmocka_run_group_tests_name("cli: many", tests, NULL, NULL);
}
