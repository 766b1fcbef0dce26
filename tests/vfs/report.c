/* SPDX-License-Identifier: Zlib */
/* The report of a save and the status match the changes. */
#include "support/box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"

static bool status_is(struct box *b, const char *text)
{
	char got[4000];

	assert_int_equal(box_getxattr(b, "", "user.mapfs.status", got, sizeof(got)), 0);
	if (strcmp(got, text) != 0)
		printf("status:\n%s", got);
	return strcmp(got, text) == 0;
}

static void report_is(struct report *r, const char *text)
{
	char got[4000] = "";

	for (size_t i = 0; i < r->n; i++)
		strcat(strcat(got, r->lines[i]), "\n");
	report_finish(r);
	assert_string_equal(got, text);
}

static int full(struct io_call *c, void *arg)
{
	(void)arg;
	return c->op == IO_WRITE || (c->op == IO_OPEN && strstr(c->name, "mapfs-new")) ? -ENOSPC
										       : 0;
}

static void undone_change_is_not_reported(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_true(status_is(b, ""));
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_true(status_is(b, "changed info/author\nchanged info/version\n"));
	assert_int_equal(box_put(b, AUTHOR, "alice"), 0);
	assert_true(status_is(b, "changed info/version\n"));
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "saved: info/version\n");
	assert_true(status_is(b, ""));
	assert_int_equal(box_put(b, "images/new.json", "no JSON"), -EINVAL);
	assert_int_equal(box_unlink(b, "images/new.json"), 0);
	assert_int_equal(box_rename(b, IMAGE, "images/9_z.png"), 0);
	assert_int_equal(box_rename(b, "images/9_z.png", IMAGE), 0);
	assert_true(status_is(b, ""));
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "");
}

static void created_moved_and_removed_files_are_reported_once(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *image = box_get(b, IMAGE);
	struct report report;

	assert_int_equal(box_mkdir(b, "groups/1_new"), 0);
	assert_int_equal(box_put_bytes(b, "images/1_more.png", image->data, image->size), 0);
	assert_int_equal(box_rename(b, IMAGE, "images/2_moved.png"), 0);
	assert_int_equal(box_unlink(b, "info/license"), 0);
	assert_int_equal(box_put(b, "images/photo.jpg", "JPEG"), 0);
	assert_true(status_is(b,
		"new groups/1_new\nnew images/1_more.png\n"
		"renamed images/2_moved.png\nremoved info/license\n"
		"ignored images/photo.jpg: not part of a map (images/ takes .png and .json)\n"));
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "note: info/license was emptied, not removed: the map always has it\n"
			   "saved: groups/1_new\nsaved: images/1_more.png\n"
			   "saved: images/2_moved.png\n");
	assert_true(status_is(
		b, "ignored images/photo.jpg: not part of a map (images/ takes .png and .json)\n"));
	assert_int_equal(box_unlink(b, "images/2_moved.png"), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	assert_true(report_contains(&report, "removed: images/2_moved.png"));
	assert_false(report_contains(&report, "saved: images/2_moved.png"));
	report_finish(&report);
	/* A removal is reported once. */
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "saved: info/author\n");
}

static void failed_save_reports_no_changes(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_unlink(b, IMAGE), 0);
	io_set_hook(full, NULL);
	assert_int_equal(box_save(b, &report), OUTCOME_SAVE_FAILED);
	assert_int_equal(box_sync_root(b), -ENOSPC);
	io_set_hook(NULL, NULL);
	assert_false(report_contains(&report, "removed:"));
	assert_false(report_contains(&report, "saved:"));
	assert_true(report_contains(&report, "No space left"));
	report_finish(&report);
	assert_true(status_is(b, "removed " IMAGE "\nchanged " AUTHOR "\n"));
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	assert_true(report_contains(&report, "removed: " IMAGE));
	assert_true(report_contains(&report, "saved: " AUTHOR));
	report_finish(&report);
}

static void object_moved_to_a_scratch_name_is_reported_as_kept(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_rename(b, IMAGE, "images/.old"), 0);
	assert_true(status_is(b, "kept " IMAGE "\nignored images/.old: not part of a map\n"));
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	assert_true(report_contains(
		&report, IMAGE " is kept: its file was moved to a name without a meaning"));
	assert_false(report_contains(&report, "saved:"));
	report_finish(&report);
}

#define DECO "groups/0_g/layers/2_deco"

/* The layer and its tables exist under another name. */
static void part_is_reported_by_the_current_name_of_its_directory(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_unlink(b, DECO "/id.csv"), 0);
	assert_int_equal(box_rename(b, DECO, "groups/0_g/layers/9_far"), 0);
	assert_int_equal(box_rename(b, "groups/0_g", "groups/3_h"), 0);
	assert_true(status_is(b, "renamed groups/3_h\nrenamed groups/3_h/layers/9_far\n"
				 "removed groups/3_h/layers/9_far/id.csv\n"));
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report,
		"note: groups/3_h/layers/9_far/id.csv was emptied, not removed: the map always "
		"has it\n"
		"saved: groups/3_h\nsaved: groups/3_h/layers/9_far\n");
}

