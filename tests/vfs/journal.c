/* SPDX-License-Identifier: Zlib */
/* Journals found on a disk: torn, of other maps, left by a save, hostile. */
#include "support/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "vfs/journal/journal.h"
#include "vfs/offline/recover.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_unmounted, box_teardown)
#define AUTHOR     "info/author"
#define LAYERS     "groups/0_g/layers/"
#define OTHER_ID   "0123456789abcdef"

static bool exists(const struct box *b, const char *id)
{
	char name[NAME_MAX + 1];

	log_name(id, name);
	return faccessat(b->room.fd, name, F_OK, 0) == 0;
}

static void bytes_of_a_journal_are_as_documented(void **state)
{
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *file = NULL;
	struct log_record recs[LOG_RECORDS_MAX];
	char name[NAME_MAX + 1], header[128];
	size_t n, puts = 0;
	int len;

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	box_kill(b);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	file = get_file(b->room.fd, name);
	n = log_records(file, recs);
	assert_int_equal(recs[0].type, LOG_HEADER);
	len = snprintf(header, sizeof(header), "%s%c%s%c%c%c", MAP_NAME, 0,
		name + strlen(name) - LOG_ID, 0, 0, 0);
	assert_int_equal(recs[0].end - recs[0].begin - 20, len);
	assert_memory_equal(file->data + recs[0].begin + 16, header, (size_t)len);
	for (size_t i = 0; i < n; i++)
		if (recs[i].type == LOG_PUT) {
			puts++;
			assert_memory_equal(file->data + recs[i].begin + 16, AUTHOR "\0bob",
				sizeof(AUTHOR) + 3);
		}
	assert_int_equal(puts, 1);
	assert_int_equal(recs[n - 1].type, LOG_DRAFT);
}

static void journal_by_another_writer_is_replayed(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1], why[1000];
	struct buffer log;

	log_identity(b, id);
	log_header(&log, id, "");
	log_put(&log, AUTHOR, "bob\n");
	log_put(&log, AUTHOR, "rob\n");
	log_draft(&log, "info/version", "too many lines", BAD_LINES);
	log_draft(&log, "info/credits", "dropped again", BAD_LINES);
	log_add(&log, LOG_DROP, (const char *[]){"info/credits"}, 1, NULL);
	log_add(&log, 99, NULL, 0, "a record of the future");
	log_put(&log, "info/license", BAD_LINES); /* It was valid before; now it is a draft. */
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "rob\n"));
	assert_true(box_shows(b, "info/version", BAD_LINES));
	assert_int_equal(box_getxattr(b, "info/version", "user.mapfs.error", why, sizeof(why)), 0);
	assert_string_equal(why, "line 2: too many lines (at most 1)");
	assert_false(box_is_draft(b, "info/credits"));
	assert_true(box_shows(b, "info/credits", "nobody\n"));
	assert_true(box_is_draft(b, "info/license"));
	assert_non_null(strstr(b->notes,
		"restored 2 changes and 1 refused file of an earlier mount from the journal"));
}

static void paths_that_are_no_files_are_reported_and_ignored(void **state)
{
	static const char *const paths[] = {"../x", "/abs", "", "info", "info/author/x", ".", "..",
		"info//author", "no/such/place", "info/"};
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;
	struct stat st;

	log_identity(b, id);
	log_header(&log, id, "");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		log_put(&log, paths[i], "hostile\n");
		log_draft(&log, paths[i], "why", "hostile\n");
		log_add(&log, LOG_DROP, &paths[i], 1, NULL);
	}
	log_put(&log, AUTHOR, "bob\n");
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_non_null(strstr(b->notes, "(see mapfs recover)"));
	box_end(b, NULL);
	assert_int_equal(fstatat(b->room.fd, "../x", &st, 0), -1);
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void directory_renamed_to_the_old_path_of_a_saved_one_is_moved_again(void **state)
{
	struct box *b = *state;

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_rename(b, LAYERS "2_deco", LAYERS "5_far"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_rename(b, LAYERS "1_front", LAYERS "2_deco"), 0);
	box_remount(b);
	assert_null(strstr(b->notes, "cannot replay"));
	assert_false(box_lists(b, "groups/0_g/layers", "1_front"));
	assert_true(box_lists(b, "groups/0_g/layers", "2_deco"));
	assert_true(box_lists(b, "groups/0_g/layers", "5_far"));
}

