/* SPDX-License-Identifier: Zlib */
/* Direct tests of the overlay of a mounted map, and of the map that is built from it. */
#include "support/box.h"

#include <errno.h>
#include <string.h>

#include "vfs/overlay/overlay_build.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"
#define VERSION    "info/version"
/* The fixture has no settings and eleven data items, so the settings are the twelfth. */
#define SETTINGS "info/settings.cfg"
#define NEW_DATA "raw/data/00011"

static int stop_at_first(void *arg, const char *, const struct dentry *)
{
	return ++*(unsigned *)arg == 1;
}

static void listing_stops_when_the_caller_stops_it(void **state)
{
	struct box *b = *state;
	struct dentry dir;
	unsigned calls = 0;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(overlay_find(b->v->overlay, "info", &dir), 0);
	assert_int_equal(overlay_list(b->v->overlay, &dir, stop_at_first, &calls), 1);
	assert_int_equal(calls, 1);
}

static void file_derived_from_a_change_can_be_read_like_one_of_the_base(void **state)
{
	struct box *b = *state;
	char text[sizeof("sv_x 1")];
	struct file_attr en;
	struct dentry s;

	assert_int_equal(box_put(b, SETTINGS, "sv_x 1\n"), 0);
	assert_true(box_lists(b, "raw/data", "00011"));
	assert_int_equal(overlay_find(b->v->overlay, NEW_DATA, &s), 0);
	assert_int_equal(overlay_stat(b->v->overlay, &s, &en, NULL), 0);
	assert_int_equal(en.size, sizeof(text));
	assert_int_equal(overlay_read(b->v->overlay, &s, 0, text, sizeof(text), NULL), 0);
	assert_string_equal(text, "sv_x 1");
}

static void file_derived_from_a_change_is_protected_like_one_of_the_base(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, SETTINGS, "sv_x 1\n"), 0);
	assert_true(box_lists(b, "raw/data", "00011"));
	assert_int_equal(box_unlink(b, NEW_DATA), -EPERM);
	assert_int_equal(box_rename(b, NEW_DATA, "raw/data/00012"), -EPERM);
	assert_int_equal(box_rename(b, AUTHOR, NEW_DATA), -EACCES);
}

/* Does the built map have the content that was accepted at this path before a refused one? */
static bool builds_accepted(struct box *b, const char *path)
{
	struct overlay_build s;
	bool found = false, accepted = false;

	assert_int_equal(overlay_build(b->v->overlay, &s, NULL), 0);
	for (size_t i = 1; i < s.n; i++) {
		CLEANUP(free) char *at = oentry_path(s.oentries[i]);

		if (strcmp(at, path) != 0)
			continue;
		assert_int_equal(s.result.outputs[i].outcome, BUILD_REFUSED);
		accepted = s.result.outputs[i].has_accepted;
		found = true;
	}
	assert_true(found);
	overlay_build_finish(&s);
	return accepted;
}

static void build_has_accepted_content_only_if_some_was_accepted(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, VERSION, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_false(builds_accepted(b, VERSION));
	assert_true(builds_accepted(b, AUTHOR));
}

static void missing_directories_of_a_path_are_created(void **state)
{
	struct overlay *o = ((struct box *)*state)->v->overlay;
	struct dentry s;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(overlay_mkdirs(o, "groups/1_new/layers/0_x/"), 0);
		assert_int_equal(overlay_find(o, "groups/1_new/layers/0_x", &s), 0);
		assert_true(s.is_dir && s.id != ENTRY_NONE);
	}
	assert_int_equal(overlay_mkdirs(o, "info"), 0);
	assert_int_equal(overlay_mkdirs(o, ""), 0);
	assert_int_equal(overlay_mkdirs(o, AUTHOR), -ENOTDIR);
	assert_int_equal(overlay_mkdirs(o, AUTHOR "/x"), -ENOTDIR);
	assert_int_equal(overlay_mkdirs(o, "scratch/.git/x"), -EPERM);
	assert_int_equal(overlay_remove(o, "groups/1_new/layers/0_x", true), 0);
	assert_int_equal(overlay_mkdirs(o, "groups/1_new/layers/0_x"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(listing_stops_when_the_caller_stops_it),
		TEST(file_derived_from_a_change_can_be_read_like_one_of_the_base),
		TEST(file_derived_from_a_change_is_protected_like_one_of_the_base),
		TEST(build_has_accepted_content_only_if_some_was_accepted),
		TEST(missing_directories_of_a_path_are_created),
	};

	return cmocka_run_group_tests_name("vfs: overlay", tests, NULL, NULL);
}
