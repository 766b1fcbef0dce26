/* SPDX-License-Identifier: Zlib */
/* Overlapping calls: several files, two views of one object, saves in between. */
#include "support/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, box_teardown)
#define AUTHOR     "info/author"
#define RAW_AUTHOR "raw/data/00000"

static int setup(void **state)
{
	static const char *const options[] = {"raw=rw", NULL};
	struct box *b;

	if (box_unmounted(state) < 0)
		return -1;
	b = *state;
	b->options.options = options;
	return box_mount(b, NULL);
}

static const char *const info[] = {"author", "version", "credits", "license"};

enum { FILES = 4, ROUNDS = 40 };

struct saves {
	unsigned asked, done;
	bool failed;
};

static void saved(void *arg, struct report *report)
{
	struct saves *s = arg;

	s->done++;
	s->failed |= report->code != OUTCOME_DONE;
	report_finish(report);
}

static void write_all(struct fd **fds, struct pending *writes, char texts[][16], int round)
{
	for (int i = 0; i < FILES; i++) {
		snprintf(texts[i], 16, "%d of %d\n", i, round % 10);
		writes[i] = (struct pending){.call = {.handle = fds[i]->handle,
						     .data = texts[i],
						     .size = strlen(texts[i])}};
		box_submit(fds[i]->box, &writes[i], vfs_write);
	}
}

static void puts_of_several_files_during_saves_are_all_saved(void **state)
{
	struct box *b = *state;
	struct pending writes[FILES], flushes[FILES];
	struct saves saves = {0};
	struct fd *fds[FILES];
	char texts[FILES][16], path[32];

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "info/%s", info[i]);
		assert_int_equal(box_open(b, path, O_WRONLY | O_TRUNC, &fds[i]), 0);
	}
	for (int round = 0; round < ROUNDS; round++) {
		write_all(fds, writes, texts, round);
		for (int i = 0; i < FILES; i++) {
			flushes[i] = (struct pending){.call = {.handle = fds[i]->handle}};
			box_submit(b, &flushes[i], vfs_flush);
			if (i == round % FILES) {
				vfs_save(b->v, saved, &saves);
				saves.asked++;
			}
		}
		for (int i = FILES - 1; i >= 0; i--) {
			assert_int_equal(box_wait(&writes[i]), 0);
			assert_int_equal(box_wait(&flushes[i]), 0);
		}
	}
	for (int i = 0; i < FILES; i++)
		assert_int_equal(fd_close(fds[i]), 0);
	box_settle(b);
	assert_int_equal(saves.done, saves.asked);
	assert_false(saves.failed);
	assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
	for (unsigned i = 0; i < FILES; i++)
		assert_true(box_map_info_is(b, i, texts[i]));
	assert_int_equal(box_end(b, NULL), OUTCOME_DONE);
	assert_int_equal(count_files(b->room.fd), 1);
}

static void overlapping_puts_survive_a_kill(void **state)
{
	struct box *b = *state;
	struct pending writes[FILES], flushes[FILES];
	struct fd *fds[FILES];
	char texts[FILES][16], path[32];

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "info/%s", info[i]);
		assert_int_equal(box_open(b, path, O_WRONLY | O_TRUNC, &fds[i]), 0);
	}
	write_all(fds, writes, texts, 7);
	for (int i = 0; i < FILES; i++) {
		flushes[i] = (struct pending){.call = {.handle = fds[i]->handle}};
		box_submit(b, &flushes[i], vfs_flush);
	}
	for (int i = 0; i < FILES; i++)
		assert_int_equal(box_wait(&flushes[i]), 0);
	box_remount(b);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "info/%s", info[i]);
		assert_true(box_shows(b, path, texts[i]));
	}
}

static void shows_raw(struct box *b, const char *text)
{
	CLEANUP(bytes_unref) struct bytes *got = box_get(b, RAW_AUTHOR);

	assert_true(bytes_equal_data(got, text, strlen(text) + 1));
}

/* Each view shows its own content until a save, which prefers the typed one in any order. */
static void raw_and_typed_views_agree_after_a_save(void **state)
{
	struct box *b = *state;
	struct pending typed, raw;
	struct fd *one, *two;

	for (int round = 0; round < ROUNDS; round++) {
		bool raw_first = round & 1;

		assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &one), 0);
		assert_int_equal(box_open(b, RAW_AUTHOR, O_WRONLY | O_TRUNC, &two), 0);
		assert_int_equal(fd_text(one, 0, round % 4 < 2 ? "typed\n" : "Typed\n"), 0);
		assert_int_equal(fd_write(two, 0, round % 4 < 2 ? "raw" : "Raw", 4), 0);
		typed = (struct pending){.call = {.handle = one->handle}};
		raw = (struct pending){.call = {.handle = two->handle}};
		box_submit(b, raw_first ? &raw : &typed, vfs_flush);
		box_submit(b, raw_first ? &typed : &raw, vfs_flush);
		assert_int_equal(box_wait(&typed), 0);
		assert_int_equal(box_wait(&raw), 0);
		fd_release(one);
		fd_release(two);
		assert_true(box_shows(b, AUTHOR, round % 4 < 2 ? "typed\n" : "Typed\n"));
		shows_raw(b, round % 4 < 2 ? "raw" : "Raw");
		assert_int_equal(box_save(b, NULL), OUTCOME_DONE);
		assert_true(box_shows(b, AUTHOR, round % 4 < 2 ? "typed\n" : "Typed\n"));
		shows_raw(b, round % 4 < 2 ? "typed" : "Typed");
	}
}

