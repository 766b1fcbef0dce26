/* SPDX-License-Identifier: Zlib */
/*
 * Names that appear and disappear without a request of the kernel: its cached listings are
 * invalidated. structure_random.c tests this with random sequences.
 */
#include "support/remember.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buffer.h"

static void remembers_right(struct box *b)
{
	const char *path;

	box_settle(b);
	path = box_find_stale_listing(b);
	if (path)
		fail_msg("the kernel remembers names of %s that are others now",
			*path ? path : "the root");
}

/* Checks the test itself: it notices a changed name without an invalidation. */
static void the_test_notices_a_missing_invalidation(void **state)
{
	struct box *b = *state;
	struct pending p = {.call = {.ino = VFS_ROOT_INO, .name = "x~", .set = {.st_mode = 0755}}};

	box_remember(b);
	box_submit(b, &p, vfs_mkdir);
	assert_int_equal(box_wait(&p), 0);
	assert_string_equal(box_find_stale_listing(b), "");
	box_forget_listings(b);
}

static bool emit_nothing(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	(void)c, (void)name, (void)a, (void)next;
	return false;
}

static bool is_answered(struct box *b, struct pending *p, uint64_t off)
{
	p->call = (struct call){.ino = VFS_ROOT_INO, .off = off, .emit = emit_nothing};
	box_submit(b, p, vfs_readdir);
	return p->done;
}

/* Before changed names are listed, the kernel's older listing is invalidated. */
static void a_listing_of_changed_names_waits_for_the_invalidation(void **state)
{
	struct box *b = *state;
	struct pending first, other, rest;

	b->hold = true;
	assert_true(is_answered(b, &first, 0));
	assert_int_equal(box_mkdir(b, "x~"), 0);
	assert_true(is_answered(b, &rest, 2));
	assert_false(is_answered(b, &first, 0));
	assert_int_equal(b->invalidated[b->n_invalidated - 1], VFS_ROOT_INO);
	assert_false(is_answered(b, &other, 0));
	assert_int_equal(b->n_held, 1);
	box_release_invalidations(b);
	assert_int_equal(box_wait(&first), 0);
	assert_int_equal(box_wait(&other), 0);
	b->hold = true;
	assert_true(is_answered(b, &first, 0));
	box_release_invalidations(b);
}

static void dropping_a_draft_invalidates_its_name(void **state)
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

static void a_removed_empty_directory_is_back_after_a_save(void **state)
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

static uint64_t look_up(struct box *b, uint64_t dir, const char *name)
{
	struct pending p = {.call = {.ino = dir, .name = name}};

	box_submit(b, &p, vfs_lookup);
	assert_int_equal(box_wait(&p), 0);
	return p.call.attr.st_ino;
}

