/* SPDX-License-Identifier: Zlib */
/* Rule 12 of the design: no file is lost without a report. */
#include "support/box.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "vfs/files/rescue_dir.h"
#include "vfs/tree/lost.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"
#define LEFT       MAP_NAME ".mapfs-left"

static void draft_is_copied_out_at_the_end_and_named(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
	assert_true(report_contains(&report, LEFT "/" AUTHOR));
	report_finish(&report);
	assert_true(file_content_is(b->room.fd, LEFT "/" AUTHOR, BAD_LINES));
	assert_true(box_map_info_is(b, 0, "alice\n"));
	/* It was copied out, so the next mount starts without it. */
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
}

static void changes_are_saved_although_files_are_rescued(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(box_map_info_is(b, 1, "v2\n"));
	assert_true(file_content_is(b->room.fd, LEFT "/" AUTHOR, BAD_LINES));
}

static void file_that_was_never_closed_is_copied_out(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT "/" AUTHOR, "bob"));
	assert_true(box_map_info_is(b, 0, "alice\n"));
}

static void table_that_its_layer_type_lacks_is_copied_out_after_any_save(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_mkdir(b, "groups/0_g/layers/7_l"), 0);
	assert_int_equal(box_put(b, "groups/0_g/layers/7_l/number.csv", "1, 2\n3, 4\n"), 0);
	assert_int_equal(box_put(b, "groups/0_g/layers/7_l/layer.json",
				 "{\"type\": \"tiles\", \"kind\": \"design\", \"width\": 2, "
				 "\"height\": 2}\n"),
		0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(
		b->room.fd, LEFT "/groups/0_g/layers/7_l/number.csv", "1, 2\n3, 4\n"));
}

static void scratch_of_no_known_editor_is_copied_out(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/photo.jpg", "JPEG"), 0);
	assert_int_equal(box_mkdir(b, "images/more"), 0);
	assert_int_equal(box_mkdir(b, "images/more/deep"), 0);
	assert_int_equal(box_put(b, "images/more/deep/b.jpg", "two"), 0);
	assert_int_equal(box_put(b, "info/empty.txt", ""), 0);
	assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
	assert_true(report_contains(&report, "images/photo.jpg"));
	assert_true(report_contains(&report, "images/more/deep/b.jpg"));
	report_finish(&report);
	assert_true(file_content_is(b->room.fd, LEFT "/images/photo.jpg", "JPEG"));
	assert_true(file_content_is(b->room.fd, LEFT "/images/more/deep/b.jpg", "two"));
	assert_true(file_content_is(b->room.fd, LEFT "/info/empty.txt", ""));
	/* The map did not change. */
	assert_true(box_map_info_is(b, 0, "alice\n"));
}

static void backup_of_a_new_file_that_was_refused_is_copied_out(void **state)
{
	static const char name[] = "images/7_new.json", backup[] = "images/7_new.json~";
	static const char sound[] = "{\n  \"external\": 1,\n  \"width\": 2,\n  \"height\": 2\n}\n";
	struct box *b = *state;

	assert_int_equal(box_put(b, backup, sound), 0);
	assert_int_equal(box_put(b, name, "{"), -EINVAL);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT "/images/7_new.json", "{"));
	assert_true(file_content_is(b->room.fd, LEFT "/images/7_new.json~", sound));
}

static void scratch_of_editors_is_not_copied_out(void **state)
{
	static const char *const names[] = {"info/author~", "info/.#author", "info/4913",
		"info/sedAbCdEf", "info/author.bak", "images/.~lock.x.png#", "images/.directory"};
	struct box *b = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(box_put(b, names[i], "x"), 0);
		assert_true(is_editor_file(strrchr(names[i], '/') + 1));
	}
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void names_chosen_by_users_do_not_count_as_scratch_of_editors(void **state)
{
	static const char *const names[] = {"photo.jpg", "notes.txt", "image.png", "README",
		"sediment.txt", "zip", "XX", "a", "settings.cfg", "12345", "temporary", ".x.swp",
		".x.swpx", "x.swp", ".swo", "#x#", ".x.kate-swp"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_editor_file(names[i]))
			fail_msg("%s", names[i]);
}

