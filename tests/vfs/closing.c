/* SPDX-License-Identifier: Zlib */
/* Rules 2 and 3 of the design: a close applies changes, and editors work as usual. */
#include "support/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"

static void map_of_the_independent_writer_is_valid_and_shown(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *map = box_map(b);
	CLEANUP(bytes_unref) struct bytes *image = box_get(b, IMAGE);
	uint8_t ids[MAP_CELLS];

	assert_true(map_is_sound(map));
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_true(box_shows(b, "info/settings.cfg", ""));
	assert_true(box_lists(b, "images", "0_img.png"));
	/* Layout rule 10: 63 + n + 5 for each block, n = h * (4 * w + 1). */
	assert_non_null(image);
	assert_int_equal(image->size, 63 + 2 * 9 + 5);
	assert_true(map_ids(map, MAP_DECO, ids) && ids[1] == 7);
}

static void flush_applies_writes_since_the_last_flush(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	assert_int_equal(fd_flush(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_int_equal(fd_text(f, 3, "by"), 0);
	assert_int_equal(fd_close(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bobby\n"));
}

static void unclosed_writes_are_not_saved(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	assert_int_equal(box_put(b, "info/version", "v2"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "alice\n"));
	assert_true(box_map_info_is(b, 1, "v2\n"));
	assert_int_equal(fd_close(f), 0);
}

/* What a save does to each file that is open for writing: open for reading, fsync, close. */
static void flush_from_outside(struct box *b, const char *path)
{
	struct fd *f;

	assert_int_equal(box_open(b, path, O_RDONLY, &f), 0);
	assert_int_equal(fd_fsync(f), 0);
	assert_int_equal(fd_close(f), 0);
}

static void save_does_not_apply_a_partly_written_file(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bo"), 0);
	flush_from_outside(b, AUTHOR);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "alice\n"));
	assert_int_equal(fd_text(f, 2, "b"), 0);
	assert_int_equal(fd_close(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	/* An fsync by the writer applies like a close. */
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "rob"), 0);
	assert_int_equal(fd_fsync(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "rob\n"));
	assert_int_equal(fd_close(f), 0);
}

static void save_applies_mapped_pages(void **state)
{
	struct box *b = *state;
	struct fd *f;

	/* mmap, close, write to the memory: the handle stays open. */
	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &f), 0);
	assert_int_equal(fd_flush(f), 0);
	assert_int_equal(fd_page(f, 0, "alicE\n"), 0);
	flush_from_outside(b, AUTHOR);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "alicE\n"));
	assert_int_equal(fd_release(f), 0);
}

static void writes_beyond_the_size_limit_are_refused_immediately(void **state)
{
	enum { TEXT = 64 << 20 };
	struct box *b = *state;
	struct stat a;
	struct fd *f;

	assert_int_equal(box_truncate(b, AUTHOR, (uint64_t)TEXT + 1), -EFBIG);
	assert_int_equal(box_truncate(b, "info/settings.cfg", (uint64_t)16 << 30), -EFBIG);
	assert_int_equal(box_truncate(b, IMAGE, (uint64_t)1 << 31), -EFBIG);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &f), 0);
	assert_int_equal(fd_text(f, TEXT, "x"), -EFBIG);
	assert_int_equal(fd_text(f, TEXT - 1, "xx"), -EFBIG);
	assert_int_equal(fd_text(f, (uint64_t)4 << 30, "x"), -EFBIG);
	assert_int_equal(fd_text(f, UINT64_MAX, "x"), -EFBIG);
	assert_int_equal(fd_truncate(f, (uint64_t)TEXT + 1), -EFBIG);
	assert_int_equal(fd_close(f), 0);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 0);
	/*
	 * A scratch file has a separate size limit; renamed over a file, it must keep that file's
	 * limit.
	 */
	assert_int_equal(box_put(b, "info/.new", "x"), 0);
	assert_int_equal(box_truncate(b, "info/.new", (uint64_t)1 << 31), -EFBIG);
	assert_int_equal(box_truncate(b, "info/.new", (uint64_t)TEXT + 1), 0);
	assert_int_equal(box_rename(b, "info/.new", AUTHOR), -EPERM);
	assert_int_equal(box_stat(b, "info/.new", &a), 0);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 0);
}

