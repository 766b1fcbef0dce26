/* SPDX-License-Identifier: Zlib */
/*
 * Work is done once (section 1 of the design): closed content is parsed once for its entry and
 * base, and its changes are composed and compressed once, by the save. Reading files causes none of
 * this work.
 */
#include "support/box.h"

#include <errno.h>
#include <string.h>

#include "base/disk/io.h"
#include "codec/blob.h"
#include "codec/zlib/inflate.h"
#include "formats/format.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"
#define DECO       "groups/0_g/layers/2_deco/"

struct work {
	uint64_t parsed, made, deflated;
};

static struct work work(void)
{
	return (struct work){content_parsed_total(), blob_materialized_total(), deflate_total()};
}

/* Returns the work since `from`, and updates `from`. */
static struct work work_since(struct work *from)
{
	struct work now = work(), was = *from;

	*from = now;
	return (struct work){
		now.parsed - was.parsed, now.made - was.made, now.deflated - was.deflated};
}

static void work_is(struct work is, uint64_t parsed, uint64_t made, uint64_t deflated)
{
	assert_int_equal(is.parsed, parsed);
	assert_int_equal(is.made, made);
	assert_int_equal(is.deflated, deflated);
}

/* Read every file, as a file manager does. */
static void read_all(struct box *b)
{
	static const char *const files[] = {AUTHOR, "info/version", "info/credits", IMAGE,
		DECO "id.csv", DECO "flags.csv", DECO "layer.json", "groups/0_g/group.json"};
	struct stat a;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_int_equal(box_stat(b, files[i], &a), 0);
	assert_true(box_lists(b, "groups/0_g/layers", "2_deco"));
	assert_true(box_lists(b, "images", "0_img.png"));
}

/* Change the content of an image, two tables and a text. */
static void change_all(struct box *b, const char *author)
{
	assert_int_equal(box_put(b, DECO "id.csv", "3,3\n3,9\n"), 0);
	assert_int_equal(box_put(b, DECO "flags.csv", "1,1\n0,1\n"), 0);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_put(b, AUTHOR, author), 0);
}

/* Both tables are one data item, and each text is one. */
enum { FILES = 4, ITEMS = 3 };

static void closes_are_parsed_once_and_compressed_by_the_save(void **state)
{
	struct box *b = *state;
	struct work at = work();

	change_all(b, "bob\n");
	work_is(work_since(&at), FILES, 0, 0);
	for (int i = 0; i < 3; i++) {
		read_all(b);
		work_is(work_since(&at), 0, 0, 0);
		assert_int_equal(box_put(b, "info/credits", i % 2 ? "x\n" : "y\n"), 0);
		work_is(work_since(&at), 1, 0, 0);
	}
	read_all(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	work_is(work_since(&at), 0, ITEMS + 1, ITEMS + 1);
	read_all(b);
	work_is(work_since(&at), 0, 0, 0);
	/* The next save only does the work of its own changes. */
	assert_int_equal(box_put(b, AUTHOR, "rob\n"), 0);
	read_all(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	work_is(work_since(&at), 1, 1, 1);
	assert_true(box_map_info_is(b, 0, "rob\n"));
	assert_true(box_map_info_is(b, 1, "v2\n"));
}

static int fail_to_rename(struct io_call *c, void *)
{
	return c->op == IO_RENAME ? -EIO : 0;
}

static void save_after_a_failed_one_copies_its_compressed_blobs(void **state)
{
	struct box *b = *state;
	struct work at;

	change_all(b, "bob\n");
	at = work();
	io_set_hook(fail_to_rename, NULL);
	assert_int_equal(box_save(b, NULL), OUTCOME_SAVE_FAILED);
	io_set_hook(NULL, NULL);
	work_is(work_since(&at), 0, ITEMS, ITEMS);
	read_all(b);
	assert_int_equal(box_put(b, "info/credits", "x\n"), 0);
	read_all(b);
	work_is(work_since(&at), 1, 0, 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	work_is(work_since(&at), 0, 1, 1);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void content_from_a_journal_is_parsed_once(void **state)
{
	struct box *b = *state;
	struct work at;

	change_all(b, "bob\n");
	box_remount(b);
	at = work();
	read_all(b);
	work_is(work_since(&at), FILES, 0, 0);
	read_all(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	work_is(work_since(&at), 0, ITEMS, ITEMS);
}

static void content_renamed_to_another_entry_is_parsed_for_that_entry(void **state)
{
	struct box *b = *state;
	struct work at;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	at = work();
	assert_int_equal(box_rename(b, AUTHOR, "info/version"), 0);
	assert_true(box_shows(b, "info/version", "bob\n"));
	assert_true(box_shows(b, "info/credits", "nobody\n"));
	work_is(work_since(&at), 1, 0, 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 1, "bob\n"));
}

static void refused_content_is_parsed_once(void **state)
{
	struct box *b = *state;
	struct work at = work();

	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	work_is(work_since(&at), 1, 0, 0);
	read_all(b);
	read_all(b);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	read_all(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	work_is(work_since(&at), 1, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(closes_are_parsed_once_and_compressed_by_the_save),
		TEST(save_after_a_failed_one_copies_its_compressed_blobs),
		TEST(content_from_a_journal_is_parsed_once),
		TEST(content_renamed_to_another_entry_is_parsed_for_that_entry),
		TEST(refused_content_is_parsed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
