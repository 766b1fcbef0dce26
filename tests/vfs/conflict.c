/* SPDX-License-Identifier: Zlib */
/* Rule 7 of the design: no changes of other programs are overwritten. */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"
#define CONFLICT   MAP_NAME ".mapfs-conflict"

static bool map_author_is(const struct box *b, const char *file, const char *author)
{
	CLEANUP(bytes_unref) struct bytes *map = get_file(b->room.fd, file);
	CLEANUP(free) char *text = map && map_is_sound(map) ? map_info(map, 0) : NULL;

	return text && strcmp(text, author) == 0;
}

/* Another program writes a map by `author` and renames it over ours. */
static void replace_map(struct box *b, const char *author)
{
	CLEANUP(bytes_unref) struct bytes *map = map_build(author);

	put_file(b->room.fd, "theirs", map->data, map->size);
	assert_int_equal(renameat(b->room.fd, "theirs", b->room.fd, MAP_NAME), 0);
}

static void replaced_map_is_not_changed_and_the_save_writes_a_conflict_file(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	replace_map(b, "eve");
	assert_int_equal(box_save(b, &report), OUTCOME_CONFLICT);
	assert_true(report_contains(&report, CONFLICT));
	report_finish(&report);
	assert_true(map_author_is(b, MAP_NAME, "eve\n"));
	assert_true(map_author_is(b, CONFLICT, "bob\n"));
}

static void later_saves_write_the_conflict_file_and_report_a_conflict(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	replace_map(b, "eve");
	assert_int_equal(box_save(b, NULL), OUTCOME_CONFLICT);
	assert_int_equal(box_put(b, AUTHOR, "rob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_CONFLICT);
	assert_true(map_author_is(b, MAP_NAME, "eve\n"));
	assert_true(map_author_is(b, CONFLICT, "rob\n"));
	assert_true(box_shows(b, AUTHOR, "rob\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_CONFLICT);
	assert_int_equal(count_files(b->room.fd), 2);
}

static void existing_conflict_files_are_not_overwritten(void **state)
{
	struct box *b = *state;

	put_file(b->room.fd, CONFLICT, "old", 3);
	put_file(b->room.fd, CONFLICT ".1", "older", 5);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	replace_map(b, "eve");
	assert_int_equal(box_end(b, NULL), OUTCOME_CONFLICT);
	assert_true(file_content_is(b->room.fd, CONFLICT, "old"));
	assert_true(file_content_is(b->room.fd, CONFLICT ".1", "older"));
	assert_true(map_author_is(b, CONFLICT ".2", "bob\n"));
	assert_true(map_author_is(b, MAP_NAME, "eve\n"));
	assert_int_equal(count_files(b->room.fd), 4);
}

static void draft_is_rescued_under_the_name_of_the_map_despite_a_conflict(void **state)
{
	struct box *b = *state;
	struct report report;
	char name[NAME_MAX + 1];

	put_file(b->room.fd, CONFLICT, "old", 3);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	replace_map(b, "eve");
	assert_int_equal(box_save(b, NULL), OUTCOME_CONFLICT);
	assert_true(map_author_is(b, CONFLICT ".1", "bob\n"));
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	assert_memory_equal(name, MAP_NAME ".mapfs-journal-", strlen(MAP_NAME ".mapfs-journal-"));
	assert_int_equal(box_end(b, &report), OUTCOME_CONFLICT);
	/* A client that asks last also gets the name of the conflict file. */
	assert_true(report_contains(&report, CONFLICT ".1"));
	report_finish(&report);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 0);
	assert_true(file_content_is(b->room.fd, MAP_NAME ".mapfs-left/info/version", BAD_LINES));
}

/* Write in place, so that the unread rest of the old map is lost. */
static void overwrite(struct box *b, const struct bytes *map, size_t size, bool same_time)
{
	CLEANUP(close_fd) int fd = openat(b->room.fd, MAP_NAME, O_WRONLY | O_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pwrite(fd, map->data, size, 0), size);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	if (same_time)
		assert_int_equal(futimens(fd, (struct timespec[]){st.st_atim, st.st_mtim}), 0);
}

static void map_written_in_place_is_not_mixed_with_the_old_one(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *ours = map_build("alice");
	CLEANUP(bytes_unref) struct bytes *map = map_build("eve..");
	const size_t sizes[] = {map->size, map->size / 2, 0};

	assert_int_equal(map->size, ours->size);
	for (unsigned i = 0; i < 6; i++) {
		struct report report;

		put_file(b->room.fd, MAP_NAME, ours->data, ours->size);
		box_remount(b);
		assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
		overwrite(b, map, sizes[i / 2], i % 2);
		assert_int_equal(box_save(b, &report), OUTCOME_SAVE_FAILED);
		assert_true(report_contains(&report, "another program overwrote parts of " MAP_NAME));
		assert_true(report_contains(&report, "journal"));
		assert_false(report_contains(&report, "the map is unchanged"));
		report_finish(&report);
		assert_int_equal(box_end(b, NULL), OUTCOME_SAVE_FAILED);
		assert_int_equal(box_count_names(b, CONFLICT, NULL), 0);
		assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 1);
		if (!sizes[i / 2])
			continue;
		/* The old map comes back, and with it the changes. */
		put_file(b->room.fd, MAP_NAME, ours->data, ours->size);
		assert_int_equal(box_mount(b, NULL), 0);
		assert_true(box_shows(b, AUTHOR, "bob\n"));
		assert_int_equal(box_truncate(b, AUTHOR, 0), 0);
		assert_int_equal(box_put(b, AUTHOR, "alice"), 0);
		assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	}
}

enum { LARGE = 17 << 20, MIDDLE = LARGE / 2 };

/* A large map, with unused bytes after its end. */
static void mount_large(struct box *b)
{
	CLEANUP(bytes_unref) struct bytes *map = map_build("alice");

	CLEANUP(close_fd) int fd = -1;
	char name[NAME_MAX + 1];

	box_kill(b);
	while (box_count_names(b, MAP_NAME, name))
		assert_int_equal(unlinkat(b->room.fd, name, 0), 0);
	put_file(b->room.fd, MAP_NAME, map->data, map->size);
	fd = openat(b->room.fd, MAP_NAME, O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, LARGE), 0);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
}

static void touched_large_map_is_not_overwritten(void **state)
{
	struct box *b = *state;

	for (unsigned i = 0; i < 3; i++) {
		CLEANUP(close_fd) int fd = -1;
		struct stat st;

		mount_large(b);
		fd = openat(b->room.fd, MAP_NAME, O_WRONLY | O_CLOEXEC);
		assert_int_equal(fstat(fd, &st), 0);
		if (i == 0)
			assert_int_equal(futimens(fd, NULL), 0);
		else if (i == 1)
			assert_int_equal(pwrite(fd, "x", 1, LARGE), 1);
		else
			assert_int_equal(pwrite(fd, "x", 1, MIDDLE), 1);
		if (i > 0)
			assert_int_equal(
				futimens(fd, (struct timespec[]){st.st_atim, st.st_mtim}), 0);
		assert_int_equal(box_end(b, NULL), OUTCOME_SAVE_FAILED);
		assert_int_equal(box_count_names(b, CONFLICT, NULL), 0);
		assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 1);
	}
}

