/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable/record.h"
#include "base/durable/reclog.h"

static int open_log(const struct room *room, struct reclog **ret, struct error *e)
{
	const struct trust trust = own_files(room->fd);

	return reclog_open(&trust, "log", ret, e);
}

static struct extent text(const char *s)
{
	return extent_of_bytes(bytes_copy(s, strlen(s)));
}

static int append(struct reclog *l, uint32_t type, const char *s)
{
	CLEANUP_EXTENT struct extent x = text(s);

	return reclog_append(l, type, &x, 1, NULL, NULL);
}

/* Returns the number of records; each must be (10 + its number, texts[its number]). */
static unsigned check_records(struct reclog *l, const char *const *texts, bool *torn)
{
	struct reclog_pos pos = {0};
	unsigned n = 0;
	struct record rec;
	int r;

	*torn = false;
	while ((r = reclog_next(l, &pos, &rec, torn, NULL)) == 1) {
		CLEANUP(bytes_unref) struct bytes *got = NULL;

		assert_int_equal(rec.type, 10 + n);
		assert_int_equal(extent_load(&rec.payload, 1 << 20, &got, NULL), 0);
		assert_true(bytes_equal_data(got, texts[n], strlen(texts[n])));
		extent_finish(&rec.payload);
		n++;
	}
	assert_int_equal(r, 0);
	return n;
}

static const char *const texts[] = {"first", "", "the third one", "4", "after"};

/* Write three records; ends[n] is the log's size after n of them. */
static struct bytes *small_log(int dirfd, uint64_t ends[4])
{
	CLEANUP(reclog_close) struct reclog *l = NULL;

	assert_int_equal(reclog_create(dirfd, "log", &l, NULL), 0);
	ends[0] = reclog_size(l);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(append(l, 10 + i, texts[i]), 0);
		ends[i + 1] = reclog_size(l);
	}
	assert_int_equal(reclog_sync(l, NULL), 0);
	return get_file(dirfd, "log");
}

static void the_file_is_as_documented(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	/* The CRCs were computed with Python's zlib.crc32. */
	static const uint8_t want[] = "mapfs-journal-2\n"
				      "\x07\0\0\0\x03\0\0\0\0\0\0\0\x03\x28\xc2\x81"
				      "abc\xc2\x41\x24\x35"
				      "\x05\x01\0\0\0\0\0\0\0\0\0\0\277\156\370\042"
				      "\0\0\0\0";

	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
	assert_int_equal(append(l, 7, "abc"), 0);
	assert_int_equal(append(l, 5, ""), 0);
	got = get_file(room->fd, "log");
	assert_true(bytes_equal_data(got, want, sizeof(want) - 1));
}

/* Two records of version 1, without numbers, made with Python's struct and zlib. */
static void a_log_of_version_1_is_read_and_appended_to(void **state)
{
	const struct room *room = *state;
	static const uint8_t old[] =
		"mapfs-journal-1\n"
		"\012\000\000\000\005\000\000\000\000\000\000\000\152\040\002\331\146\151\162\163"
		"\164\127\356\161\222"
		"\013\000\000\000\000\000\000\000\000\000\000\000\141\142\107\012\000\000\000\000";
	CLEANUP(reclog_close) struct reclog *l = NULL;
	bool torn;

	put_file(room->fd, "log", old, sizeof(old) - 1);
	for (unsigned n = 2; n < 5; n++) {
		assert_int_equal(open_log(room, &l, NULL), 0);
		assert_int_equal(check_records(l, texts, &torn), n);
		assert_int_equal(append(l, 10 + n, texts[n]), 0);
		assert_int_equal(check_records(l, texts, &torn), n + 1);
		reclog_close(TAKE(l));
	}
}