/*
 * Refused and unresolved content was closed; content that overwrites it during the save is not
 * closed yet.
 */
static void save_keeps_closed_content_and_not_unclosed_writes_over_it(void **state)
{
	static const char table[] = "7,7\n8,8\n", tables[] = LAYERS "2_deco/id.csv";
	struct box *b = *state;
	struct fd *draft, *waiting;

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	assert_int_equal(box_put(b, tables, table), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_open(b, "info/version", O_RDWR, &draft), 0);
	assert_int_equal(fd_text(draft, 0, "half"), 0);
	assert_int_equal(box_open(b, tables, O_RDWR | O_TRUNC, &waiting), 0);
	assert_int_equal(fd_text(waiting, 0, "1,"), 0);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	box_remount(b);
	assert_true(box_shows(b, "info/version", BAD_LINES));
	assert_true(box_is_draft(b, "info/version"));
	assert_true(box_shows(b, tables, table));
}

/* Mount with the first n bytes of the journal. Returns how many of its contents are present. */
static int shown_with(struct box *b, const char *name, const struct bytes *file, size_t n)
{
	static const char *const shown[][2] = {
		{"alice\n", "v1\n"}, {"bob\n", "v1\n"}, {"bob\n", "v2\n"}, {"bob\n", BAD_LINES}};
	int r = -1;

	put_file(b->room.fd, name, file->data, n);
	if (box_mount(b, NULL) < 0)
		return -1;
	/* No lost record was reported as kept. */
	assert_null(strstr(b->notes, "damaged"));
	for (int i = 0; i < 4; i++)
		if (box_shows(b, AUTHOR, shown[i][0]) && box_shows(b, "info/version", shown[i][1]))
			r = i;
	box_kill(b);
	return r;
}

static struct bytes *three_changes(struct box *b, char name[NAME_MAX + 1])
{
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, "info/version", "v2\n"), 0);
	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	box_kill(b);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	return get_file(b->room.fd, name);
}

static void journal_torn_at_any_byte_gives_its_whole_records(void **state)
{
	struct box *b = *state;
	struct log_record recs[LOG_RECORDS_MAX];
	char name[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);
	size_t n = log_records(file, recs);

	for (size_t cut = 0; cut <= file->size; cut++) {
		int want = 0;

		for (size_t i = 0; i < n; i++)
			want += recs[i].end <= cut &&
				(recs[i].type == LOG_PUT || recs[i].type == LOG_DRAFT);
		if (shown_with(b, name, file, cut) != want)
			fail_msg("cut at byte %zu: %d changes were wanted", cut, want);
	}
}

static void torn_journal_continues_after_its_last_whole_record(void **state)
{
	struct box *b = *state;
	char name[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);

	for (size_t cut = 0; cut < file->size; cut += 7) {
		put_file(b->room.fd, name, file->data, cut);
		assert_int_equal(box_mount(b, NULL), 0);
		assert_int_equal(box_put(b, "info/license", "MIT\n"), 0);
		box_remount(b);
		assert_true(box_shows(b, "info/license", "MIT\n"));
		box_kill(b);
	}
}

static void file_that_is_no_journal_is_kept_and_reported(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1], name[NAME_MAX + 1], now[NAME_MAX + 1];

	log_identity(b, id);
	log_name(id, name);
	put_file(b->room.fd, name, "a letter to my mother", 21);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_non_null(strstr(b->notes, name));
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(b, name, now), 1);
	assert_true(file_content_is(b->room.fd, now, "a letter to my mother"));
	assert_true(box_map_info_is(b, 0, "bob\n"));
}

