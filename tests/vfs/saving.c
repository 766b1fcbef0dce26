/* SPDX-License-Identifier: Zlib */
/* Rules 6 and 8 of the design: the effects of a save, and that closed content is kept. */
#include "support/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_setup, box_teardown)
#define AUTHOR     "info/author"

static void unchanged_map_is_not_written(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *image = box_get(b, IMAGE);
	struct stat before, after;

	assert_int_equal(fstatat(b->room.fd, MAP_NAME, &before, 0), 0);
	assert_int_equal(box_put(b, AUTHOR, "alice\n"), 0);
	assert_int_equal(box_put_bytes(b, IMAGE, image->data, image->size), 0);
	assert_int_equal(box_put(b, "info/x~", "scratch"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(fstatat(b->room.fd, MAP_NAME, &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void save_changes_only_changed_parts(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *map = NULL;
	uint8_t ids[MAP_CELLS];

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_true(box_map_info_is(b, 1, "v1\n"));
	assert_true(box_map_info_is(b, 2, "nobody\n"));
	assert_true(box_map_info_is(b, 3, "CC0\n"));
	assert_true(box_map_info_is(b, 4, ""));
	map = box_map(b);
	assert_true(map_ids(map, MAP_GAME, ids) && ids[0] == 0 && ids[1] == 1 && ids[2] == 0);
	assert_true(map_ids(map, MAP_DECO, ids) && ids[0] == 0 && ids[1] == 7);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void mode_of_the_map_is_kept(void **state)
{
	struct box *b = *state;
	struct stat st;

	assert_int_equal(fchmodat(b->room.fd, MAP_NAME, 0640, 0), 0);
	box_remount(b);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(fstatat(b->room.fd, MAP_NAME, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

struct cost {
	atomic_uint syncs, renames, unlinks, written;
	atomic_bool unsynced; /* a rename happened before the file's sync */
};

static int count_cost(struct io_call *c, void *arg)
{
	struct cost *n = arg;

	n->unsynced |= c->op == IO_RENAME && !n->syncs;
	n->syncs += c->op == IO_SYNC;
	n->renames += c->op == IO_RENAME;
	n->unlinks += c->op == IO_UNLINK;
	n->written += c->op == IO_WRITE ? (unsigned)c->n : 0;
	return 0;
}

/*
 * The new file's content is synced before its name, and the directory afterwards; the obsolete
 * journal is removed without a sync. The written bytes are those of the map, and one record in the
 * journal.
 */
static void save_costs_two_syncs_and_the_bytes_of_the_map(void **state)
{
	enum { WORD = 20 + 16 }; /* SAVED and the identity */
	struct box *b = *state;

	for (unsigned i = 0; i < 3; i++) {
		CLEANUP(bytes_unref) struct bytes *map = NULL;
		struct cost n = {0};

		assert_int_equal(box_put(b, "info/settings.cfg", i % 2 ? "sv_a 1" : "sv_bc 22"), 0);
		box_settle(b);
		io_set_hook(count_cost, &n);
		assert_int_equal(box_sync_root(b), 0);
		io_set_hook(NULL, NULL);
		map = box_map(b);
		assert_int_equal(n.syncs, 2);
		assert_int_equal(n.renames, 1);
		assert_int_equal(n.unlinks, 1);
		assert_int_equal(n.written, map->size + WORD);
		assert_false(n.unsynced);
	}
}

static void sync_of_the_root_saves(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_sync_root(b), 0);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_non_null(strstr(b->notes, AUTHOR));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void several_saves_work(void **state)
{
	struct box *b = *state;
	char text[16];

	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "bob%d\n", i);
		assert_int_equal(box_put(b, AUTHOR, text), 0);
		assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
		assert_true(box_map_info_is(b, 0, text));
		assert_true(box_shows(b, AUTHOR, text));
		assert_true(box_shows(b, "info/version", "v1\n"));
	}
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void saved_map_shows_the_same_files_in_the_next_mount(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, "info/settings.cfg", "sv_a 1\nsv_b 2\n"), 0);
	assert_int_equal(box_put(b, "info/license", ""), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 4, "sv_a 1\nsv_b 2\n"));
	assert_true(box_map_info_is(b, 3, ""));
	box_remount(b);
	assert_true(box_shows(b, "info/settings.cfg", "sv_a 1\nsv_b 2\n"));
	assert_true(box_shows(b, "info/license", ""));
	assert_string_equal(b->notes, "");
}

static void save_that_gives_the_old_bytes_succeeds_beside_a_draft(void **state)
{
	struct box *b = *state;

	/*
	 * The first save gives the map our encoder's form, so that the second gives the same bytes.
	 */
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, AUTHOR, "rob\n"), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_int_equal(box_put(b, "info/credits", "me\n"), 0);
	box_remount(b);
	assert_true(box_shows(b, "info/version", BAD_LINES));
	assert_true(box_shows(b, "info/credits", "me\n"));
}

static void save_succeeds_although_a_journal_of_the_new_identity_exists(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1], name[NAME_MAX + 1];
	struct buffer log;

	/* Find the name of the journal that the map by "bob" has. */
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	box_kill(b);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	snprintf(id, sizeof(id), "%s", name + strlen(name) - LOG_ID);
	unlinkat(b->room.fd, name, 0);
	/* Put back alice's map (an older copy), with a journal of bob's map beside it. */
	box_remount(b);
	assert_int_equal(box_put(b, AUTHOR, "alice"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	log_header(&log, id, "");
	log_put(&log, "info/license", "theirs\n");
	log_write(b, id, &log);
	box_remount(b);
	assert_int_equal(box_put(b, "info/credits", BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_int_equal(box_put(b, "info/version", "v3\n"), 0);
	box_remount(b);
	assert_true(box_shows(b, "info/version", "v3\n"));
	assert_true(box_shows(b, "info/credits", BAD_LINES));
}

static void closed_change_survives_a_kill(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, "info/settings.cfg", "sv_a 1\n"), 0);
	box_remount(b);
	assert_true(box_map_info_is(b, 0, "alice\n"));
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(box_shows(b, "info/settings.cfg", "sv_a 1\n"));
	assert_non_null(strstr(b->notes, "journal"));
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_int_equal(count_files(b->room.fd), 1);
}

static void unclosed_writes_do_not_survive_a_kill(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "eve"), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void fsync_makes_the_change_durable_without_a_save(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &f), 0);
	assert_int_equal(fd_text(f, 0, "bob\n"), 0);
	assert_int_equal(fd_fsync(f), 0);
	assert_true(box_map_info_is(b, 0, "alice\n"));
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static int count_syncs(struct io_call *c, void *arg)
{
	atomic_int *n = arg;

	if (c->op == IO_SYNC)
		atomic_fetch_add(n, 1);
	return 0;
}

static void close_requests_a_sync_within_a_second(void **state)
{
	struct box *b = *state;
	atomic_int n = 0;

	assert_int_equal(vfs_timeout(b->v), -1);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_in_range(vfs_timeout(b->v), 0, 1000);
	io_set_hook(count_syncs, &n);
	while (vfs_timeout(b->v) > 0)
		usleep((useconds_t)vfs_timeout(b->v) * 1000);
	vfs_tick(b->v);
	box_settle(b);
	io_set_hook(NULL, NULL);
	assert_true(atomic_load(&n) > 0);
	assert_int_equal(vfs_timeout(b->v), -1);
}

static void draft_survives_a_kill_and_a_save(void **state)
{
	struct box *b = *state;
	char why[1000];

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, BAD_LINES));
	assert_int_equal(box_getxattr(b, AUTHOR, "user.mapfs.error", why, sizeof(why)), 0);
	assert_non_null(strstr(why, "line"));
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, BAD_LINES));
	assert_true(box_is_draft(b, AUTHOR));
	assert_true(box_shows(b, "info/version", "v2\n"));
	assert_true(box_map_info_is(b, 0, "alice\n"));
}