static void unsaved_text_of_an_editor_is_copied_out(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "info/.author.swp", "unsaved"), 0);
	assert_int_equal(box_put(b, "info/#author#", "autosaved"), 0);
	assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
	assert_true(report_contains(&report, "info/.author.swp"));
	assert_true(report_contains(&report, "info/#author#"));
	report_finish(&report);
	assert_true(file_content_is(b->room.fd, LEFT "/info/.author.swp", "unsaved"));
	assert_true(file_content_is(b->room.fd, LEFT "/info/#author#", "autosaved"));
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

static void existing_directory_is_not_changed_and_the_next_is_numbered(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(mkdirat(b->room.fd, LEFT, 0755), 0);
	put_file(b->room.fd, LEFT "/mine", "keep", 4);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
	assert_true(report_contains(&report, LEFT ".1/" AUTHOR));
	report_finish(&report);
	assert_true(file_content_is(b->room.fd, LEFT "/mine", "keep"));
	assert_true(file_content_is(b->room.fd, LEFT ".1/" AUTHOR, BAD_LINES));
	assert_int_equal(count_files(b->room.fd), 3);
	box_remount(b);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT ".2/" AUTHOR, BAD_LINES));
}

static void save_does_not_move_drafts_and_scratch(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "images/photo.jpg", "JPEG"), 0);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(b, ".mapfs-left", NULL), 0);
	assert_true(box_shows(b, "images/photo.jpg", "JPEG"));
}

static void large_scratch_is_copied_out_whole(void **state)
{
	enum { SIZE = (9 << 20) + 3 };
	struct box *b = *state;
	CLEANUP(free) uint8_t *data = malloc(SIZE);
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	fill_bytes(data, SIZE, 11);
	assert_int_equal(box_put_bytes(b, "images/big.jpg", data, SIZE), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	got = get_file(b->room.fd, LEFT "/images/big.jpg");
	assert_true(bytes_equal_data(got, data, SIZE));
}

static int full(struct io_call *c, void *arg)
{
	(void)arg;
	return c->op == IO_WRITE ? -ENOSPC : 0;
}

static int no_right(struct io_call *c, void *arg)
{
	(void)arg;
	return c->op == IO_MKDIR ? -EACCES : 0;
}

static void store_report(void *arg, struct report *report)
{
	*(struct report *)arg = *report;
}

/* The save that `mapfs -u` requests before it unmounts. */
static enum outcome save_to_end(struct box *b, struct report *ret)
{
	*ret = (struct report){.code = OUTCOME_USAGE};
	vfs_save_before_unmount(b->v, store_report, ret);
	box_settle(b);
	return ret->code;
}

static unsigned signs;

static void count_signs(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	(void)h;
	if (strcmp(what, "rescuing files") == 0) {
		assert_true(done < total);
		signs++;
	}
}

/* Without progress, the waiting mapfs -u would regard the mount as dead. */
static void progress_of_copies_is_reported(void **state)
{
	enum { STRETCH = 64 << 20, N = 3 };
	struct box *b = *state;

	signs = 0;
	b->host.progress = count_signs;
	assert_int_equal(box_put(b, "images/video.bin", "x"), 0);
	assert_int_equal(box_truncate(b, "images/video.bin", (uint64_t)N * STRETCH), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_int_equal(signs, N);
}

static void failed_copy_keeps_the_mount(void **state)
{
	static const io_hook hooks[] = {full, no_right};
	static const enum outcome outcomes[] = {OUTCOME_SAVE_FAILED, OUTCOME_PARTIAL};
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/more.jpg", "JPEG"), 0);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	for (size_t i = 0; i < 2; i++) {
		io_set_hook(hooks[i], NULL);
		assert_int_equal(save_to_end(b, &report), outcomes[i]);
		assert_true(report.unrescued);
		io_set_hook(NULL, NULL);
		assert_true(report_contains(&report, "cannot rescue images/more.jpg"));
		assert_true(report_contains(&report, AUTHOR "cannot rescue "));
		report_finish(&report);
		assert_int_equal(box_count_names(b, "mapfs-left", NULL), 0);
		assert_true(box_shows(b, "images/more.jpg", "JPEG"));
	}
	/* Valid changes were saved. */
	assert_true(box_map_info_is(b, 1, "v2\n"));
	assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
	report_finish(&report);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT "/images/more.jpg", "JPEG"));
}