/* A gap is reported for each record but the last one; also a repeated or early record. */
static void missing_records_are_reported_as_damage(void **state)
{
	static const struct {
		const char *order; /* of the three records */
		unsigned damaged;
	} cases[] = {{"012", 0}, {"12", 1}, {"02", 1}, {"2", 1}, {"0012", 1}, {"0112", 1},
		{"021", 2}, {"01", 0}};
	const struct room *room = *state;
	uint64_t ends[4];
	CLEANUP(bytes_unref) struct bytes *whole = small_log(room->fd, ends);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(reclog_close) struct reclog *l = NULL;
		struct reclog_pos pos = {0};
		struct record rec;
		uint8_t file[256];
		size_t size = (size_t)ends[0];
		unsigned n = 0, damaged = 0;

		memcpy(file, whole->data, size);
		for (const char *at = cases[i].order; *at; at++) {
			size_t begin = (size_t)ends[*at - '0'],
			       k = (size_t)ends[*at - '0' + 1] - begin;

			memcpy(file + size, whole->data + begin, k);
			size += k;
		}
		put_file(room->fd, "log", file, size);
		assert_int_equal(open_log(room, &l, NULL), 0);
		assert_int_equal(append(l, 20, "after"), 0);
		while (reclog_next(l, &pos, &rec, NULL, NULL) == 1) {
			damaged += rec.is_damaged;
			n += !rec.is_damaged;
			if (rec.is_damaged)
				assert_true(rec.type == 0 && rec.payload.size == 0);
			extent_finish(&rec.payload);
		}
		assert_int_equal(n, strlen(cases[i].order) + 1);
		assert_int_equal(damaged, cases[i].damaged);
	}
}

static void parts_form_one_payload_and_large_payloads_stream(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	CLEANUP_EXTENT struct extent payload = EXTENT_INIT;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	static uint8_t data[200000];
	struct extent parts[3];
	struct record rec;
	struct reclog_pos pos = {0};
	bool torn;

	fill_bytes(data, sizeof(data), 8);
	put_file(room->fd, "data", data + 5, sizeof(data) - 6);
	parts[0] = extent_of_bytes(bytes_copy(data, 5));
	parts[1] =
		extent_of_file(file_new(openat(room->fd, "data", O_RDONLY)), 0, sizeof(data) - 6);
	parts[2] = extent_of_bytes(bytes_copy(data + sizeof(data) - 1, 1));
	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
	assert_int_equal(reclog_append(l, 1, parts, 3, &payload, NULL), 0);
	for (int i = 0; i < 3; i++)
		extent_finish(&parts[i]);
	assert_int_equal(extent_load(&payload, UINT64_MAX, &got, NULL), 0);
	assert_true(bytes_equal_data(got, data, sizeof(data)));
	assert_int_equal(reclog_next(l, &pos, &rec, &torn, NULL), 1);
	assert_int_equal(rec.payload.off, payload.off);
	extent_finish(&rec.payload);
	assert_int_equal(reclog_next(l, &pos, &rec, &torn, NULL), 0);
	assert_false(torn);
}

/* Sizes around the chunk in which records are written. */
static void every_chunk_boundary_reads_back(void **state)
{
	const struct room *room = *state;
	static uint8_t data[66000];

	fill_bytes(data, sizeof(data), 9);
	for (size_t n = 65536 - 24; n <= 65536 + 4; n++) {
		CLEANUP(reclog_close) struct reclog *l = NULL;
		CLEANUP_EXTENT struct extent x = extent_of_bytes(bytes_copy(data, n));
		CLEANUP(bytes_unref) struct bytes *got = NULL;
		struct record rec;
		struct reclog_pos pos = {0};

		assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
		assert_int_equal(reclog_append(l, 1, &x, 1, NULL, NULL), 0);
		assert_int_equal(reclog_next(l, &pos, &rec, NULL, NULL), 1);
		assert_int_equal(extent_load(&rec.payload, UINT64_MAX, &got, NULL), 0);
		assert_true(bytes_equal_data(got, data, n));
		extent_finish(&rec.payload);
		assert_int_equal(unlinkat(room->fd, "log", 0), 0);
	}
}