/*
 * The map shows a file at this path after the save, so the content of the directory would be lost.
 */
static void directory_at_the_path_of_a_file_of_the_map_is_refused(void **state)
{
	static const char *const files[] = {AUTHOR, "info/version", IMAGE};
	struct box *b = *state;

	assert_int_equal(box_mkdir(b, "other"), 0);
	assert_int_equal(box_put(b, "other/photo.jpg", "hello"), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(box_rename(b, files[i], "other/x~"), 0);
		assert_int_equal(box_mkdir(b, files[i]), -EPERM);
		assert_int_equal(box_rename(b, "other", files[i]), -EPERM);
	}
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_shows(b, "other/photo.jpg", "hello"));
	/* A path without a file in the base can be a directory. */
	assert_int_equal(box_put(b, "info/notes", "hello"), 0);
	assert_int_equal(box_unlink(b, "info/notes"), 0);
	assert_int_equal(box_mkdir(b, "info/notes"), 0);
}

static void draft_that_is_being_written_survives_a_save_and_a_kill(void **state)
{
	struct box *b = *state;
	struct fd *f;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_open(b, AUTHOR, O_RDWR, &f), 0);
	assert_int_equal(fd_text(f, 8, "three\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	/* The journal has the last closed content; the later content was never closed. */
	box_remount(b);
	assert_true(box_is_draft(b, AUTHOR));
}

static void corrected_draft_does_not_come_back(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	box_remount(b);
	assert_false(box_is_draft(b, AUTHOR));
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void file_kept_for_a_backup_name_can_come_back_and_be_written(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_rename(b, AUTHOR, AUTHOR "~"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_rename(b, AUTHOR "~", AUTHOR), 0);
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void renamed_over_content_survives_a_kill(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, "info/author~", "bob\n"), 0);
	assert_int_equal(box_rename(b, "info/author~", AUTHOR), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_false(box_lists(b, "info", "author~"));
}

static void changes_after_a_save_have_a_journal_of_the_new_map(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 0);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 1);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(box_shows(b, "info/version", "v2\n"));
}