static void flush_does_not_validate_a_truncation(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *image = box_get(b, IMAGE);
	struct fd *f;

	/* A shell's `cat x > f`: open and truncate, dup, close (a flush), write, close. */
	assert_int_equal(box_open(b, IMAGE, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_flush(f), 0);
	assert_int_equal(fd_write(f, 0, image->data, image->size), 0);
	assert_int_equal(fd_close(f), 0);
	assert_false(box_is_draft(b, IMAGE));
}

static void truncated_and_flushed(struct box *b, const char *path, struct fd **ret)
{
	assert_int_equal(box_open(b, path, O_WRONLY | O_TRUNC, ret), 0);
	assert_int_equal(fd_flush(*ret), 0);
}

static void truncation_that_was_closed_needs_no_release(void **state)
{
	struct box *b = *state;
	struct fd *f;
	char text[1000];

	truncated_and_flushed(b, AUTHOR, &f);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, ""));
	assert_int_equal(fd_close(f), 0);
	/*
	 * Reading the reason of a refusal validates the file; reading the status validates all
	 * files.
	 */
	truncated_and_flushed(b, IMAGE, &f);
	assert_true(box_is_draft(b, IMAGE));
	assert_int_equal(fd_flush(f), -EINVAL);
	fd_release(f);
	truncated_and_flushed(b, "info/version", &f);
	assert_int_equal(box_getxattr(b, "", "user.mapfs.status", text, sizeof(text)), 0);
	assert_non_null(strstr(text, "changed info/version\n"));
	assert_non_null(strstr(text, "refused " IMAGE));
	fd_release(f);
	assert_int_equal(box_open(b, "info/license", O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_fsync(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 3, ""));
	fd_release(f);
}

static void save_waits_for_a_truncation_that_is_being_applied(void **state)
{
	struct box *b = *state;
	struct pending release = {0};
	struct fd *f;

	truncated_and_flushed(b, AUTHOR, &f);
	release.call.handle = f->handle;
	box_submit(b, &release, vfs_release);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, ""));
	assert_int_equal(box_wait(&release), 0);
	fd_forget(f);
	truncated_and_flushed(b, IMAGE, &f);
	release.call.handle = f->handle;
	box_submit(b, &release, vfs_release);
	assert_true(box_is_draft(b, IMAGE));
	assert_int_equal(box_wait(&release), 0);
	fd_forget(f);
}

static void truncation_that_was_closed_survives_a_kill(void **state)
{
	struct box *b = *state;
	struct fd *f;

	truncated_and_flushed(b, AUTHOR, &f);
	truncated_and_flushed(b, IMAGE, &f);
	assert_int_equal(box_create(b, "images/7_new.png", &f), 0);
	assert_int_equal(fd_flush(f), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, ""));
	assert_true(box_is_draft(b, IMAGE));
	assert_true(box_is_draft(b, "images/7_new.png"));
}

/* The journal has the file as empty, and the model has the written content. */
static void old_content_written_again_after_a_flush_survives_a_kill(void **state)
{
	struct box *b = *state;
	struct fd *f;

	truncated_and_flushed(b, AUTHOR, &f);
	assert_int_equal(fd_text(f, 0, "alice\n"), 0);
	assert_int_equal(fd_close(f), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	/* The first of two truncations does not count either. */
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &f), 0);
	for (uint64_t size = 3; size > 1; size--) {
		assert_int_equal(fd_truncate(f, size), 0);
		assert_int_equal(fd_flush(f), 0);
	}
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "al"));
}

