/* SPDX-License-Identifier: Zlib */
/*
 * Journals that a disk has damaged, or with operations that cannot be replayed: all losses are
 * reported, and the journals are kept.
 */
#include "support/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/journal/journal.h"
#include "vfs/offline/recover.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, box_unmounted, box_teardown)
#define AUTHOR     "info/author"
#define VERSION    "info/version"

enum { HEAD = 16, PIXEL = 63 + 9 /* offset at which the PNG's pixels may be changed */ };

static struct bytes *three_changes(struct box *b, char name[NAME_MAX + 1])
{
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, VERSION, "v2\n"), 0);
	assert_int_equal(box_put(b, "info/license", BAD_LINES), -EINVAL);
	box_kill(b);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	return get_file(b->room.fd, name);
}

struct present_changes {
	bool author, version, license;
};

/* Mount, record which changes are present, and end the mount. */
static struct present_changes shown_with(
	struct box *b, const char *name, const struct bytes *journal)
{
	CLEANUP(bytes_unref) struct bytes *map = map_build("alice");
	struct present_changes s;

	put_file(b->room.fd, MAP_NAME, map->data, map->size);
	put_file(b->room.fd, name, journal->data, journal->size);
	assert_int_equal(box_mount(b, NULL), 0);
	s.author = box_shows(b, AUTHOR, "bob\n");
	s.version = box_shows(b, VERSION, "v2\n");
	s.license = box_is_draft(b, "info/license");
	if (!strstr(b->notes, "damaged"))
		fail_msg("the damage is not reported: %s", b->notes);
	return s;
}

static bool begins_like(const struct bytes *file, const struct bytes *begin)
{
	return file && file->size >= begin->size &&
	       memcmp(file->data, begin->data, begin->size) == 0;
}

/*
 * Independent of the walk: if the 16 bytes of a record's header are sound, so is everything else,
 * and only this record is missing; otherwise its operation is unknown, and no later record is
 * replayed.
 */
static void damage_at_any_byte_loses_as_little_as_possible_and_is_reported(void **state)
{
	struct box *b = *state;
	struct log_record recs[LOG_RECORDS_MAX];
	char name[NAME_MAX + 1], kept[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);
	size_t n = log_records(file, recs);
	CLEANUP(bytes_unref) struct bytes *bad = bytes_copy(file->data, file->size);
	uint8_t *p = (uint8_t *)(uintptr_t)bad->data;

	for (size_t at = recs[0].begin; at < file->size; at++) {
		CLEANUP(bytes_unref) struct bytes *aside = NULL;
		bool want[3] = {false}, blind = false;
		struct report report;
		struct present_changes got;
		unsigned change = 0;

		for (size_t i = 0; i < n; i++) {
			bool hit = at >= recs[i].begin && at < recs[i].end;

			blind |= hit && at < recs[i].begin + HEAD;
			if (recs[i].type == LOG_PUT || recs[i].type == LOG_DRAFT)
				want[change++] = !hit && !blind;
		}
		assert_int_equal(change, 3);
		p[at] ^= 0x41;
		got = shown_with(b, name, bad);
		if (got.author != want[0] || got.version != want[1] || got.license != want[2])
			fail_msg("byte %zu: %d %d %d", at, got.author, got.version, got.license);
		assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
		assert_int_equal(box_count_names(b, ".kept", kept), 1);
		assert_true(report_contains(&report, kept));
		report_finish(&report);
		aside = get_file(b->room.fd, kept);
		assert_true(begins_like(aside, bad));
		/* Only the journal that was set aside. */
		assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 1);
		assert_int_equal(unlinkat(b->room.fd, kept, 0), 0);
		p[at] ^= 0x41;
	}
}

/*
 * Check which of three changes a mount replays from a journal with a gap, which it reports. The
 * mount sets the journal aside.
 */