static void map_mounted_for_writing_cannot_be_mounted_for_writing_again(void **state)
{
	struct box *b = *state;
	struct box second = *b;
	struct error e = ERROR_INIT;

	second.v = NULL;
	assert_int_equal(box_mount(&second, &e), -EBUSY);
	assert_non_null(strstr(e.text, "mounted"));
	/* The same after a save, which replaces the map file. */
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(&second, NULL), -EBUSY);
	second.options.read_only = true;
	assert_int_equal(box_mount(&second, NULL), 0);
	assert_true(box_shows(&second, AUTHOR, "bob\n"));
	second.fds = NULL;
	box_kill(&second);
	/* The lock is released at the end of the mount. */
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(b, NULL), 0);
}

static void read_only_mount_reports_a_journal_and_does_not_change_it(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	char name[NAME_MAX + 1];

	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	box_kill(b);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	before = get_file(b->room.fd, name);
	b->options.read_only = true;
	assert_int_equal(box_mount(b, NULL), 0);
	assert_non_null(strstr(b->notes, "journal"));
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	after = get_file(b->room.fd, name);
	assert_true(bytes_equal_data(after, before->data, before->size));
}

/* Count the open descriptors, and those of unlinked files. */
static void count_descriptors(unsigned *ret_all, unsigned *ret_gone)
{
	static const char gone[] = " (deleted)";
	DIR *dir = opendir("/proc/self/fd");
	char target[PATH_MAX];
	struct dirent *d;

	assert_non_null(dir);
	*ret_all = *ret_gone = 0;
	while ((d = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), d->d_name, target, sizeof(target));
		ssize_t k = (ssize_t)sizeof(gone) - 1;

		*ret_all += n > 0;
		*ret_gone += n > k && memcmp(target + n - k, gone, (size_t)k) == 0;
	}
	closedir(dir);
}