static void truncation_alone_is_applied_at_release(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_close(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, ""));
}

static void invalid_truncation_is_a_draft_after_release(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, IMAGE, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_flush(f), 0);
	fd_release(f);
	assert_true(box_is_draft(b, IMAGE));
	assert_true(box_shows(b, IMAGE, ""));
}

static void truncation_by_a_read_only_open_is_applied_at_release(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_RDONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_close(f), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, ""));
}

static void truncation_by_one_of_two_writers_is_saved_although_the_other_is_open(void **state)
{
	struct box *b = *state;
	struct fd *one, *two;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &one), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &two), 0);
	assert_int_equal(fd_close(two), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, ""));
	assert_int_equal(fd_close(one), 0);
	assert_true(box_shows(b, AUTHOR, ""));
}

static void repeated_flush_repeats_the_verdict(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, BAD_LINES), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fd_flush(f), -EINVAL);
	assert_int_equal(fd_truncate(f, 0), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fd_flush(f), 0);
	fd_release(f);
	assert_true(box_shows(b, AUTHOR, "bob"));
}

static void release_applies_writes_without_a_flush(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &f), 0);
	assert_int_equal(fd_flush(f), 0);
	assert_int_equal(fd_text(f, 0, "ALI"), 0); /* a mapped page, written back late */
	fd_release(f);
	assert_true(box_shows(b, AUTHOR, "ALIce\n"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "ALIce\n"));
}

static void canonical_form_appears_with_the_save(void **state)
{
	struct box *b = *state;
	struct fd *one, *two;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &one), 0);
	assert_int_equal(fd_text(one, 0, "bob"), 0);
	assert_true(box_shows(b, AUTHOR, "bob"));
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &two), 0);
	assert_int_equal(fd_close(one), 0);
	assert_true(box_shows(b, AUTHOR, "bob"));
	assert_int_equal(fd_close(two), 0);
	assert_true(box_shows(b, AUTHOR, "bob"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

/* A reader sees the size of the written content, and shares pages with all handles of the file. */
static void reader_of_written_content_keeps_its_form(void **state)
{
	struct box *b = *state;
	struct fd *writer, *reader, *later;
	char got[16];

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &writer), 0);
	assert_int_equal(fd_text(writer, 0, "bob"), 0);
	assert_int_equal(fd_flush(writer), 0);
	assert_int_equal(box_open(b, AUTHOR, O_RDONLY, &reader), 0);
	fd_release(writer);
	box_settle(b);
	assert_int_equal(fd_read(reader, 0, got, sizeof(got)), 3);
	assert_int_equal(box_open(b, AUTHOR, O_RDONLY, &later), 0);
	assert_int_equal(fd_close(reader), 0);
	assert_int_equal(fd_read(later, 0, got, sizeof(got)), 3);
	assert_int_equal(fd_close(later), 0);
	assert_true(box_shows(b, AUTHOR, "bob"));
	/* The same if it was read before it was written. */
	assert_int_equal(box_open(b, AUTHOR, O_RDONLY, &reader), 0);
	assert_int_equal(box_put(b, AUTHOR, "rob"), 0);
	assert_true(box_shows(b, AUTHOR, "rob"));
	assert_int_equal(fd_close(reader), 0);
	assert_true(box_shows(b, AUTHOR, "rob"));
}

/* Look a name up, so that the inode stays, as in the kernel. */
static uint64_t look_up_and_keep(struct box *b, uint64_t dir, const char *name)
{
	struct pending p = {.call = {.ino = dir, .name = name}};

	box_submit(b, &p, vfs_lookup);
	assert_int_equal(box_wait(&p), 0);
	return p.call.attr.st_ino;
}

static void wait_until_held(struct box *b)
{
	while (!b->n_held)
		box_settle(b);
	box_settle(b);
}

static void saved(void *arg, struct report *report)
{
	bool *done = arg;

	*done = true;
	report_finish(report);
}