static void assert_shown(struct box *b, const char *name, const struct bytes *bad,
	const struct present_changes *want)
{
	CLEANUP(bytes_unref) struct bytes *aside = NULL;
	struct present_changes got = shown_with(b, name, bad);
	char kept[NAME_MAX + 1];

	assert_int_equal(got.author, want->author);
	assert_int_equal(got.version, want->version);
	assert_int_equal(got.license, want->license);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_int_equal(box_count_names(b, ".kept", kept), 1);
	aside = get_file(b->room.fd, kept);
	assert_true(begins_like(aside, bad));
	assert_int_equal(unlinkat(b->room.fd, kept, 0), 0);
}

/*
 * The removed record is unknown, so the following records are not replayed and stay in the journal.
 */
static void removed_record_is_reported(void **state)
{
	struct box *b = *state;
	struct log_record recs[LOG_RECORDS_MAX];
	char name[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);
	size_t n = log_records(file, recs);
	struct present_changes want = {0};

	assert_true(n >= 4);
	/* The loss of the last record cannot be detected. */
	for (size_t i = 0; i + 1 < n; i++) {
		CLEANUP_BUFFER struct buffer cut = BUFFER_INIT;
		CLEANUP(bytes_unref) struct bytes *bad = NULL;

		buffer_append(&cut, file->data, recs[i].begin);
		buffer_append(&cut, file->data + recs[i].end, file->size - recs[i].end);
		assert_int_equal(buffer_finish(&cut, &bad), 0);
		assert_shown(b, name, bad, &want);
		if (recs[i].type == LOG_PUT && want.author)
			want.version = true;
		else if (recs[i].type == LOG_PUT)
			want.author = true;
	}
	assert_true(want.version);
}

static void last_record_of_zeros_is_reported(void **state)
{
	struct box *b = *state;
	struct log_record recs[LOG_RECORDS_MAX];
	char name[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);
	const struct log_record *last = &recs[log_records(file, recs) - 1];
	const struct present_changes want = {.author = true, .version = true};

	assert_int_equal(last->type, LOG_DRAFT);
	for (size_t from = last->begin; from <= last->begin + HEAD; from += HEAD) {
		CLEANUP(bytes_unref) struct bytes *bad = bytes_copy(file->data, file->size);

		memset((uint8_t *)(uintptr_t)bad->data + from, 0, file->size - from);
		assert_shown(b, name, bad, &want);
	}
}