static void a_log_torn_at_any_byte_keeps_the_whole_records(void **state)
{
	const struct room *room = *state;
	uint64_t ends[4];
	CLEANUP(bytes_unref) struct bytes *whole = small_log(room->fd, ends);

	for (size_t cut = 0; cut <= whole->size; cut++) {
		CLEANUP(reclog_close) struct reclog *l = NULL;
		CLEANUP(reclog_close) struct reclog *looker = NULL;
		unsigned want = 0;
		bool torn;

		while (want < 3 && ends[want + 1] <= cut)
			want++;
		put_file(room->fd, "log", whole->data, cut);
		assert_int_equal(reclog_open_readonly(room->fd, "log", &looker, NULL), 0);
		assert_int_equal(check_records(looker, texts, &torn), want);
		assert_int_equal(torn, cut != ends[want]);
		assert_int_equal(open_log(room, &l, NULL), 0);
		assert_int_equal(reclog_size(l), ends[want]);
		assert_int_equal(append(l, 10 + want, texts[want]), 0);
		assert_int_equal(check_records(l, texts, &torn), want + 1);
		assert_false(torn);
	}
}

/* Sound records are walked, the damage is reported and stays, and the log continues after it. */
static void a_log_damaged_at_any_byte_keeps_all_other_records(void **state)
{
	const struct room *room = *state;
	uint64_t ends[4];
	CLEANUP(bytes_unref) struct bytes *whole = small_log(room->fd, ends);
	uint8_t *copy = malloc(whole->size);

	for (size_t at = 0; at < whole->size; at++) {
		CLEANUP(reclog_close) struct reclog *l = NULL;
		unsigned hit = 0, n = 0, damaged = 0;
		struct record rec;
		struct reclog_pos pos = {0};
		bool torn;

		while (hit < 3 && ends[hit + 1] <= at)
			hit++;
		memcpy(copy, whole->data, whole->size);
		copy[at] ^= 0x10;
		put_file(room->fd, "log", copy, whole->size);
		if (at < ends[0]) {
			assert_int_equal(open_log(room, &l, NULL), -EINVAL);
			assert_int_equal(reclog_open_readonly(room->fd, "log", &l, NULL), 0);
			hit = 3;
		} else {
			assert_int_equal(open_log(room, &l, NULL), 0);
			assert_int_equal(reclog_size(l), whole->size);
			assert_int_equal(append(l, 13, texts[3]), 0);
		}
		while (reclog_next(l, &pos, &rec, &torn, NULL) == 1) {
			damaged += rec.is_damaged;
			if (rec.is_damaged)
				assert_true(rec.type == 0 || rec.type == 10 + hit);
			else
				assert_int_equal(rec.type, 10 + n + (n >= hit));
			n += !rec.is_damaged;
			extent_finish(&rec.payload);
		}
		assert_int_equal(n, 3);
		assert_int_equal(damaged, 1);
		assert_false(torn);
	}
	free(copy);
}

/* A killed program leaves no zeros; a disk that loses writes does. */
static void zeros_at_the_end_are_reported_and_stay(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	uint64_t ends[4];
	CLEANUP(bytes_unref) struct bytes *whole = small_log(room->fd, ends);
	static const unsigned zeros[] = {1, 15, 16, 20, 5000, 70000};
	CLEANUP(close_fd) int fd = -1;
	bool torn;

	fd = openat(room->fd, "log", O_RDWR);
	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
		struct reclog_pos pos = {0};
		struct record rec;
		unsigned n = 0;

		assert_int_equal(ftruncate(fd, (off_t)whole->size), 0);
		assert_int_equal(ftruncate(fd, (off_t)whole->size + zeros[i]), 0);
		assert_int_equal(open_log(room, &l, NULL), 0);
		assert_int_equal(reclog_size(l), ends[3] + zeros[i]);
		assert_int_equal(append(l, 13, texts[3]), 0);
		for (; reclog_next(l, &pos, &rec, &torn, NULL) == 1; n++) {
			assert_int_equal(rec.is_damaged, n == 3);
			assert_int_equal(rec.type, n == 3 ? 0 : n > 3 ? 13 : 10 + n);
			assert_int_equal(
				rec.payload.size, n == 3 ? zeros[i] : strlen(texts[n - (n > 3)]));
			extent_finish(&rec.payload);
		}
		assert_int_equal(n, 5);
		assert_false(torn);
		reclog_close(TAKE(l));
	}
}