static void journal_that_is_in_use_refuses_the_mount(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1], name[NAME_MAX + 1];
	struct error e = ERROR_INIT;
	struct buffer log;
	int fd;

	log_identity(b, id);
	log_header(&log, id, "");
	log_put(&log, AUTHOR, "bob\n");
	log_write(b, id, &log);
	log_name(id, name);
	fd = openat(b->room.fd, name, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(box_mount(b, &e), -EBUSY);
	assert_non_null(strstr(e.text, name));
	close(fd);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void journal_of_another_state_is_kept_and_reported(void **state)
{
	struct box *b = *state;
	struct buffer log;

	log_header(&log, OTHER_ID, "");
	log_put(&log, AUTHOR, "bob\n");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_non_null(strstr(b->notes, OTHER_ID));
	assert_true(box_shows(b, AUTHOR, "alice\n"));
	assert_int_equal(box_put(b, AUTHOR, "carol\n"), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(exists(b, OTHER_ID));
}

static void journal_whose_map_was_saved_is_removed(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	log_identity(b, id);
	log_header(&log, OTHER_ID, "");
	log_put(&log, AUTHOR, "bob\n");
	log_saved(&log, id);
	log_write(b, OTHER_ID, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_false(exists(b, OTHER_ID));
	assert_true(box_shows(b, AUTHOR, "alice\n"));
}

static void journal_with_changes_after_a_save_is_kept(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	/* The rename of that save failed; then another change followed. */
	log_identity(b, id);
	log_header(&log, OTHER_ID, "");
	log_saved(&log, id);
	log_put(&log, AUTHOR, "bob\n");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(exists(b, OTHER_ID));
}

static void journal_of_an_interrupted_save_is_removed(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	log_identity(b, id);
	log_header(&log, id, "");
	log_put(&log, AUTHOR, "bob\n");
	log_draft(&log, "info/version", "why", BAD_LINES);
	log_write(b, id, &log);
	log_header(&log, OTHER_ID, id);
	log_draft(&log, "info/version", "why", BAD_LINES);
	log_write(b, OTHER_ID, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_false(exists(b, OTHER_ID));
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(box_is_draft(b, "info/version"));
}

static void journal_of_a_later_map_is_kept_if_the_earlier_map_is_put_back(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	/*
	 * No journal of the map itself: that save was complete, and then the old map was put back.
	 */
	log_identity(b, id);
	log_header(&log, OTHER_ID, id);
	log_draft(&log, "info/version", "why", BAD_LINES);
	log_write(b, OTHER_ID, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(exists(b, OTHER_ID));
}

static void journal_with_changes_is_not_removed_as_a_leftover(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	/* The same, and then the old map was changed too, and the mount killed. */
	log_identity(b, id);
	log_header(&log, OTHER_ID, id);
	log_draft(&log, "info/version", "why", BAD_LINES);
	log_put(&log, AUTHOR, "work of an hour");
	log_write(b, OTHER_ID, &log);
	log_header(&log, id, "");
	log_put(&log, "info/credits", "me\n");
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(exists(b, OTHER_ID));
}

struct found {
	unsigned n, changes, drafts;
	bool fits, torn, busy;
};

static void collect(void *arg, const struct journal_info *i)
{
	struct found *f = arg;

	f->n++;
	f->changes += i->changes;
	f->drafts += i->drafts;
	f->fits |= i->fits;
	f->torn |= i->torn;
	f->busy |= i->busy;
}

static void recover_lists_the_content_of_journals(void **state)
{
	struct box *b = *state;
	struct found f = {0};
	struct buffer log;

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, "info/version", BAD_LINES), -EINVAL);
	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	assert_true(f.n == 1 && f.changes == 1 && f.drafts == 1 && f.fits && f.busy && !f.torn);
	box_kill(b);
	f = (struct found){0};
	log_header(&log, OTHER_ID, "");
	log_put(&log, AUTHOR, "x");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	assert_true(f.n == 2 && f.changes == 2 && f.drafts == 1 && f.fits && !f.busy && !f.torn);
	f = (struct found){0};
	assert_int_equal(unlinkat(b->room.fd, MAP_NAME, 0), 0);
	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	assert_true(f.n == 2 && !f.fits);
}

/* A file is counted once, by its last change. */
static void replayed_changes_are_counted_by_file(void **state)
{
	struct box *b = *state;
	struct found f = {0};
	char id[LOG_ID + 1];
	struct buffer log;

	log_identity(b, id);
	log_header(&log, id, "");
	log_draft(&log, AUTHOR, "was cut", "");
	log_put(&log, "info/version", "1\n");
	log_put(&log, AUTHOR, "bob\n");
	log_put(&log, "info/version", "2\n");
	log_add(&log, LOG_REMOVE, (const char *[]){"info/license"}, 1, NULL);
	log_add(&log, LOG_RENAME, (const char *[]){IMAGE, "images/1_a.png"}, 2, NULL);
	log_add(&log, LOG_RENAME, (const char *[]){"images/1_a.png", "images/1_b.png"}, 2, NULL);
	log_write(b, id, &log);
	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	assert_int_equal(f.changes, 4);
	assert_int_equal(f.drafts, 0);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_non_null(strstr(b->notes, "restored 4 changes of an earlier mount"));
}

static void remember(void *arg, const char *path, const char *what)
{
	strcat(strcat(strcat(strcat(arg, path), ": "), what), "\n");
}

static void unreadable_directory_is_not_taken_for_one_without_a_journal(void **state)
{
	struct box *b = *state;
	struct error e = ERROR_INIT;
	struct found f = {0};

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	box_kill(b);
	for (int at = 0; at <= 3; at++) {
		fail_reads_after(at);
		assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, &e), -EIO);
		assert_non_null(strstr(error_text(&e), "Input/output error"));
		fail_reads_after(at);
		assert_int_equal(box_mount(b, NULL), -EIO);
	}
	fail_reads_after(-1);
	assert_int_equal(f.n, 0);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
}

static void recover_reports_changes_of_names(void **state)
{
	struct box *b = *state;
	CLEANUP(close_fd) int out = -1;
	char name[NAME_MAX + 1], lines[1000] = "";
	struct found f = {0};

	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_mkdir(b, "groups/1_new"), 0);
	assert_int_equal(box_rename(b, IMAGE, "images/1_moved.png"), 0);
	assert_int_equal(box_unlink(b, "info/license"), 0);
	box_kill(b);
	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	assert_int_equal(f.changes, 3);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	assert_int_equal(mkdirat(b->room.fd, "out", 0755), 0);
	out = openat(b->room.fd, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(recover_extract(b->room.fd, name, out, remember, lines, NULL), 0);
	assert_string_equal(lines,
		"groups/1_new: created\n" IMAGE ": renamed to images/1_moved.png\n"
		"info/license: removed\n");
}

static void recover_reports_a_torn_journal_and_does_not_change_it(void **state)
{
	struct box *b = *state;
	char name[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name), *after = NULL;
	struct found f = {0};

	put_file(b->room.fd, name, file->data, file->size - 3);
	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	after = get_file(b->room.fd, name);
	assert_int_equal(after->size, file->size - 3);
	assert_true(f.torn);
	assert_true(f.changes == 2 && f.drafts == 0);
}

static void line(void *arg, const char *path, const char *what)
{
	(void)what;
	strcat(arg, path);
	strcat(arg, "\n");
}

static int extract(struct box *b, const char *id, const char *to, char *lines)
{
	char name[NAME_MAX + 1];
	CLEANUP(close_fd) int fd = -1;

	lines[0] = '\0';
	log_name(id, name);
	(void)mkdirat(b->room.fd, to, 0755);
	fd = openat(b->room.fd, to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return recover_extract(b->room.fd, name, fd, line, lines, NULL);
}

static void recover_copies_out_the_last_content_of_each_path(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	log_header(&log, OTHER_ID, "");
	log_put(&log, AUTHOR, "bob the first");
	log_put(&log, AUTHOR, "bob\n");
	log_draft(&log, "a/b/c/d", "why", BAD_LINES);
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_true(file_content_is(b->room.fd, "out/" AUTHOR, "bob\n"));
	assert_true(file_content_is(b->room.fd, "out/a/b/c/d", BAD_LINES));
	assert_non_null(strstr(lines, AUTHOR));
	assert_non_null(strstr(lines, "a/b/c/d"));
}

static void log_name_change(struct buffer *log, uint32_t type, const char *path, const char *to)
{
	const char *const texts[] = {path, to};

	log_add(log, type, texts, to ? 2 : 1, "");
}

static void recover_lists_a_file_once_and_omits_dropped_drafts(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	log_header(&log, OTHER_ID, "");
	log_put(&log, AUTHOR, "bob\n");
	log_put(&log, "info/version", "v1");
	log_draft(&log, AUTHOR, "why", BAD_LINES);
	log_name_change(&log, LOG_DROP, AUTHOR, NULL);
	log_draft(&log, "info/license", "why", BAD_LINES);
	log_name_change(&log, LOG_DROP, "info/license", NULL);
	log_put(&log, "info/version", "v2\n");
	log_put(&log, "info/version", "v3\n");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_string_equal(lines, AUTHOR "\ninfo/version\n");
	assert_true(file_content_is(b->room.fd, "out/" AUTHOR, "bob\n"));
	assert_true(file_content_is(b->room.fd, "out/info/version", "v3\n"));
	assert_int_not_equal(faccessat(b->room.fd, "out/info/license", F_OK, 0), 0);
}

/* Content written later at the old path of a file belongs to another file. */
static void recover_copies_a_file_out_under_its_last_name(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	log_header(&log, OTHER_ID, "");
	log_put(&log, "a/old", "one");
	log_name_change(&log, LOG_RENAME, "a/old", "a/new");
	log_put(&log, "a/old", "two");
	log_put(&log, "a/gone", "replaced");
	log_put(&log, "d/in", "three");
	log_put(&log, "dd/in", "four");
	log_name_change(&log, LOG_RENAME, "a/old", "a/gone");
	log_name_change(&log, LOG_RENAME, "d", "e");
	log_put(&log, "d/in", "five");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_true(file_content_is(b->room.fd, "out/a/new", "one"));
	assert_true(file_content_is(b->room.fd, "out/a/gone", "two"));
	assert_true(file_content_is(b->room.fd, "out/e/in", "three"));
	assert_true(file_content_is(b->room.fd, "out/dd/in", "four"));
	assert_true(file_content_is(b->room.fd, "out/d/in", "five"));
	assert_int_not_equal(faccessat(b->room.fd, "out/a/old", F_OK, 0), 0);
	assert_string_equal(lines, "a/new\na/old\na/gone\ne/in\ndd/in\na/old\nd\nd/in\n");
}

static void recover_copies_out_a_replacement_of_a_directory_or_file(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	log_header(&log, OTHER_ID, "");
	log_put(&log, "a/was", "directory");
	log_put(&log, "b", "file");
	log_put(&log, "c/d/e", "one");
	log_name_change(&log, LOG_REMOVE, "a/was", NULL);
	log_name_change(&log, LOG_REMOVE, "a", NULL);
	log_name_change(&log, LOG_REMOVE, "b", NULL);
	log_put(&log, "a", "two");
	log_put(&log, "b/is", "three");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_true(file_content_is(b->room.fd, "out/a", "two"));
	assert_true(file_content_is(b->room.fd, "out/b/is", "three"));
	assert_true(file_content_is(b->room.fd, "out/c/d/e", "one"));
}

/* A directory is not mistaken for a file that was removed from its path. */
static void recover_finds_removed_files_unless_their_path_is_in_use(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	log_header(&log, OTHER_ID, "");
	log_put(&log, "a/file", "removed");
	log_put(&log, "d/x", "old x");
	log_put(&log, "d/y", "old y");
	log_put(&log, "e/x", "new x");
	log_put(&log, "f", "old f");
	log_name_change(&log, LOG_REMOVE, "a/file", NULL);
	log_name_change(&log, LOG_REMOVE, "d/x", NULL);
	log_name_change(&log, LOG_REMOVE, "d/y", NULL);
	log_name_change(&log, LOG_REMOVE, "d", NULL);
	log_name_change(&log, LOG_RENAME, "e", "d");
	log_name_change(&log, LOG_REMOVE, "f", NULL);
	log_name_change(&log, LOG_MKDIR, "f", NULL);
	log_put(&log, "f/in", "new f");
	log_name_change(&log, LOG_RENAME, "f", "g");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_true(file_content_is(b->room.fd, "out/a/file", "removed"));
	assert_true(file_content_is(b->room.fd, "out/d/x", "new x"));
	assert_true(file_content_is(b->room.fd, "out/d/y", "old y"));
	assert_true(file_content_is(b->room.fd, "out/g/in", "new f"));
	assert_true(file_content_is(b->room.fd, "out/f", "old f"));
}

/*
 * Contents without their removal record, and contents accepted and then dropped, are still
 * extracted.
 */
static void recover_finds_contents_although_other_records_are_damaged(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000], name[NAME_MAX + 1], want[3 * NAME_MAX];

	log_header(&log, OTHER_ID, "");
	log_put(&log, "b", "file");
	log_put(&log, "c", "accepted");
	log_name_change(&log, LOG_REMOVE, "b", NULL);
	log.data[log.size - 1] ^= 1;
	log_put(&log, "b/is", "directory");
	log_draft(&log, "c", "why", "refused");
	log.data[log.size - 1] ^= 1;
	log_name_change(&log, LOG_DROP, "c", NULL);
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_true(file_content_is(b->room.fd, "out/b/is", "directory"));
	assert_true(file_content_is(b->room.fd, "out/c", "accepted"));
	log_name(OTHER_ID, name);
	snprintf(want, sizeof(want), "c\n%s\nb/is\n%s\n", name, name);
	assert_string_equal(lines, want);
}

/* A map may have names that a mount does not allow; and a record may lack a NUL. */
static void recover_accepts_names_and_records_that_mounts_do_not_make(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000], longest[NAME_MAX + 1], path[NAME_MAX + sizeof("out/")];

	memset(longest, 'x', NAME_MAX);
	longest[NAME_MAX] = '\0';
	log_header(&log, OTHER_ID, "");
	log_put(&log, ".git/config", "one");
	log_put(&log, ".Trash-0/.fuse_hidden1", "two");
	log_put(&log, "no-nul", NULL);
	log_put(&log, "empty", "");
	log_put(&log, longest, "three");
	log_write(b, OTHER_ID, &log);
	assert_int_equal(extract(b, OTHER_ID, "out", lines), 0);
	assert_true(file_content_is(b->room.fd, "out/.git/config", "one"));
	assert_true(file_content_is(b->room.fd, "out/.Trash-0/.fuse_hidden1", "two"));
	assert_true(file_content_is(b->room.fd, "out/no-nul", ""));
	assert_true(file_content_is(b->room.fd, "out/empty", ""));
	snprintf(path, sizeof(path), "out/%s", longest);
	assert_true(file_content_is(b->room.fd, path, "three"));
}