static void journal_of_version_1_is_replayed_and_continued(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	const char *texts[] = {MAP_NAME, id, "", ""};
	struct buffer log;

	log_identity(b, id);
	log_begin_1(&log);
	log_add(&log, LOG_HEADER, texts, 4, NULL);
	log_put(&log, AUTHOR, "bob\n");
	log_put(&log, VERSION, "v2\n");
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_int_equal(box_put(b, VERSION, "v3\n"), 0);
	box_remount(b);
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_true(box_shows(b, VERSION, "v3\n"));
	assert_null(strstr(b->notes, "damaged"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_int_equal(box_count_names(b, ".mapfs-journal-", NULL), 0);
}

static void changes_after_damage_are_replayed(void **state)
{
	struct box *b = *state;
	struct log_record recs[LOG_RECORDS_MAX];
	char name[NAME_MAX + 1];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);

	assert_true(log_records(file, recs) > 2);
	for (size_t at = recs[1].begin; at < recs[1].end; at += 5) {
		CLEANUP(bytes_unref) struct bytes *bad = bytes_copy(file->data, file->size);

		((uint8_t *)(uintptr_t)bad->data)[at] ^= 0x41;
		(void)shown_with(b, name, bad);
		assert_int_equal(box_put(b, AUTHOR, "carol\n"), 0);
		box_remount(b);
		assert_true(box_shows(b, AUTHOR, "carol\n"));
		assert_int_equal(box_put(b, "info/credits", "me\n"), 0);
		box_remount(b);
		assert_true(box_shows(b, AUTHOR, "carol\n"));
		assert_true(box_shows(b, "info/credits", "me\n"));
		box_kill(b);
	}
}

struct found {
	unsigned n, changes, drafts, damaged, aside;
};

static void collect(void *arg, const struct journal_info *i)
{
	struct found *f = arg;

	f->n++;
	f->changes += i->changes;
	f->drafts += i->drafts;
	f->damaged += i->damaged;
	f->aside += i->is_set_aside;
}

static struct found listed(const struct box *b)
{
	struct found f = {0};

	assert_int_equal(journal_list(b->room.fd, MAP_NAME, collect, &f, NULL), 0);
	return f;
}

static void line(void *arg, const char *path, const char *what)
{
	strcat(strcat(arg, path), ": ");
	strcat(strcat(arg, what), "\n");
}

static void recover_finds_all_sound_records(void **state)
{
	struct box *b = *state;
	char name[NAME_MAX + 1], lines[1000];
	CLEANUP(bytes_unref) struct bytes *file = three_changes(b, name);

	for (size_t at = 0; at < LOG_MAGIC + HEAD + 4; at++) {
		CLEANUP(bytes_unref) struct bytes *bad = bytes_copy(file->data, file->size);
		CLEANUP(close_fd) int out = -1;
		struct found f;

		((uint8_t *)(uintptr_t)bad->data)[at] ^= 0x41;
		put_file(b->room.fd, name, bad->data, bad->size);
		f = listed(b);
		assert_true(f.n == 1 && f.damaged == 1 && f.changes == 2 && f.drafts == 1);
		(void)mkdirat(b->room.fd, "out", 0755);
		out = openat(b->room.fd, "out", O_RDONLY | O_DIRECTORY);
		lines[0] = '\0';
		assert_int_equal(recover_extract(b->room.fd, name, out, line, lines, NULL), 0);
		assert_non_null(strstr(lines, "damaged"));
		assert_true(file_content_is(out, AUTHOR, "bob\n"));
		assert_true(file_content_is(out, "info/license", BAD_LINES));
		assert_int_equal(unlinkat(out, AUTHOR, 0), 0);
	}
}

static void lost_operation(struct box *b, const char *id, bool other)
{
	struct buffer log;

	log_header(&log, id, "");
	log_put(&log, "raw/data/00000", "work of an hour");
	if (other)
		log_put(&log, AUTHOR, "bob\n");
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	if (!strstr(b->notes, "cannot replay 1 operation of the journal"))
		fail_msg("%s", b->notes);
}

static void operation_that_cannot_be_replayed_is_kept_by_a_save(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1], kept[NAME_MAX + 1];
	struct report report;
	struct found f;

	log_identity(b, id);
	lost_operation(b, id, true);
	assert_int_equal(box_save(b, &report), OUTCOME_PARTIAL);
	assert_int_equal(box_count_names(b, ".kept", kept), 1);
	assert_true(report_contains(&report, kept));
	report_finish(&report);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	f = listed(b);
	assert_true(f.n == 1 && f.aside == 1 && f.changes == 2);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	/* It is reported at the next mount, and then settled. */
	assert_int_equal(box_mount(b, NULL), 0);
	assert_non_null(strstr(b->notes, kept));
	assert_true(box_shows(b, AUTHOR, "bob\n"));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(b, kept, NULL), 1);
}

static void operation_that_cannot_be_replayed_is_kept_without_other_changes(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1], kept[NAME_MAX + 1];
	struct report report;

	log_identity(b, id);
	for (int i = 0; i < 3; i++) {
		lost_operation(b, id, false);
		assert_int_equal(box_end(b, &report), OUTCOME_PARTIAL);
		assert_true(report_contains(&report, "mapfs recover"));
		report_finish(&report);
		/* No earlier file is overwritten. */
		assert_int_equal(box_count_names(b, ".kept", kept), i + 1);
	}
	assert_int_equal(listed(b).aside, 3);
}

struct moment {
	struct box *box;
	char name[NAME_MAX + 1];
	struct bytes *journal; /* as it was when the map got its new content */
};