/*
 * The kernel has the old size until the invalidation is complete; an earlier open would read with
 * that size.
 */
static void open_and_lookup_wait_for_the_canonical_form(void **state)
{
	struct box *b = *state;
	struct pending open = {.call = {.flags = O_RDONLY}}, lookup = {0}, release = {0};
	struct stat a, dir;
	bool done = false;

	assert_int_equal(box_put(b, AUTHOR, "bob"), 0);
	dir.st_ino = look_up_and_keep(b, VFS_ROOT_INO, "info");
	a.st_ino = look_up_and_keep(b, dir.st_ino, "author");
	b->hold = true;
	vfs_save(b->v, saved, &done);
	wait_until_held(b);
	open.call.ino = a.st_ino;
	lookup.call = (struct call){.ino = dir.st_ino, .name = "author"};
	box_submit(b, &open, vfs_open);
	box_submit(b, &lookup, vfs_lookup);
	box_settle(b);
	assert_false(atomic_load(&open.done));
	assert_false(atomic_load(&lookup.done));
	assert_false(done);
	box_release_invalidations(b);
	assert_int_equal(box_wait(&open), 0);
	assert_int_equal(box_wait(&lookup), 0);
	assert_int_equal(lookup.call.attr.st_size, 4);
	assert_true(done);
	release.call = (struct call){.handle = open.call.opened};
	box_submit(b, &release, vfs_release);
	assert_int_equal(box_wait(&release), 0);
}

static void caches_are_invalidated_before_close_is_answered(void **state)
{
	struct box *b = *state;
	struct stat a;
	struct fd *f, *raw;
	struct pending p = {0};
	bool is_invalidated = false;

	assert_int_equal(box_stat(b, "raw/data/00000", &a), 0);
	assert_int_equal(box_open(b, "raw/data/00000", O_RDONLY, &raw), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	b->n_invalidated = 0;
	b->hold = true;
	p.call.handle = f->handle;
	box_submit(b, &p, vfs_flush);
	/* Everything except the invalidation has run; only the invalidation delays the answer. */
	wait_until_held(b);
	assert_false(atomic_load(&p.done));
	box_release_invalidations(b);
	assert_int_equal(box_wait(&p), 0);
	for (unsigned i = 0; i < b->n_invalidated; i++)
		is_invalidated |= b->invalidated[i] == a.st_ino;
	assert_true(is_invalidated);
	fd_release(f);
	fd_close(raw);
}

static void other_view_of_a_changed_object_is_invalidated_too(void **state)
{
	struct box *b = *state;
	struct stat a;
	struct fd *f;
	bool is_invalidated = false;

	assert_int_equal(box_stat(b, "raw/data/00000", &a), 0);
	assert_int_equal(box_open(b, "raw/data/00000", O_RDONLY, &f), 0);
	b->n_invalidated = 0;
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	for (unsigned i = 0; i < b->n_invalidated; i++)
		is_invalidated |= b->invalidated[i] == a.st_ino;
	assert_true(is_invalidated);
	fd_close(f);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void refused_content_stays_as_a_draft_with_a_reason(void **state)
{
	struct box *b = *state;
	char why[1000];

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_true(box_shows(b, AUTHOR, BAD_LINES));
	assert_int_equal(box_getxattr(b, AUTHOR, "user.mapfs.error", why, sizeof(why)), 0);
	assert_non_null(strstr(why, "line"));
	assert_int_equal(box_getxattr(b, "", "user.mapfs.status", why, sizeof(why)), 0);
	assert_non_null(strstr(why, AUTHOR));
}

static void draft_never_enters_the_map(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "info/version", "v2"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "alice\n"));
	assert_true(box_map_info_is(b, 1, "v2\n"));
	assert_true(box_shows(b, AUTHOR, BAD_LINES));
	box_end(b, NULL);
	assert_true(box_map_info_is(b, 0, "alice\n"));
}