static void recover_does_not_write_outside_its_directory(void **state)
{
	static const char *const paths[] = {"../x", "/tmp/mapfs-test-abs", "", "a/../../x", "..",
		".", "a//x", "link/x", "file-link", "a/"};
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	put_file(b->room.fd, "secret", "secret", 6);
	assert_int_equal(mkdirat(b->room.fd, "elsewhere", 0755), 0);
	assert_int_equal(mkdirat(b->room.fd, "out", 0755), 0);
	assert_int_equal(symlinkat("../elsewhere", b->room.fd, "out/link"), 0);
	assert_int_equal(symlinkat("../secret", b->room.fd, "out/file-link"), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		log_header(&log, OTHER_ID, "");
		log_put(&log, paths[i], "hostile");
		log_write(b, OTHER_ID, &log);
		(void)extract(b, OTHER_ID, "out", lines);
	}
	assert_int_not_equal(faccessat(b->room.fd, "x", F_OK, 0), 0);
	assert_int_not_equal(faccessat(b->room.fd, "elsewhere/x", F_OK, 0), 0);
	assert_int_not_equal(faccessat(AT_FDCWD, "/tmp/mapfs-test-abs", F_OK, 0), 0);
	assert_true(file_content_is(b->room.fd, "secret", "secret"));
}