static int at_the_rename(struct io_call *c, void *arg)
{
	struct moment *m = arg;

	if (c->op == IO_RENAME && !m->journal)
		m->journal = get_file(m->box->room.fd, m->name);
	return 0;
}

static void save_killed_before_it_changes_the_journal_keeps_lost_operations(void **state)
{
	struct box *b = *state;
	struct moment m = {.box = b};
	char id[LOG_ID + 1];

	log_identity(b, id);
	lost_operation(b, id, true);
	assert_int_equal(box_count_names(b, ".mapfs-journal-", m.name), 1);
	io_set_hook(at_the_rename, &m);
	assert_int_equal(box_save(b, NULL), OUTCOME_PARTIAL);
	io_set_hook(NULL, NULL);
	box_kill(b);
	put_file(b->room.fd, m.name, m.journal->data, m.journal->size);
	bytes_unref(m.journal);
	assert_int_equal(box_mount(b, NULL), 0);
	/* That one, and the one that was set aside. */
	assert_int_equal(box_count_names(b, m.name, NULL), 2);
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(b, m.name, NULL), 2);
}

/* The map has no such path: the file is shown as scratch, and kept too. */
static void operation_on_a_path_without_a_meaning_is_kept(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	log_identity(b, id);
	log_header(&log, id, "");
	log_put(&log, "no/such/place", "work of an hour");
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_non_null(strstr(b->notes, "1 operation "));
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_int_equal(listed(b).aside, 1);
	assert_true(file_content_is(
		b->room.fd, MAP_NAME ".mapfs-left/no/such/place", "work of an hour"));
}

/* A record with such a path is a gap, and files outside the mount are not touched. */
static void path_out_of_the_mount_is_damage(void **state)
{
	static const uint32_t types[] = {
		LOG_PUT, LOG_DRAFT, LOG_DROP, LOG_MKDIR, LOG_REMOVE, LOG_RENAME, LOG_RENAME};
	enum { TYPES = sizeof(types) / sizeof(types[0]), ODD = NAME_MAX + 2 };
	struct box *b = *state;
	char id[LOG_ID + 1], kept[NAME_MAX + 1], longer[ODD];
	const char *const paths[] = {"../other.txt", "../" MAP_NAME, "images/../../other.txt",
		"images/..", "/other.txt", "info//author", "./other.txt", "info/.", "", ".", "..",
		"info/", longer};

	memset(longer, 'a', ODD - 1);
	longer[ODD - 1] = '\0';
	log_identity(b, id);
	put_file(b->room.fd, "other.txt", "precious", 8);
	for (size_t i = 0; i < TYPES * sizeof(paths) / sizeof(paths[0]); i++) {
		CLEANUP(bytes_unref) struct bytes *map = map_build("alice");
		const char *path = paths[i / TYPES], *texts[] = {path, "info/notes"};
		uint32_t type = types[i % TYPES];
		bool blind = type >= LOG_MKDIR;
		struct buffer log;

		if (i % TYPES == TYPES - 1) {
			texts[0] = AUTHOR;
			texts[1] = path;
		}
		put_file(b->room.fd, MAP_NAME, map->data, map->size);
		log_header(&log, id, "");
		log_put(&log, VERSION, "v2\n");
		log_add(&log, type, texts, type == LOG_DRAFT || type == LOG_RENAME ? 2 : 1,
			type == LOG_PUT || type == LOG_DRAFT ? "hostile" : NULL);
		log_put(&log, AUTHOR, "bob\n");
		log_write(b, id, &log);
		assert_int_equal(box_mount(b, NULL), 0);
		if (!strstr(b->notes, "damaged"))
			fail_msg("type %u of \"%s\" is not reported: %s", type, path, b->notes);
		assert_true(box_shows(b, VERSION, "v2\n"));
		assert_true(box_shows(b, AUTHOR, blind ? "alice\n" : "bob\n"));
		assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
		assert_true(file_content_is(b->room.fd, "other.txt", "precious"));
		assert_true(box_map_info_is(b, 1, "v2\n"));
		assert_int_equal(box_count_names(b, ".kept", kept), 1);
		/* The journal, the map, the other file, "." and "..". */
		assert_int_equal(box_count_names(b, "", NULL), 5);
		assert_int_equal(unlinkat(b->room.fd, kept, 0), 0);
	}
}