static void removing_the_attribute_drops_the_draft(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_removexattr(b, AUTHOR, "user.mapfs.error"), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_false(box_is_draft(b, AUTHOR));
	assert_int_equal(box_removexattr(b, AUTHOR, "user.mapfs.error"), -ENODATA);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void draft_can_be_corrected(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &f), 0);
	assert_int_equal(fd_truncate(f, 4), 0);
	fd_close(f);
	assert_false(box_is_draft(b, AUTHOR));
	assert_true(box_shows(b, AUTHOR, "one\n"));
}

static void draft_corrected_to_the_content_of_the_map_does_not_come_back(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, AUTHOR, "alice\n"), 0);
	assert_false(box_is_draft(b, AUTHOR));
	box_remount(b);
	assert_false(box_is_draft(b, AUTHOR));
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
}

static void truncate_of_a_closed_file_applies_at_once(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_truncate(b, AUTHOR, 3), 0);
	assert_true(box_shows(b, AUTHOR, "ali"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "ali\n"));
	assert_int_equal(box_truncate(b, IMAGE, 3), -EINVAL);
	assert_true(box_is_draft(b, IMAGE));
}

static void truncate_of_an_open_file_waits_for_its_close(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &f), 0);
	assert_int_equal(box_truncate(b, AUTHOR, 2), 0);
	assert_true(box_shows(b, AUTHOR, "al"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "alice\n"));
	assert_int_equal(fd_close(f), 0);
	assert_true(box_shows(b, AUTHOR, "al"));
}

static void truncate_during_the_release_is_applied_too(void **state)
{
	struct box *b = *state;
	struct pending release = {0}, cut = {0};
	struct fd *f;

	/* `: > f; truncate -s 4 f`: close(2) does not wait for RELEASE. */
	assert_int_equal(box_put(b, AUTHOR, "bobby"), 0);
	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &f), 0);
	assert_int_equal(fd_text(f, 0, "BOB"), 0);
	release.call.handle = f->handle;
	cut.call = (struct call){.ino = f->ino, .set = {.st_size = 2}, .mask = ATTR_SIZE};
	box_submit(b, &release, vfs_release);
	box_submit(b, &cut, vfs_setattr);
	assert_int_equal(box_wait(&release), 0);
	assert_int_equal(box_wait(&cut), 0);
	fd_forget(f);
	assert_true(box_shows(b, AUTHOR, "BO"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "BO\n"));
}

static void append_writes_at_the_end_with_any_offset(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, "info/settings.cfg", O_WRONLY | O_APPEND, &f), 0);
	assert_int_equal(fd_text(f, 0, "sv_a 1\n"), 0);
	assert_int_equal(fd_text(f, 0, "sv_b 2\n"), 0);
	assert_int_equal(fd_close(f), 0);
	assert_int_equal(box_open(b, "info/settings.cfg", O_WRONLY | O_APPEND, &f), 0);
	assert_int_equal(fd_text(f, 0, "sv_c 3\n"), 0);
	assert_int_equal(fd_close(f), 0);
	assert_true(box_shows(b, "info/settings.cfg", "sv_a 1\nsv_b 2\nsv_c 3\n"));
}

static void write_keeps_the_other_bytes(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &f), 0);
	assert_int_equal(fd_text(f, 1, "LI"), 0);
	assert_int_equal(fd_close(f), 0);
	assert_true(box_shows(b, AUTHOR, "aLIce\n"));
}

static void two_writers_share_one_content(void **state)
{
	struct box *b = *state;
	struct fd *one, *two;
	char got[16] = {0};

	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &one), 0);
	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &two), 0);
	assert_int_equal(fd_text(one, 0, "AL"), 0);
	assert_int_equal(fd_text(two, 3, "CE"), 0);
	assert_int_equal(fd_read(one, 0, got, sizeof(got)), 6);
	assert_string_equal(got, "ALiCE\n");
	assert_int_equal(fd_close(one), 0);
	assert_int_equal(fd_text(two, 2, "I"), 0);
	assert_int_equal(fd_close(two), 0);
	assert_true(box_shows(b, AUTHOR, "ALICE\n"));
}