/* The journal brings the same content back, although both views were written at the same time. */
static void journal_and_map_have_the_same_order_of_changes(void **state)
{
	struct box *b = *state;
	struct pending typed, raw;
	struct fd *one, *two;

	for (int round = 0; round < ROUNDS; round++) {
		char text[16], blob[16];
		bool typed_won;

		snprintf(text, sizeof(text), "t%d\n", round);
		snprintf(blob, sizeof(blob), "r%d", round);
		assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &one), 0);
		assert_int_equal(box_open(b, RAW_AUTHOR, O_WRONLY | O_TRUNC, &two), 0);
		assert_int_equal(fd_text(one, 0, text), 0);
		assert_int_equal(fd_write(two, 0, blob, strlen(blob) + 1), 0);
		typed = (struct pending){.call = {.handle = one->handle}};
		raw = (struct pending){.call = {.handle = two->handle}};
		box_submit(b, &typed, vfs_flush);
		box_submit(b, &raw, vfs_flush);
		assert_int_equal(box_wait(&typed), 0);
		assert_int_equal(box_wait(&raw), 0);
		fd_release(one);
		fd_release(two);
		typed_won = box_shows(b, AUTHOR, text);
		box_remount(b);
		strcat(blob, "\n");
		assert_true(box_shows(b, AUTHOR, typed_won ? text : blob));
	}
}

static void writes_during_validation_wait_and_are_applied(void **state)
{
	struct box *b = *state;
	struct pending flush = {0}, write = {0}, again = {0};
	struct fd *one, *two;

	assert_int_equal(box_open(b, AUTHOR, O_WRONLY | O_TRUNC, &one), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &two), 0);
	assert_int_equal(fd_text(one, 0, "bob\n"), 0);
	flush.call.handle = one->handle;
	write.call = (struct call){.handle = two->handle, .data = "rob", .size = 3};
	again.call.handle = two->handle;
	box_submit(b, &flush, vfs_flush);
	box_submit(b, &write, vfs_write);
	box_submit(b, &again, vfs_flush);
	assert_int_equal(box_wait(&again), 0);
	assert_int_equal(box_wait(&write), 0);
	assert_int_equal(box_wait(&flush), 0);
	fd_release(one);
	fd_release(two);
	assert_true(box_shows(b, AUTHOR, "rob\n"));
}

static void reads_during_puts_see_either_version(void **state)
{
	struct box *b = *state;
	struct pending flush, read;
	struct fd *reader, *writer;

	assert_int_equal(box_put(b, AUTHOR, "aaaa\n"), 0);
	assert_int_equal(box_open(b, RAW_AUTHOR, O_RDONLY, &reader), 0);
	assert_int_equal(box_open(b, AUTHOR, O_WRONLY, &writer), 0);
	for (int round = 0; round < ROUNDS; round++) {
		assert_int_equal(fd_text(writer, 0, round & 1 ? "aaaa\n" : "bbbb\n"), 0);
		flush = (struct pending){.call = {.handle = writer->handle}};
		box_submit(b, &flush, vfs_flush);
		for (int i = 0; i < 3; i++) {
			read = (struct pending){.call = {.handle = reader->handle, .size = 64}};
			box_submit(b, &read, vfs_read);
			assert_int_equal(box_wait(&read), 0);
			assert_int_equal(read.call.out_size, 5);
			assert_true(memcmp(read.call.out, "aaaa", 5) == 0 ||
				    memcmp(read.call.out, "bbbb", 5) == 0);
			free(read.call.out);
		}
		assert_int_equal(box_wait(&flush), 0);
	}
	fd_close(writer);
	fd_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(puts_of_several_files_during_saves_are_all_saved),
		TEST(overlapping_puts_survive_a_kill),
		TEST(raw_and_typed_views_agree_after_a_save),
		TEST(journal_and_map_have_the_same_order_of_changes),
		TEST(writes_during_validation_wait_and_are_applied),
		TEST(reads_during_puts_see_either_version),
	};

	return cmocka_run_group_tests_name("vfs: concurrent", tests, NULL, NULL);
}