/* A save brings the file back between the kernel's lookup and its create. */
static void create_opens_a_file_that_is_back(void **state)
{
	struct box *b = *state;
	struct pending p = {.call = {.name = "author", .flags = O_WRONLY | O_CREAT | O_EXCL}};
	struct fd *f;

	assert_int_equal(box_unlink(b, "info/author"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_create(b, "info/author", &f), -ESTALE);
	p.call.ino = look_up(b, VFS_ROOT_INO, "info");
	box_submit(b, &p, vfs_create_file);
	assert_int_equal(box_wait(&p), -EEXIST);
	vfs_forget(b->v, p.call.ino, 1);
}

static void closing_one_form_removes_the_name_of_the_other(void **state)
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

/* Keep a lookup of the name in the kernel (*ret_ino). */
static void hold_name(struct box *b, const char *dir, const char *name, uint64_t *ret_ino)
{
	uint64_t in = look_up(b, VFS_ROOT_INO, dir);

	*ret_ino = look_up(b, in, name);
	vfs_forget(b->v, in, 1);
}

static int open_by(struct box *b, uint64_t ino, unsigned flags)
{
	struct pending p = {.call = {.ino = ino, .flags = flags}}, end = {0};
	int r;

	box_submit(b, &p, vfs_open);
	r = box_wait(&p);
	end.call.handle = p.call.opened;
	if (r == 0) {
		box_submit(b, &end, vfs_release);
		(void)box_wait(&end);
	}
	return r;
}

static int cut_by(struct box *b, uint64_t ino)
{
	struct pending p = {.call = {.ino = ino, .mask = ATTR_SIZE}};

	box_submit(b, &p, vfs_setattr);
	return box_wait(&p);
}

static int attr_by(struct box *b, uint64_t ino)
{
	struct pending p = {.call = {.ino = ino}};

	box_submit(b, &p, vfs_getattr);
	return box_wait(&p);
}

static void the_name_of_a_dropped_draft_is_looked_up_again(void **state)
{
	struct box *b = *state;
	uint64_t ino;
	struct fd *f;

	assert_int_equal(box_put(b, "images/1_new.png", "no picture"), -EINVAL);
	hold_name(b, "images", "1_new.png", &ino);
	assert_int_equal(open_by(b, ino, O_WRONLY), 0);
	/* The same if the file is open, because the name is looked up separately. */
	assert_int_equal(box_open(b, "images/1_new.png", O_RDONLY, &f), 0);
	assert_int_equal(box_removexattr(b, "images/1_new.png", "user.mapfs.error"), 0);
	assert_int_equal(open_by(b, ino, O_WRONLY | O_TRUNC), -ESTALE);
	assert_int_equal(cut_by(b, ino), -ESTALE);
	assert_int_equal(attr_by(b, ino), 0);
	fd_close(f);
	assert_int_equal(open_by(b, ino, O_WRONLY | O_TRUNC), -ESTALE);
	assert_int_equal(attr_by(b, ino), -ESTALE);
	vfs_forget(b->v, ino, 1);
}

static void a_removed_file_can_only_be_written_through_open_files(void **state)
{
	struct box *b = *state;
	uint64_t ino, again;
	struct fd *f;

	hold_name(b, "info", "author", &ino);
	assert_int_equal(box_open(b, "info/author", O_RDONLY, &f), 0);
	assert_int_equal(box_unlink(b, "info/author"), 0);
	assert_int_equal(open_by(b, ino, O_WRONLY), 0); /* /proc/self/fd/N */
	assert_int_equal(cut_by(b, ino), 0);
	fd_close(f);
	assert_int_equal(open_by(b, ino, O_WRONLY), -ESTALE);
	assert_int_equal(cut_by(b, ino), -ESTALE);
	/* The file is back after a save. */
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	hold_name(b, "info", "author", &again);
	assert_int_equal(open_by(b, again, O_WRONLY), 0);
	vfs_forget(b->v, ino, 1);
	vfs_forget(b->v, again, 1);
}

struct list {
	struct pending p; /* first */
	struct buffer names;
};

static bool take_name(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	(void)a, (void)next;
	buffer_printf(&((struct list *)c)->names, "%s ", name);
	return true;
}

static void start_listing(struct box *b, uint64_t dir, struct list *l)
{
	*l = (struct list){.p.call = {.ino = dir, .emit = take_name}, .names = BUFFER_INIT};
	box_submit(b, &l->p, vfs_readdir);
}

static bool listed_alike(const struct list *a, const struct list *b)
{
	return a->names.size == b->names.size &&
	       memcmp(a->names.data, b->names.data, a->names.size) == 0;
}

/* If the listing was older, the kernel would cache it for longer. */
static void a_listing_during_a_build_of_the_view_shows_the_new_one(void **state)
{
	struct box *b = *state;
	uint64_t raw = look_up(b, VFS_ROOT_INO, "raw"), data = look_up(b, raw, "data");
	struct list l[4]; /* before the change, immediately, during the build, after it */

	start_listing(b, data, &l[0]);
	assert_int_equal(box_wait(&l[0].p), 0);
	assert_int_equal(
		box_put(b, "images/0_img.json", "{\"external\": 1, \"width\": 8, \"height\": 8}\n"),
		0);
	start_listing(b, data, &l[1]);
	start_listing(b, data, &l[2]);
	assert_int_equal(box_wait(&l[2].p), 0);
	assert_int_equal(box_wait(&l[1].p), 0);
	start_listing(b, data, &l[3]);
	assert_int_equal(box_wait(&l[3].p), 0);
	assert_false(listed_alike(&l[0], &l[3]));
	assert_true(listed_alike(&l[1], &l[3]));
	assert_true(listed_alike(&l[2], &l[3]));
	for (int i = 0; i < 4; i++)
		buffer_finish_free(&l[i].names);
	vfs_forget(b->v, data, 1);
	vfs_forget(b->v, raw, 1);
}

int main(void)
{
#define IN_A_BOX(test) cmocka_unit_test_setup_teardown(test, box_setup, box_teardown)
	const struct CMUnitTest tests[] = {
		IN_A_BOX(a_listing_during_a_build_of_the_view_shows_the_new_one),
		IN_A_BOX(the_test_notices_a_missing_invalidation),
		IN_A_BOX(a_listing_of_changed_names_waits_for_the_invalidation),
		IN_A_BOX(dropping_a_draft_invalidates_its_name),
		IN_A_BOX(a_removed_empty_directory_is_back_after_a_save),
		IN_A_BOX(a_removed_text_is_back_after_a_save),
		IN_A_BOX(create_opens_a_file_that_is_back),
		IN_A_BOX(closing_one_form_removes_the_name_of_the_other),
		IN_A_BOX(the_name_of_a_dropped_draft_is_looked_up_again),
		IN_A_BOX(a_removed_file_can_only_be_written_through_open_files),
	};

	return cmocka_run_group_tests_name("vfs: listings", tests, NULL, NULL);
}