static void reader_sees_what_a_writer_wrote(void **state)
{
	struct box *b = *state;
	struct fd *reader, *writer;
	char got[16] = {0};

	assert_int_equal(box_open(b, AUTHOR, O_RDONLY, &reader), 0);
	assert_int_equal(fd_read(reader, 0, got, sizeof(got)), 6);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &writer), 0);
	assert_int_equal(fd_text(writer, 0, "bob"), 0);
	assert_int_equal(fd_read(reader, 0, got, sizeof(got)), 3);
	assert_memory_equal(got, "bob", 3);
	assert_int_equal(fd_close(writer), 0);
	assert_int_equal(fd_read(reader, 0, got, sizeof(got)), 3);
	assert_int_equal(fd_text(reader, 0, "x"), -EBADF);
	fd_close(reader);
}

static void applying_does_not_change_times(void **state)
{
	struct box *b = *state;
	struct stat a, other, then;
	struct fd *f;

	assert_int_equal(box_stat(b, "info/version", &other), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	assert_int_equal(box_set_mtime(b, AUTHOR, 1000000), 0);
	assert_int_equal(fd_close(f), 0);
	assert_int_equal(box_stat(b, AUTHOR, &a), 0);
	assert_int_equal(a.st_mtim.tv_sec, 1000000);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_stat(b, AUTHOR, &a), 0);
	assert_int_equal(a.st_mtim.tv_sec, 1000000);
	assert_int_equal(box_stat(b, "info/version", &then), 0);
	assert_int_equal(then.st_mtim.tv_sec, other.st_mtim.tv_sec);
	assert_int_equal(then.st_mtim.tv_nsec, other.st_mtim.tv_nsec);
	assert_int_equal(box_put(b, AUTHOR, "rob"), 0);
	assert_int_equal(box_stat(b, AUTHOR, &a), 0);
	assert_int_not_equal(a.st_mtim.tv_sec, 1000000);
}

static void read_only_file_cannot_be_opened_for_writing(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, "raw/data/00000", O_WRONLY, &f), -EACCES);
	assert_int_equal(box_truncate(b, "raw/data/00000", 0), -EACCES);
}

static void scratch_can_be_created_renamed_and_removed_and_is_not_saved(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *before = box_map(b), *after = NULL;
	struct report report;

	assert_int_equal(box_put(b, "info/author~", "swap"), 0);
	assert_int_equal(box_mkdir(b, "images/stuff"), 0);
	assert_int_equal(box_put(b, "images/stuff/a~", "x"), 0);
	assert_int_equal(box_rename(b, "images/stuff/a~", "images/stuff/b~"), 0);
	assert_int_equal(box_rmdir(b, "images/stuff"), -ENOTEMPTY);
	assert_true(box_shows(b, "images/stuff/b~", "x"));
	assert_true(box_lists(b, "images/stuff", "b~"));
	assert_false(box_lists(b, "images/stuff", "a~"));
	assert_int_equal(box_unlink(b, "images/stuff/b~"), 0);
	assert_int_equal(box_rmdir(b, "images/stuff"), 0);
	assert_false(box_lists(b, "images", "stuff"));
	assert_true(box_shows(b, "info/author~", "swap"));
	assert_int_equal(box_end(b, &report), OUTCOME_DONE);
	assert_int_equal(report.n, 0);
	report_finish(&report);
	after = box_map(b);
	assert_true(bytes_equal_data(after, before->data, before->size));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void large_scratch_reads_back_what_was_written(void **state)
{
	enum { SIZE = (9 << 20) + 17 };
	struct box *b = *state;
	CLEANUP(free) uint8_t *data = malloc(SIZE);
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	fill_bytes(data, SIZE, 3);
	assert_int_equal(box_put_bytes(b, "info/.big", data, SIZE), 0);
	assert_int_equal(count_files(b->room.fd), 1);
	got = box_get(b, "info/.big");
	assert_true(bytes_equal_data(got, data, SIZE));
}

static void links_trash_and_git_are_refused(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_mkdir(b, ".Trash-1000"), -EPERM);
	assert_int_equal(box_mkdir(b, ".git"), -EPERM);
	assert_int_equal(box_create(b, ".git", &f), -EPERM);
	assert_int_equal(box_put(b, "a~", "x"), 0);
	assert_int_equal(box_rename(b, "a~", ".git"), -EPERM);
}