static void forced_end_on_a_full_disk_leaves_no_partial_copy_and_reports_the_journal(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/more.jpg", "JPEG"), 0);
	io_set_hook(full, NULL);
	assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
	io_set_hook(NULL, NULL);
	assert_true(report_contains(&report, "cannot rescue images/more.jpg"));
	assert_false(report_contains(&report, "journal"));
	report_finish(&report);
	assert_int_equal(count_files(b->room.fd), 1);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	io_set_hook(full, NULL);
	assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
	io_set_hook(NULL, NULL);
	assert_true(report_contains(&report, "the changes are kept in the journal beside the map"));
	report_finish(&report);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_is_draft(b, AUTHOR));
}

/* The unmount was refused, and the user continued to work. */
static void copies_of_a_refused_end_follow_later_changes(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/a.jpg", "same"), 0);
	assert_int_equal(box_put(b, "images/b.jpg", "before"), 0);
	assert_int_equal(box_put(b, "images/c.jpg", "goes"), 0);
	assert_int_equal(box_mkdir(b, "images/d"), 0);
	assert_int_equal(box_put(b, "images/d/e.jpg", "goes"), 0);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
	assert_false(report_contains(&report, "left"));
	report_finish(&report);
	assert_int_equal(box_put(b, "images/b.jpg", "behind"), 0);
	assert_int_equal(box_unlink(b, "images/c.jpg"), 0);
	assert_int_equal(box_unlink(b, "images/d/e.jpg"), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT "/images/a.jpg", "same"));
	assert_true(file_content_is(b->room.fd, LEFT "/images/b.jpg", "behind"));
	assert_int_equal(faccessat(b->room.fd, LEFT "/images/c.jpg", F_OK, 0), -1);
	assert_int_equal(faccessat(b->room.fd, LEFT "/images/d", F_OK, 0), -1);
	assert_int_equal(faccessat(b->room.fd, LEFT "/info", F_OK, 0), -1);
	assert_int_equal(count_files(b->room.fd), 2);
}

static void copies_are_removed_if_nothing_is_left(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/a.jpg", "x"), 0);
	assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
	report_finish(&report);
	assert_int_equal(box_unlink(b, "images/a.jpg"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void copies_of_a_killed_mount_stay(void **state)
{
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/a.jpg", "x"), 0);
	assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
	report_finish(&report);
	box_remount(b);
	assert_int_equal(box_put(b, "images/b.jpg", "y"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT "/images/a.jpg", "x"));
	assert_true(file_content_is(b->room.fd, LEFT ".1/images/b.jpg", "y"));
}

static mode_t mode_of(const struct box *b, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(b->room.fd, name, &st, 0), 0);
	return st.st_mode & 07777;
}

static void copies_have_the_rights_of_the_map(void **state)
{
	struct box *b = *state;

	box_kill(b);
	assert_int_equal(fchmodat(b->room.fd, MAP_NAME, 0600, 0), 0);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, "images/a.jpg", "x"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_int_equal(mode_of(b, LEFT), 0700);
	assert_int_equal(mode_of(b, LEFT "/images"), 0700);
	assert_int_equal(mode_of(b, LEFT "/images/a.jpg"), 0600);
	assert_int_equal(fchmodat(b->room.fd, MAP_NAME, 0640, 0), 0);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, "images/a.jpg", "x"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_int_equal(mode_of(b, LEFT ".1/images"), 0750);
	assert_int_equal(mode_of(b, LEFT ".1/images/a.jpg"), 0640);
}

/* The file system type that all files report. */
static long fs_type = EXT4_SUPER_MAGIC;

/* Replaces the library's function. */
int fstatfs(int fd, struct statfs *ret)
{
	int (*real)(int, struct statfs *) =
		(int (*)(int, struct statfs *))dlsym(RTLD_NEXT, "fstatfs64");
	int r = real(fd, ret);

	ret->f_type = (__typeof__(ret->f_type))fs_type;
	return r;
}

struct syncs {
	pthread_t owner;
	unsigned fs, files, dirs;
	unsigned by_owner; /* syncfs calls by the owner */
	int code;          /* errno of all of these calls, or 0 */
};

static int count_sync(struct io_call *c, void *arg)
{
	struct syncs *s = arg;
	struct stat st;

	if (c->op != IO_SYNC && c->op != IO_SYNC_FS)
		return 0;
	assert_int_equal(fstat(c->fd, &st), 0);
	if (c->op == IO_SYNC_FS) {
		s->fs++;
		s->by_owner += pthread_equal(pthread_self(), s->owner) != 0;
	} else if (S_ISDIR(st.st_mode)) {
		s->dirs++;
	} else {
		s->files++;
	}
	return s->code;
}

enum { MANY = 500, SOME = 20, DIRS = 5 };

static void put_scratch(struct box *b, unsigned files)
{
	char path[64];

	for (unsigned i = 0; i < DIRS; i++) {
		snprintf(path, sizeof(path), "images/d%u", i);
		assert_int_equal(box_mkdir(b, path), 0);
	}
	for (unsigned i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "images/d%u/%u.jpg", i % DIRS, i);
		assert_int_equal(box_put(b, path, path), 0);
	}
}

static void copies_are_there(struct box *b, unsigned files)
{
	char path[64], name[128];

	for (unsigned i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "images/d%u/%u.jpg", i % DIRS, i);
		snprintf(name, sizeof(name), LEFT "/%s", path);
		assert_true(file_content_is(b->room.fd, name, path));
	}
}