static void changed_rights_of_a_large_map_are_no_conflict(void **state)
{
	struct box *b = *state;

	for (unsigned i = 0; i < 3; i++) {
		CLEANUP(close_fd) int fd = -1;

		mount_large(b);
		fd = openat(b->room.fd, MAP_NAME, O_WRONLY | O_CLOEXEC);
		if (i == 0)
			assert_int_equal(fchmod(fd, 0600), 0);
		else if (i == 1)
			assert_int_equal(
				linkat(b->room.fd, MAP_NAME, b->room.fd, MAP_NAME ".link", 0), 0);
		else if (fsetxattr(fd, "user.x", "y", 1, 0) < 0)
			break; /* not on this file system */
		assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
		assert_true(map_author_is(b, MAP_NAME, "bob\n"));
	}
}

static void changed_rights_and_links_are_no_conflict(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(fchmodat(b->room.fd, MAP_NAME, 0600, 0), 0);
	assert_int_equal(linkat(b->room.fd, MAP_NAME, b->room.fd, "link", 0), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_put(b, AUTHOR, "rob\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(map_author_is(b, MAP_NAME, "rob\n"));
	assert_int_equal(count_files(b->room.fd), 2);
}

static void map_that_grew_is_a_conflict(void **state)
{
	struct box *b = *state;
	int fd = openat(b->room.fd, MAP_NAME, O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(box_end(b, NULL), OUTCOME_CONFLICT);
	assert_true(map_author_is(b, CONFLICT, "bob\n"));
}

static void map_that_was_removed_is_a_conflict(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(unlinkat(b->room.fd, MAP_NAME, 0), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_CONFLICT);
	assert_true(map_author_is(b, CONFLICT, "bob\n"));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void touched_map_is_no_conflict(void **state)
{
	struct box *b = *state;
	const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(utimensat(b->room.fd, MAP_NAME, times, 0), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(map_author_is(b, MAP_NAME, "bob\n"));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void map_replaced_by_the_same_content_is_no_conflict(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	replace_map(b, "alice");
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(map_author_is(b, MAP_NAME, "bob\n"));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void nothing_to_save_is_no_conflict(void **state)
{
	struct box *b = *state;

	replace_map(b, "eve");
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(map_author_is(b, MAP_NAME, "eve\n"));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void changes_after_a_conflict_come_back_with_the_conflict_file(void **state)
{
	struct box *b = *state;
	char name[NAME_MAX + 1];

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	replace_map(b, "eve");
	assert_int_equal(box_save(b, NULL), OUTCOME_CONFLICT);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	box_kill(b);
	/* The search for the map's journals finds it. */
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	assert_memory_equal(name, MAP_NAME ".mapfs-journal-", strlen(MAP_NAME ".mapfs-journal-"));
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "eve\n"));
	assert_true(box_shows(b, "info/version", "v1\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	/* The user takes the conflict file. */
	assert_int_equal(renameat(b->room.fd, CONFLICT, b->room.fd, MAP_NAME), 0);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(box_shows(b, "info/version", "v2\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(replaced_map_is_not_changed_and_the_save_writes_a_conflict_file),
		TEST(later_saves_write_the_conflict_file_and_report_a_conflict),
		TEST(existing_conflict_files_are_not_overwritten),
		TEST(draft_is_rescued_under_the_name_of_the_map_despite_a_conflict),
		TEST(map_written_in_place_is_not_mixed_with_the_old_one),
		TEST(touched_large_map_is_not_overwritten),
		TEST(changed_rights_of_a_large_map_are_no_conflict),
		TEST(changed_rights_and_links_are_no_conflict),
		TEST(map_that_grew_is_a_conflict),
		TEST(map_that_was_removed_is_a_conflict),
		TEST(touched_map_is_no_conflict),
		TEST(map_replaced_by_the_same_content_is_no_conflict),
		TEST(nothing_to_save_is_no_conflict),
		TEST(changes_after_a_conflict_come_back_with_the_conflict_file),
	};

	return cmocka_run_group_tests_name("vfs: conflict", tests, NULL, NULL);
}