static void scratch_renamed_over_a_file_replaces_its_content(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, "info/sedAbCdEf", "bob\n"), 0);
	assert_int_equal(box_rename(b, "info/sedAbCdEf", AUTHOR), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_false(box_lists(b, "info", "sedAbCdEf"));
	assert_true(box_lists(b, "info", "author"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void second_rename_over_the_same_file_replaces_it_too(void **state)
{
	struct box *b = *state;

	for (int i = 0; i < 3; i++) {
		char text[] = "bob0\n";

		text[3] = (char)('0' + i);
		assert_int_equal(box_put(b, "info/sedAbCdEf", text), 0);
		assert_int_equal(box_rename(b, "info/sedAbCdEf", AUTHOR), 0);
		assert_true(box_shows(b, AUTHOR, text));
	}
	assert_int_equal(box_put(b, AUTHOR, "rob\n"), 0);
	assert_true(box_shows(b, AUTHOR, "rob\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "rob\n"));
}

static void file_renamed_over_becomes_canonical_at_the_save(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, "info/author~", "bob"), 0);
	assert_int_equal(box_rename(b, "info/author~", AUTHOR), 0);
	assert_true(box_shows(b, AUTHOR, "bob"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void refused_content_cannot_be_renamed_over_a_file(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, "info/author~", BAD_LINES), 0);
	assert_int_equal(box_rename(b, "info/author~", AUTHOR), -EPERM);
	assert_true(box_shows(b, "info/author~", BAD_LINES));
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_rename(b, "info/author~", "raw/data/00000"), -EACCES);
}

static void open_reader_keeps_the_replaced_content(void **state)
{
	struct box *b = *state;
	struct fd *f;
	char got[16] = {0};

	assert_int_equal(box_open(b, AUTHOR, O_RDONLY, &f), 0);
	assert_int_equal(box_put(b, "info/author~", "bob\n"), 0);
	assert_int_equal(box_rename(b, "info/author~", AUTHOR), 0);
	assert_int_equal(fd_read(f, 0, got, sizeof(got)), 6);
	assert_string_equal(got, "alice\n");
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(fd_read(f, 0, got, sizeof(got)), 6);
	assert_string_equal(got, "alice\n");
	fd_close(f);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void scratch_renamed_over_a_file_can_still_be_written_by_its_writer(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_create(b, "info/author~", &f), 0);
	assert_int_equal(fd_text(f, 0, "bob\n"), 0);
	assert_int_equal(box_rename(b, "info/author~", AUTHOR), 0);
	assert_int_equal(fd_text(f, 0, "rob\n"), 0);
	assert_int_equal(fd_close(f), 0);
	assert_true(box_shows(b, AUTHOR, "rob\n"));
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "rob\n"));
}

static void rename_over_a_draft_replaces_it(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "info/author~", "alice\n"), 0);
	assert_int_equal(box_rename(b, "info/author~", AUTHOR), 0);
	assert_false(box_is_draft(b, AUTHOR));
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_false(box_is_draft(b, AUTHOR));
}