static void many_copies_need_few_syncs(void **state)
{
	struct box *b = *state;
	struct syncs s = {.owner = pthread_self()};
	struct report report;

	put_scratch(b, MANY);
	io_set_hook(count_sync, &s);
	assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
	assert_int_equal(s.fs, 1);
	assert_int_equal(s.files + s.dirs, 0);
	/* Reads are answered meanwhile. */
	assert_int_equal(s.by_owner, 0);
	report_finish(&report);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	io_set_hook(NULL, NULL);
	assert_int_equal(s.fs, 2);
	assert_int_equal(s.files + s.dirs, 0);
	copies_are_there(b, MANY);
}

/* syncfs does not report all errors there. */
static void copies_on_a_share_and_an_overlay_are_synced_one_by_one(void **state)
{
	static const long types[] = {NFS_SUPER_MAGIC, FUSE_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC};
	struct box *b = *state;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct syncs s = {.owner = pthread_self()};
		struct report report;

		put_scratch(b, SOME);
		fs_type = types[i];
		io_set_hook(count_sync, &s);
		assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
		report_finish(&report);
		assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
		io_set_hook(NULL, NULL);
		fs_type = EXT4_SUPER_MAGIC;
		copies_are_there(b, SOME);
		assert_int_equal(s.fs, 0);
		assert_int_equal(s.files, SOME);
		/*
		 * One for each file, and one for each new directory: NAME.mapfs-left, images, d0
		 * ...
		 */
		assert_int_equal(s.dirs, SOME + DIRS + 2);
		box_remove(b);
		box_make(b);
		assert_int_equal(box_mount(b, NULL), 0);
	}
}

static void copies_that_cannot_be_synced_keep_the_mount(void **state)
{
	static const long types[] = {EXT4_SUPER_MAGIC, NFS_SUPER_MAGIC};
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, "images/more.jpg", "JPEG"), 0);
	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct syncs s = {.owner = pthread_self(), .code = -EIO};

		fs_type = types[i];
		io_set_hook(count_sync, &s);
		assert_int_equal(save_to_end(b, &report), OUTCOME_PARTIAL);
		assert_true(report.unrescued);
		io_set_hook(NULL, NULL);
		fs_type = EXT4_SUPER_MAGIC;
		assert_true(report_contains(&report, "cannot rescue"));
		assert_true(report_contains(&report, "Input/output error"));
		report_finish(&report);
		assert_int_equal(box_count_names(b, "mapfs-left", NULL), 0);
		assert_true(box_shows(b, "images/more.jpg", "JPEG"));
		assert_true(box_is_draft(b, AUTHOR));
	}
	assert_int_equal(save_to_end(b, &report), OUTCOME_DONE);
	report_finish(&report);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(file_content_is(b->room.fd, LEFT "/images/more.jpg", "JPEG"));
}