static void record_of_an_unknown_type_is_kept(void **state)
{
	struct box *b = *state;
	char id[LOG_ID + 1];
	struct buffer log;

	log_identity(b, id);
	log_header(&log, id, "");
	log_add(&log, 99, NULL, 0, "what only a later version can do");
	log_write(b, id, &log);
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_int_equal(listed(b).aside, 1);
}

static size_t journal_size(const struct box *b)
{
	CLEANUP(bytes_unref) struct bytes *file = NULL;
	char name[NAME_MAX + 1];

	assert_int_equal(box_count_names(b, ".mapfs-journal-", name), 1);
	file = get_file(b->room.fd, name);
	return file->size;
}

static int no_writes(struct io_call *c, void *arg)
{
	(void)arg;
	return c->op == IO_WRITE ? -ENOSPC : 0;
}

static void replay_does_not_write_and_needs_no_disk_space(void **state)
{
	enum { LINES = (9 << 20) / 8 };
	struct box *b = *state;
	CLEANUP(bytes_unref) struct bytes *image = NULL;
	CLEANUP(free) char *text = malloc(8 * LINES + 1);
	CLEANUP(free) uint8_t *png = NULL;
	size_t size;

	assert_int_equal(box_mount(b, NULL), 0);
	for (size_t i = 0; i < LINES; i++)
		snprintf(text + 8 * i, 9, "%07zu\n", i);
	assert_int_equal(box_put(b, "info/settings.cfg", text), 0);
	assert_int_equal(box_put(b, AUTHOR, "bob\n"), 0);
	assert_int_equal(box_put(b, VERSION, BAD_LINES), -EINVAL);
	image = box_get(b, IMAGE);
	/* A PNG with wrong checksums is a draft. */
	png = malloc(image->size);
	memcpy(png, image->data, image->size);
	png[PIXEL] ^= 1;
	assert_int_equal(box_put_bytes(b, IMAGE, png, image->size), -EINVAL);
	box_kill(b);
	size = journal_size(b);
	for (int i = 0; i < 3; i++) {
		io_set_hook(no_writes, NULL);
		assert_int_equal(box_mount(b, NULL), 0);
		io_set_hook(NULL, NULL);
		assert_non_null(strstr(b->notes, "2 changes and 2 refused files"));
		assert_true(box_shows(b, "info/settings.cfg", text));
		assert_true(box_shows(b, AUTHOR, "bob\n"));
		box_kill(b);
		assert_int_equal(journal_size(b), size);
	}
	assert_int_equal(box_mount(b, NULL), 0);
	assert_int_equal(box_end(b, NULL), OUTCOME_PARTIAL);
	assert_true(box_map_info_is(b, 0, "bob\n"));
	assert_true(box_map_info_is(b, 4, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(damage_at_any_byte_loses_as_little_as_possible_and_is_reported),
		TEST(removed_record_is_reported),
		TEST(last_record_of_zeros_is_reported),
		TEST(journal_of_version_1_is_replayed_and_continued),
		TEST(changes_after_damage_are_replayed),
		TEST(recover_finds_all_sound_records),
		TEST(operation_that_cannot_be_replayed_is_kept_by_a_save),
		TEST(operation_that_cannot_be_replayed_is_kept_without_other_changes),
		TEST(save_killed_before_it_changes_the_journal_keeps_lost_operations),
		TEST(operation_on_a_path_without_a_meaning_is_kept),
		TEST(path_out_of_the_mount_is_damage),
		TEST(record_of_an_unknown_type_is_kept),
		TEST(replay_does_not_write_and_needs_no_disk_space),
	};

	rooms_in_memory();
	return cmocka_run_group_tests_name("vfs: damage", tests, NULL, NULL);
}
