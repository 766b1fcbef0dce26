/* SPDX-License-Identifier: Zlib */
/* Rule 12 of the design: nothing vanishes silently. */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/left.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"
#define LEFT       MAP_NAME ".mapfs-left"

static void draft_is_copied_out_at_the_end_and_named(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_end(b, &report), OUTCOME_LEFT);
	assert_true(report_says(&report, LEFT "/" AUTHOR));
	report_finish(&report);
	assert_true(file_says(b->room.fd, LEFT "/" AUTHOR, BAD_LINES));
	assert_true(box_map_says(b, 0, "alice\n"));
	/* It lies in the open now: the next mount begins anew. */
	assert_int_equal(box_beside(b, ".mapfs-journal-", NULL), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
}

static void changes_are_saved_beside_what_is_left(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "info/version", "v2"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_LEFT);
	assert_true(box_map_says(b, 1, "v2\n"));
	assert_true(file_says(b->room.fd, LEFT "/" AUTHOR, BAD_LINES));
}

static void file_that_was_never_closed_is_copied_out(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_LEFT);
	assert_true(file_says(b->room.fd, LEFT "/" AUTHOR, "bob"));
	assert_true(box_map_says(b, 0, "alice\n"));
}

static void scratch_that_no_habit_explains_is_copied_out(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/photo.jpg", "JPEG"), 0);
	assert_int_equal(box_mkdir(b, "images/more"), 0);
	assert_int_equal(box_mkdir(b, "images/more/deep"), 0);
	assert_int_equal(box_put(b, "images/more/deep/b.jpg", "two"), 0);
	assert_int_equal(box_put(b, "info/empty.txt", ""), 0);
	assert_int_equal(box_end(b, &report), OUTCOME_LEFT);
	assert_true(report_says(&report, "images/photo.jpg"));
	assert_true(report_says(&report, "images/more/deep/b.jpg"));
	report_finish(&report);
	assert_true(file_says(b->room.fd, LEFT "/images/photo.jpg", "JPEG"));
	assert_true(file_says(b->room.fd, LEFT "/images/more/deep/b.jpg", "two"));
	assert_true(file_says(b->room.fd, LEFT "/info/empty.txt", ""));
	/* Nothing of the map changed. */
	assert_true(box_map_says(b, 0, "alice\n"));
}

static void what_editors_leave_is_not_copied_out(void **state)
{
	static const char *const names[] = {"info/.author.swp", "info/author~", "info/#author#",
		"info/.#author", "info/4913", "info/sedAbCdEf", "info/author.bak",
		"images/.~lock.x.png#", "images/.directory"};
	struct box *b = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(box_put(b, names[i], "x"), 0);
		assert_true(left_explained(strrchr(names[i], '/') + 1));
	}
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void names_that_people_give_are_not_explained(void **state)
{
	static const char *const names[] = {"photo.jpg", "notes.txt", "image.png", "README",
		"sediment.txt", "zip", "XX", "a", "settings.cfg", "12345", "temporary"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (left_explained(names[i]))
			fail_msg("%s", names[i]);
}

static void removed_scratch_is_not_copied_out(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_put(b, "images/photo.jpg", "JPEG"), 0);
	assert_int_equal(box_unlink(b, "images/photo.jpg"), 0);
	assert_int_equal(box_create(b, "images/other.jpg", &f), 0);
	assert_int_equal(fd_text(f, 0, "open"), 0);
	assert_int_equal(box_unlink(b, "images/other.jpg"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void directory_of_before_is_left_alone_and_the_next_is_numbered(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(mkdirat(b->room.fd, LEFT, 0755), 0);
	put_file(b->room.fd, LEFT "/mine", "keep", 4);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_end(b, &report), OUTCOME_LEFT);
	assert_true(report_says(&report, LEFT ".1/" AUTHOR));
	report_finish(&report);
	assert_true(file_says(b->room.fd, LEFT "/mine", "keep"));
	assert_true(file_says(b->room.fd, LEFT ".1/" AUTHOR, BAD_LINES));
	assert_int_equal(count_files(b->room.fd), 3);
	box_remount(b);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_end(b, NULL), OUTCOME_LEFT);
	assert_true(file_says(b->room.fd, LEFT ".2/" AUTHOR, BAD_LINES));
}

static void save_leaves_drafts_and_scratch_where_they_are(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "images/photo.jpg", "JPEG"), 0);
	assert_int_equal(box_put(b, "info/version", "v2"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_beside(b, ".mapfs-left", NULL), 0);
	assert_true(box_shows(b, "images/photo.jpg", "JPEG"));
}

static void large_scratch_is_copied_out_whole(void **state)
{
	enum { SIZE = (9 << 20) + 3 };
	struct box *b = *state;
	CLEANUP(free) uint8_t *data = malloc(SIZE);
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	fill(data, SIZE, 11);
	assert_int_equal(box_put_bytes(b, "images/big.jpg", data, SIZE), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_LEFT);
	got = get_file(b->room.fd, LEFT "/images/big.jpg");
	assert_true(same(got, data, SIZE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(draft_is_copied_out_at_the_end_and_named),
		TEST(changes_are_saved_beside_what_is_left),
		TEST(file_that_was_never_closed_is_copied_out),
		TEST(scratch_that_no_habit_explains_is_copied_out),
		TEST(what_editors_leave_is_not_copied_out),
		TEST(names_that_people_give_are_not_explained),
		TEST(removed_scratch_is_not_copied_out),
		TEST(directory_of_before_is_left_alone_and_the_next_is_numbered),
		TEST(save_leaves_drafts_and_scratch_where_they_are),
		TEST(large_scratch_is_copied_out_whole),
	};

	return cmocka_run_group_tests_name("vfs: left", tests, NULL, NULL);
}