static void put_group(struct box *b, const char *group)
{
	char path[64];

	assert_int_equal(box_mkdir(b, group), 0);
	snprintf(path, sizeof(path), "%s/group.json", group);
	assert_int_equal(box_put(b, path, "{}"), 0);
	/* A layer without layer.json is not saved, and is kept. */
	snprintf(path, sizeof(path), "%s/layers/0_x", group);
	assert_int_equal(box_mkdir(b, path), 0);
	snprintf(path, sizeof(path), "%s/layers/0_x/index.csv", group);
	assert_int_equal(box_put(b, path, "1\n"), 0);
}

/* Files removed before or after they were in a map, and unresolved files. */
static void saves_close_all_unlinked_files(void **state)
{
	enum { SAVES = 12 };
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *image = box_get(b, IMAGE);
	unsigned all[SAVES], gone[SAVES];

	for (unsigned i = 0; i < SAVES; i++) {
		char author[8], added[32], saved[32], removed[32], group[32];

		snprintf(author, sizeof(author), "a%u", i);
		snprintf(added, sizeof(added), "images/5_a%u.png", i);
		snprintf(saved, sizeof(saved), "images/6_s%u.png", i);
		snprintf(removed, sizeof(removed), "images/6_s%u.png", i - 2);
		snprintf(group, sizeof(group), "groups/7_g%u", i);
		assert_int_equal(box_put_bytes(b, added, image->data, image->size), 0);
		assert_int_equal(box_put_bytes(b, saved, image->data, image->size), 0);
		assert_int_equal(box_unlink(b, added), 0);
		if (i >= 2)
			assert_int_equal(box_unlink(b, removed), 0);
		put_group(b, group);
		assert_int_equal(box_put(b, AUTHOR, author), 0);
		assert_int_equal(box_sync_root(b), 0);
		box_settle(b);
		count_descriptors(&all[i], &gone[i]);
	}
	if (all[SAVES - 1] > all[2] || gone[SAVES - 1] > gone[2])
		fail_msg("of %u descriptors %u are on files that are gone, and after %d saves %u "
			 "of %u",
			all[2], gone[2], SAVES - 3, gone[SAVES - 1], all[SAVES - 1]);
	/* It comes back unchanged. */
	assert_int_equal(box_put_bytes(b, "images/6_s0.png", image->data, image->size), 0);
	assert_int_equal(box_sync_root(b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unchanged_map_is_not_written),
		TEST(save_changes_only_changed_parts),
		TEST(mode_of_the_map_is_kept),
		TEST(save_costs_two_syncs_and_the_bytes_of_the_map),
		TEST(sync_of_the_root_saves),
		TEST(several_saves_work),
		TEST(saved_map_shows_the_same_files_in_the_next_mount),
		TEST(save_that_gives_the_old_bytes_succeeds_beside_a_draft),
		TEST(save_succeeds_although_a_journal_of_the_new_identity_exists),
		TEST(closed_change_survives_a_kill),
		TEST(unclosed_writes_do_not_survive_a_kill),
		TEST(fsync_makes_the_change_durable_without_a_save),
		TEST(close_requests_a_sync_within_a_second),
		TEST(draft_survives_a_kill_and_a_save),
		TEST(directory_at_the_path_of_a_file_of_the_map_is_refused),
		TEST(draft_that_is_being_written_survives_a_save_and_a_kill),
		TEST(corrected_draft_does_not_come_back),
		TEST(file_kept_for_a_backup_name_can_come_back_and_be_written),
		TEST(renamed_over_content_survives_a_kill),
		TEST(changes_after_a_save_have_a_journal_of_the_new_map),
		TEST(map_mounted_for_writing_cannot_be_mounted_for_writing_again),
		TEST(read_only_mount_reports_a_journal_and_does_not_change_it),
		TEST(saves_close_all_unlinked_files),
	};

	return cmocka_run_group_tests_name("vfs: saving", tests, NULL, NULL);
}
