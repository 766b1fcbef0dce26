/* SPDX-License-Identifier: Zlib */
/* Names beside a map, and the number of times that their directory is read. */
#include "base/disk/names.h"
#include "base/disk/sidecar_cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/util.h"

static unsigned readings;

/* Replaces the library's function, to count the readings of directories. */
DIR *fdopendir(int fd)
{
	DIR *(*real)(int) = (DIR * (*)(int)) dlsym(RTLD_NEXT, "fdopendir");

	readings++;
	return real(fd);
}

struct recorded_names {
	char text[512];
	int answer;
};

static int record_name(void *arg, const char *name)
{
	struct recorded_names *t = arg;

	strcat(t->text, name);
	strcat(t->text, " ");
	return t->answer;
}

static const char *names_with_prefix(
	struct sidecar_cache *n, const char *stem, struct recorded_names *t)
{
	*t = (struct recorded_names){0};
	assert_int_equal(sidecar_cache_each(n, stem, record_name, t, NULL), 0);
	return t->text;
}

static void names_are_found_by_prefix(void **state)
{
	static const char *const files[] = {"b.map.mapfs-journal-2", "b.map.mapfs-journal-1",
		"b.map", "a.map.mapfs-journal-1", "b.mapfs-journal-1", ".b.map.mapfs-new-abcdef",
		"c"};
	const struct room *room = *state;
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *n = sidecar_cache_create(room->fd);
	struct recorded_names t;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		put_file(room->fd, files[i], "x", 1);
	assert_string_equal(names_with_prefix(n, "b.map", &t),
		"b.map.mapfs-journal-1 b.map.mapfs-journal-2 b.mapfs-journal-1 ");
	assert_string_equal(
		names_with_prefix(n, "b.map.", &t), "b.map.mapfs-journal-1 b.map.mapfs-journal-2 ");
	assert_string_equal(
		names_with_prefix(n, ".b.map.mapfs-new-", &t), ".b.map.mapfs-new-abcdef ");
	assert_string_equal(names_with_prefix(n, "c", &t), "");
	assert_string_equal(names_with_prefix(n, "zz", &t), "");
	t = (struct recorded_names){.answer = 7};
	assert_int_equal(sidecar_cache_each(n, "b", record_name, &t, NULL), 7);
	assert_string_equal(t.text, "b.map.mapfs-journal-1 ");
}

static void many_lookups_read_the_directory_once(void **state)
{
	const struct room *room = *state;
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *n = sidecar_cache_create(room->fd);
	const struct timespec longer = {.tv_sec = 1, .tv_nsec = 100 * 1000 * 1000};
	struct recorded_names t;

	readings = 0;
	for (unsigned i = 0; i < 100; i++)
		names_with_prefix(n, "a", &t);
	/* More than one if the machine paused for a second. */
	assert_in_range(readings, 1, 3);
	put_file(room->fd, "a.mapfs-new-abcdef", "x", 1);
	nanosleep(&longer, NULL);
	readings = 0;
	assert_string_equal(names_with_prefix(n, "a", &t), "a.mapfs-new-abcdef ");
	assert_int_equal(readings, 1);
}

static void an_unreadable_directory_is_reported(void **state)
{
	struct error e = ERROR_INIT;
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *n = sidecar_cache_create(-1);
	struct recorded_names t = {0};

	(void)state;
	assert_int_equal(sidecar_cache_each(n, "a", record_name, &t, &e), -EBADF);
	assert_non_null(strstr(error_text(&e), "cannot list"));
}

/* Fail after "." and "..", after two names, and after all names. */
static void failure_in_the_middle_of_a_directory_is_reported(void **state)
{
	const struct room *room = *state;
	CLEANUP(sidecar_cache_destroy) struct sidecar_cache *n = sidecar_cache_create(room->fd);
	struct error e = ERROR_INIT;
	struct recorded_names t = {0};

	put_file(room->fd, "a.mapfs-1", "x", 1);
	put_file(room->fd, "a.mapfs-2", "x", 1);
	put_file(room->fd, "a.mapfs-3", "x", 1);
	for (int at = 0; at <= 5; at++) {
		CLEANUP_NAMES struct names names = {0};

		fail_reads_after(at);
		assert_int_equal(sidecar_cache_each(n, "a", record_name, &t, &e), -EIO);
		assert_string_equal(
			error_text(&e), "cannot list the map's directory: Input/output error");
		fail_reads_after(at);
		assert_int_equal(names_add_dir(&names, room->fd), -EIO);
	}
	fail_reads_after(-1);
	assert_string_equal(t.text, "");
	assert_string_equal(names_with_prefix(n, "a", &t), "a.mapfs-1 a.mapfs-2 a.mapfs-3 ");
}

#define in_a_room(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_room(names_are_found_by_prefix),
		in_a_room(many_lookups_read_the_directory_once),
		cmocka_unit_test(an_unreadable_directory_is_reported),
		in_a_room(failure_in_the_middle_of_a_directory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