static void hostile_path_does_not_prevent_recovery_of_the_others(void **state)
{
	struct box *b = *state;
	struct buffer log;
	char lines[1000];

	log_header(&log, OTHER_ID, "");
	log_put(&log, "info/version", "v2\n");
	log_put(&log, "../x", "hostile");
	log_put(&log, AUTHOR, "bob\n");
	log_write(b, OTHER_ID, &log);
	(void)extract(b, OTHER_ID, "out", lines);
	assert_true(file_content_is(b->room.fd, "out/info/version", "v2\n"));
	assert_true(file_content_is(b->room.fd, "out/" AUTHOR, "bob\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_of_a_journal_are_as_documented),
		TEST(journal_by_another_writer_is_replayed),
		TEST(replayed_changes_are_counted_by_file),
		TEST(paths_that_are_no_files_are_reported_and_ignored),
		TEST(directory_renamed_to_the_old_path_of_a_saved_one_is_moved_again),
		TEST(save_keeps_closed_content_and_not_unclosed_writes_over_it),
		TEST(journal_torn_at_any_byte_gives_its_whole_records),
		TEST(torn_journal_continues_after_its_last_whole_record),
		TEST(file_that_is_no_journal_is_kept_and_reported),
		TEST(journal_that_is_in_use_refuses_the_mount),
		TEST(journal_of_another_state_is_kept_and_reported),
		TEST(journal_whose_map_was_saved_is_removed),
		TEST(journal_with_changes_after_a_save_is_kept),
		TEST(journal_of_an_interrupted_save_is_removed),
		TEST(journal_of_a_later_map_is_kept_if_the_earlier_map_is_put_back),
		TEST(journal_with_changes_is_not_removed_as_a_leftover),
		TEST(recover_lists_the_content_of_journals),
		TEST(unreadable_directory_is_not_taken_for_one_without_a_journal),
		TEST(recover_reports_changes_of_names),
		TEST(recover_reports_a_torn_journal_and_does_not_change_it),
		TEST(recover_copies_out_the_last_content_of_each_path),
		TEST(recover_lists_a_file_once_and_omits_dropped_drafts),
		TEST(recover_copies_a_file_out_under_its_last_name),
		TEST(recover_copies_out_a_replacement_of_a_directory_or_file),
		TEST(recover_finds_removed_files_unless_their_path_is_in_use),
		TEST(recover_finds_contents_although_other_records_are_damaged),
		TEST(recover_accepts_names_and_records_that_mounts_do_not_make),
		TEST(recover_does_not_write_outside_its_directory),
		TEST(hostile_path_does_not_prevent_recovery_of_the_others),
	};

	return cmocka_run_group_tests_name("vfs: journal", tests, NULL, NULL);
}