static void unchanged_parts_of_a_moved_directory_are_not_reported_as_removed(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_unlink(b, DECO "/layer.json"), 0);
	assert_int_equal(box_rename(b, "groups/0_g", "groups/3_h"), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_PARTIAL);
	assert_true(report_contains(&report, ": it is required"));
	assert_false(report_contains(&report, "removed: "));
	report_finish(&report);
}

static void replaced_directory_is_reported_as_removed(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_unlink(b, DECO "/id.csv"), 0);
	assert_int_equal(box_unlink(b, DECO "/flags.csv"), 0);
	assert_int_equal(box_unlink(b, DECO "/layer.json"), 0);
	assert_int_equal(box_rmdir(b, DECO), 0);
	assert_int_equal(box_rename(b, "groups/0_g/layers/1_front", DECO), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "note: the former " DECO " was removed\nsaved: " DECO "\n");
}

/* group.json is mandatory, and this group has that of a new group. */
static void group_created_again_is_not_reported_as_incomplete(void **state)
{
	static const char *const gone[] = {DECO "/id.csv", DECO "/flags.csv", DECO "/layer.json"};
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_mkdir(b, "groups/1_h"), 0);
	assert_int_equal(box_put(b, "groups/1_h/group.json", "{\"x_offset\": 5}"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_unlink(b, "groups/1_h/group.json"), 0);
	assert_int_equal(box_rmdir(b, "groups/1_h/layers"), 0);
	assert_int_equal(box_rmdir(b, "groups/1_h"), 0);
	assert_int_equal(box_mkdir(b, "groups/1_h"), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "note: the former groups/1_h was removed\nsaved: groups/1_h\n");
	for (int i = 0; i < 3; i++)
		assert_int_equal(box_unlink(b, gone[i]), 0);
	assert_int_equal(box_rmdir(b, DECO), 0);
	assert_int_equal(box_mkdir(b, DECO), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	report_is(&report, "note: " DECO " is not saved: it has no valid layer.json\n"
			   "note: what was " DECO " before was removed\n");
}

/* It is a draft since the save, and so is content that is put over it. */
static void part_of_an_unsaved_object_is_not_reported_as_saved(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_mkdir(b, "groups/0_g/layers/5_x"), 0);
	assert_int_equal(box_put(b, "groups/0_g/layers/5_x/id.csv", "1,2\n3,4\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_rename(b, DECO "/id.csv", "groups/0_g/layers/5_x/id.csv"), 0);
	assert_int_equal(box_save(b, &report), OUTCOME_DONE);
	assert_false(report_contains(&report, "saved: groups/0_g/layers/5_x"));
	assert_true(report_contains(&report, DECO "/id.csv was emptied, not removed"));
	report_finish(&report);
}

static void advise(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg)
{
	(void)before;
	(void)map;
	say(arg, FORMAT_NOTE, "it is large");
	say(arg, FORMAT_WARNING, "nothing loads it");
}

/* The note is new since the last save; the warning concerns every save. */
static void warning_of_a_format_makes_the_outcome_5_at_each_save(void **state)
{
	struct box b;
	struct report report;

	(void)state;
	assert_int_equal(box_new(&b, "X.MOD", NULL), 0);
	assert_int_equal(box_end(&b, NULL), OUTCOME_DONE);
	b.options.advise = advise;
	assert_int_equal(box_mount(&b, NULL), 0);
	assert_int_equal(box_put(&b, "MEDIA/A.OGG", "one"), 0);
	assert_int_equal(box_save(&b, &report), OUTCOME_PARTIAL);
	report_is(&report, "note: it is large\nwarning: nothing loads it\nsaved: MEDIA/A.OGG\n");
	assert_int_equal(box_put(&b, "MEDIA/A.OGG", "two"), 0);
	assert_int_equal(box_end(&b, &report), OUTCOME_PARTIAL);
	report_is(&report, "warning: nothing loads it\nsaved: MEDIA/A.OGG\n");
	box_remove(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(undone_change_is_not_reported),
		TEST(created_moved_and_removed_files_are_reported_once),
		TEST(failed_save_reports_no_changes),
		TEST(object_moved_to_a_scratch_name_is_reported_as_kept),
		TEST(part_is_reported_by_the_current_name_of_its_directory),
		TEST(unchanged_parts_of_a_moved_directory_are_not_reported_as_removed),
		TEST(replaced_directory_is_reported_as_removed),
		TEST(group_created_again_is_not_reported_as_incomplete),
		TEST(part_of_an_unsaved_object_is_not_reported_as_saved),
		cmocka_unit_test(warning_of_a_format_makes_the_outcome_5_at_each_save),
	};

	return cmocka_run_group_tests_name("vfs: report", tests, NULL, NULL);
}