static void copies_that_cannot_be_synced_at_the_end_keep_the_journal(void **state)
{
	static const long types[] = {EXT4_SUPER_MAGIC, NFS_SUPER_MAGIC};
	struct box *b = *state;
	struct report report;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct syncs s = {.owner = pthread_self(), .code = -EIO};

		fs_type = types[i];
		io_set_hook(count_sync, &s);
		assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
		io_set_hook(NULL, NULL);
		fs_type = EXT4_SUPER_MAGIC;
		assert_true(report_contains(&report, "cannot rescue"));
		report_finish(&report);
		assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 1);
		assert_true(box_map_info_is(b, 0, "alice\n"));
		assert_int_equal(box_mount(b, NULL), 0);
		assert_true(box_is_draft(b, AUTHOR));
	}
}

static ssize_t read_text(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const char *text = arg;
	size_t rest = strlen(text) - (size_t)off;

	(void)e;
	n = n < rest ? n : rest;
	memcpy(dst, text + off, n);
	return (ssize_t)n;
}

static int write_copy(struct rescue_dir *d, const char *path, char *text, bool replaces)
{
	const struct rescue_content from = {read_text, text};

	return rescue_dir_write(d, path, &from, replaces, NULL);
}

/* Two paths may be the same on a file system that ignores case. */
static void copy_does_not_replace_another_copy(void **state)
{
	struct box *b = *state;
	CLEANUP_RESCUE_DIR struct rescue_dir d = {.dirfd = b->room.fd, .map = MAP_NAME, .fd = -1};

	assert_int_equal(write_copy(&d, "a/b", "one", false), 0);
	assert_int_equal(write_copy(&d, "a/b", "two", false), -EEXIST);
	assert_int_equal(write_copy(&d, "a/b/c", "two", false), -ENOTDIR);
	assert_int_equal(write_copy(&d, "../b", "two", false), -EINVAL);
	assert_true(file_content_is(b->room.fd, LEFT "/a/b", "one"));
	assert_int_equal(write_copy(&d, "a/b", "three", true), 0);
	assert_true(file_content_is(b->room.fd, LEFT "/a/b", "three"));
	rescue_dir_drop(&d);
	assert_int_equal(count_files(b->room.fd), 1);
	assert_string_equal(d.name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(draft_is_copied_out_at_the_end_and_named),
		TEST(changes_are_saved_although_files_are_rescued),
		TEST(file_that_was_never_closed_is_copied_out),
		TEST(table_that_its_layer_type_lacks_is_copied_out_after_any_save),
		TEST(scratch_of_no_known_editor_is_copied_out),
		TEST(backup_of_a_new_file_that_was_refused_is_copied_out),
		TEST(scratch_of_editors_is_not_copied_out),
		TEST(names_chosen_by_users_do_not_count_as_scratch_of_editors),
		TEST(unsaved_text_of_an_editor_is_copied_out),
		TEST(removed_scratch_is_not_copied_out),
		TEST(existing_directory_is_not_changed_and_the_next_is_numbered),
		TEST(save_does_not_move_drafts_and_scratch),
		TEST(large_scratch_is_copied_out_whole),
		TEST(progress_of_copies_is_reported),
		TEST(failed_copy_keeps_the_mount),
		TEST(forced_end_on_a_full_disk_leaves_no_partial_copy_and_reports_the_journal),
		TEST(copies_of_a_refused_end_follow_later_changes),
		TEST(copies_are_removed_if_nothing_is_left),
		TEST(copies_of_a_killed_mount_stay),
		TEST(copies_have_the_rights_of_the_map),
		TEST(many_copies_need_few_syncs),
		TEST(copies_on_a_share_and_an_overlay_are_synced_one_by_one),
		TEST(copies_that_cannot_be_synced_keep_the_mount),
		TEST(copies_that_cannot_be_synced_at_the_end_keep_the_journal),
		TEST(copy_does_not_replace_another_copy),
	};

	return cmocka_run_group_tests_name("vfs: rescue", tests, NULL, NULL);
}