static void numbering_continues_after_the_last_record(void **state)
{
	enum { NUMBER_MAX = (1 << 24) - 1 };
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	uint8_t file[16 + 20] = "mapfs-journal-2\n";
	struct reclog_pos pos = {.number = NUMBER_MAX};
	struct record rec;

	record_header(file + 16, 1, NUMBER_MAX, 0);
	put_file(room->fd, "log", file, sizeof(file));
	assert_int_equal(open_log(room, &l, NULL), 0);
	assert_int_equal(append(l, 2, "next"), 0);
	for (uint32_t type = 1; type <= 2; type++) {
		assert_int_equal(reclog_next(l, &pos, &rec, NULL, NULL), 1);
		assert_int_equal(rec.type, type);
		assert_int_equal(rec.number, type == 1 ? NUMBER_MAX : 0);
		extent_finish(&rec.payload);
	}
}

/* The at-th operation of an append and its repair fails, alone or with all that follow. */
static void after_a_failed_append_the_log_is_readable(void **state)
{
	const struct room *room = *state;
	static char large[150000];

	memset(large, 'x', sizeof(large) - 1);
	for (int both = 0; both < 2; both++) {
		for (int at = 0;; at++) {
			CLEANUP(reclog_close) struct reclog *l = NULL;
			struct fault f = {.at = at, .code = -ENOSPC, .and_after = both};
			bool torn;
			int r;

			assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
			for (uint32_t i = 0; i < 3; i++)
				assert_int_equal(append(l, 10 + i, texts[i]), 0);
			fault_set(&f);
			r = append(l, 99, large);
			fault_clear();
			assert_int_equal(r, f.hit ? -ENOSPC : 0);
			if (!f.hit) {
				assert_int_equal(unlinkat(room->fd, "log", 0), 0);
				break;
			}
			assert_int_equal(check_records(l, texts, &torn), 3);
			/*
			 * The log is dead if it could not be truncated; otherwise the failure left
			 * no trace.
			 */
			assert_int_equal(append(l, 13, texts[3]), both ? -ENOSPC : 0);
			reclog_close(TAKE(l));
			assert_int_equal(open_log(room, &l, NULL), 0);
			assert_int_equal(check_records(l, texts, &torn), both ? 3 : 4);
			assert_int_equal(unlinkat(room->fd, "log", 0), 0);
		}
	}
}

static void after_a_failed_sync_the_log_is_dead(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	struct fault f = {.at = 0, .code = -EIO};

	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
	assert_int_equal(append(l, 10, texts[0]), 0);
	fault_set(&f);
	assert_int_equal(reclog_sync(l, NULL), -EIO);
	fault_clear();
	assert_int_equal(reclog_sync(l, NULL), -EIO);
	assert_int_equal(append(l, 11, texts[1]), -EIO);
}

static void the_first_sync_includes_the_directory(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	struct fault f = {.at = -1};

	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
	fault_set(&f);
	assert_int_equal(reclog_sync(l, NULL), 0);
	assert_int_equal(f.seen, 2);
	assert_int_equal(reclog_sync(l, NULL), 0);
	assert_int_equal(f.seen, 3);
}