static void unlinked_scratch_can_be_read_by_open_readers(void **state)
{
	struct box *b = *state;
	struct fd *f;
	char got[8] = {0};

	assert_int_equal(box_create(b, "info/x~", &f), 0);
	assert_int_equal(fd_text(f, 0, "abc"), 0);
	assert_int_equal(box_unlink(b, "info/x~"), 0);
	assert_int_equal(fd_read(f, 0, got, sizeof(got)), 3);
	assert_string_equal(got, "abc");
	assert_int_equal(fd_close(f), 0);
	assert_false(box_lists(b, "info", "x~"));
}

static void read_only_mount_cannot_be_changed(void **state)
{
	struct box *b = *state;
	struct fd *f;

	box_kill(b);
	b->options.read_only = true;
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &f), -EROFS);
	assert_int_equal(box_create(b, "info/x~", &f), -EROFS);
	assert_int_equal(box_truncate(b, AUTHOR, 0), -EROFS);
	assert_int_equal(box_mkdir(b, "d"), -EROFS);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(map_of_the_independent_writer_is_valid_and_shown),
		TEST(flush_applies_writes_since_the_last_flush),
		TEST(unclosed_writes_are_not_saved),
		TEST(save_does_not_apply_a_partly_written_file),
		TEST(save_applies_mapped_pages),
		TEST(writes_beyond_the_size_limit_are_refused_immediately),
		TEST(flush_does_not_validate_a_truncation),
		TEST(truncation_that_was_closed_needs_no_release),
		TEST(save_waits_for_a_truncation_that_is_being_applied),
		TEST(truncation_that_was_closed_survives_a_kill),
		TEST(old_content_written_again_after_a_flush_survives_a_kill),
		TEST(truncation_alone_is_applied_at_release),
		TEST(invalid_truncation_is_a_draft_after_release),
		TEST(truncation_by_a_read_only_open_is_applied_at_release),
		TEST(truncation_by_one_of_two_writers_is_saved_although_the_other_is_open),
		TEST(repeated_flush_repeats_the_verdict),
		TEST(release_applies_writes_without_a_flush),
		TEST(canonical_form_appears_with_the_save),
		TEST(reader_of_written_content_keeps_its_form),
		TEST(open_and_lookup_wait_for_the_canonical_form),
		TEST(caches_are_invalidated_before_close_is_answered),
		TEST(other_view_of_a_changed_object_is_invalidated_too),
		TEST(refused_content_stays_as_a_draft_with_a_reason),
		TEST(draft_never_enters_the_map),
		TEST(removing_the_attribute_drops_the_draft),
		TEST(draft_can_be_corrected),
		TEST(draft_corrected_to_the_content_of_the_map_does_not_come_back),
		TEST(truncate_of_a_closed_file_applies_at_once),
		TEST(truncate_of_an_open_file_waits_for_its_close),
		TEST(truncate_during_the_release_is_applied_too),
		TEST(append_writes_at_the_end_with_any_offset),
		TEST(write_keeps_the_other_bytes),
		TEST(two_writers_share_one_content),
		TEST(reader_sees_what_a_writer_wrote),
		TEST(applying_does_not_change_times),
		TEST(read_only_file_cannot_be_opened_for_writing),
		TEST(scratch_can_be_created_renamed_and_removed_and_is_not_saved),
		TEST(large_scratch_reads_back_what_was_written),
		TEST(links_trash_and_git_are_refused),
		TEST(scratch_renamed_over_a_file_replaces_its_content),
		TEST(second_rename_over_the_same_file_replaces_it_too),
		TEST(file_renamed_over_becomes_canonical_at_the_save),
		TEST(refused_content_cannot_be_renamed_over_a_file),
		TEST(open_reader_keeps_the_replaced_content),
		TEST(scratch_renamed_over_a_file_can_still_be_written_by_its_writer),
		TEST(rename_over_a_draft_replaces_it),
		TEST(unlinked_scratch_can_be_read_by_open_readers),
		TEST(read_only_mount_cannot_be_changed),
	};

	return cmocka_run_group_tests_name("vfs: closing", tests, NULL, NULL);
}
