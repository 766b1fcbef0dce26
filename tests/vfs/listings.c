/* SPDX-License-Identifier: Zlib */
/* Names that come and go by no request for them: the kernel forgets what it remembers of a listing.
 * What random sequences make of it is structure_random.c's to show. */
#include "remember.h"

#include <errno.h>
#include <fcntl.h>

static void remembers_right(struct box *b)
{
	const char *path;

	box_settle(b);
	path = box_misremembers(b);
	if (path)
		fail_msg("the kernel remembers names of %s that are others now",
			*path ? path : "the root");
}

/* What the test relies on: it sees a name that nobody told of. */
static void a_name_that_nobody_tells_of_is_seen(void **state)
{
	struct box *b = *state;
	struct pending p = {.call = {.ino = VFS_ROOT_INO, .name = "x~", .set = {.mode = 0755}}};

	box_remember(b);
	box_submit(b, &p, vfs_mkdir);
	assert_int_equal(box_wait(&p), 0);
	assert_string_equal(box_misremembers(b), "");
	box_forget_listings(b);
}

static void a_draft_that_is_dropped_takes_its_name_along(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, "images/1_new.png", "no picture"), -EINVAL);
	box_remember(b);
	assert_true(box_lists(b, "images", "1_new.png"));
	assert_int_equal(box_removexattr(b, "images/1_new.png", "user.mapfs.error"), 0);
	assert_false(box_lists(b, "images", "1_new.png"));
	remembers_right(b);
	box_forget_listings(b);
}

static void an_empty_directory_that_was_removed_is_back_after_a_save(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_rmdir(b, "sounds"), 0);
	box_remember(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_lists(b, "", "sounds"));
	remembers_right(b);
	box_forget_listings(b);
}

static void a_removed_text_is_back_after_a_save(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_unlink(b, "info/author"), 0);
	box_remember(b);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_lists(b, "info", "author"));
	remembers_right(b);
	box_forget_listings(b);
}

static void an_image_leaves_with_its_other_form(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_create(b, "images/0_img.json", &f), 0);
	assert_int_equal(fd_text(f, 0, "{\"external\": 1, \"width\": 8, \"height\": 8}\n"), 0);
	box_remember(b);
	assert_int_equal(fd_close(f), 0);
	assert_false(box_lists(b, "images", "0_img.png"));
	remembers_right(b);
	box_forget_listings(b);
}

int main(void)
{
#define IN_A_BOX(test) cmocka_unit_test_setup_teardown(test, box_setup, box_teardown)
	const struct CMUnitTest tests[] = {
		IN_A_BOX(a_name_that_nobody_tells_of_is_seen),
		IN_A_BOX(a_draft_that_is_dropped_takes_its_name_along),
		IN_A_BOX(an_empty_directory_that_was_removed_is_back_after_a_save),
		IN_A_BOX(a_removed_text_is_back_after_a_save),
		IN_A_BOX(an_image_leaves_with_its_other_form),
	};

	return cmocka_run_group_tests_name("vfs: listings", tests, NULL, NULL);
}