/* After any failure, the log is unchanged and no copy is left. */
static void a_log_continues_in_a_copy(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	CLEANUP(reclog_close) struct reclog *second = NULL;
	CLEANUP_EXTENT struct extent x = text(texts[0]);
	CLEANUP_EXTENT struct extent payload = EXTENT_INIT;
	struct fault f = {.hit = true, .code = -ENOSPC};
	struct stat st;
	char got[5];
	bool torn;
	int r;

	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
	assert_int_equal(reclog_append(l, 10, &x, 1, &payload, NULL), 0);
	assert_true(reclog_has_name(l, "log"));
	assert_int_equal(reclog_rewrite(l, "log", NULL), -EEXIST);
	assert_int_equal(unlinkat(room->fd, "log", 0), 0);
	assert_false(reclog_has_name(l, "log"));
	for (int at = 0; f.hit; at++) {
		f = (struct fault){.at = at, .code = -ENOSPC};
		fault_set(&f);
		r = reclog_rewrite(l, "log", NULL);
		fault_clear();
		assert_int_equal(r, f.hit ? -ENOSPC : 0);
		assert_int_equal(count_files(room->fd), f.hit ? 0 : 1);
	}
	assert_true(reclog_has_name(l, "log"));
	assert_int_equal(append(l, 11, texts[1]), 0);
	assert_int_equal(check_records(l, texts, &torn), 2);
	/* Payloads are read from the copy, and the copy is locked; the old file is unlinked. */
	assert_int_equal(extent_read(&payload, 0, got, sizeof(got), NULL), 0);
	assert_memory_equal(got, texts[0], sizeof(got));
	assert_int_equal(fstat(payload.file->fd, &st), 0);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(open_log(room, &second, NULL), -EBUSY);
}

static void a_log_has_one_owner_at_a_time(void **state)
{
	const struct room *room = *state;
	CLEANUP(reclog_close) struct reclog *l = NULL;
	CLEANUP(reclog_close) struct reclog *second = NULL;
	CLEANUP_EXTENT struct extent x = text("abc");
	CLEANUP_EXTENT struct extent payload = EXTENT_INIT;

	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), 0);
	assert_int_equal(reclog_append(l, 1, &x, 1, &payload, NULL), 0);
	assert_int_equal(reclog_create(room->fd, "log", &second, NULL), -EEXIST);
	assert_int_equal(open_log(room, &second, NULL), -EBUSY);
	/* Closing releases the lock, even if payloads are still held. */
	reclog_close(TAKE(l));
	assert_int_equal(open_log(room, &second, NULL), 0);
}

static void a_log_that_cannot_be_created_leaves_no_file(void **state)
{
	const struct room *room = *state;
	struct reclog *l = NULL;
	struct fault f = {.at = 1, .code = -ENOSPC};

	fault_set(&f);
	assert_int_equal(reclog_create(room->fd, "log", &l, NULL), -ENOSPC);
	fault_clear();
	assert_null(l);
	assert_int_equal(count_files(room->fd), 0);
}

#define in_a_room(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_room(the_file_is_as_documented),
		in_a_room(parts_form_one_payload_and_large_payloads_stream),
		in_a_room(every_chunk_boundary_reads_back),
		in_a_room(a_log_torn_at_any_byte_keeps_the_whole_records),
		in_a_room(a_log_damaged_at_any_byte_keeps_all_other_records),
		in_a_room(a_log_of_version_1_is_read_and_appended_to),
		in_a_room(missing_records_are_reported_as_damage),
		in_a_room(zeros_at_the_end_are_reported_and_stay),
		in_a_room(numbering_continues_after_the_last_record),
		in_a_room(after_a_failed_append_the_log_is_readable),
		in_a_room(after_a_failed_sync_the_log_is_dead),
		in_a_room(the_first_sync_includes_the_directory),
		in_a_room(a_log_continues_in_a_copy),
		in_a_room(a_log_has_one_owner_at_a_time),
		in_a_room(a_log_that_cannot_be_created_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
