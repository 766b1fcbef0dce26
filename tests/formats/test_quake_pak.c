/* SPDX-License-Identifier: Zlib */
/* A read-only format can be shown, and cannot be changed. */
#include "../vfs/support/box.h"
#include "quake_pak.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"

/* Replaces src/formats/formats.c. */
const struct format *const formats[] = {&format_quake_pak, NULL};

struct member {
	const char *path, *text;
};

static const struct member members[] = {
	{"maps/e1m1.bsp", "a map"},
	{"sound/misc/menu1.wav", "menu"},
	{"quake.rc", "exec default.cfg\n"},
	{"maps/empty.bsp", ""},
};
enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static void append_record(struct buffer *to, const char *path, uint32_t off, uint32_t size)
{
	char padded[56] = "";

	memcpy(padded, path, strnlen(path, sizeof(padded)));
	buffer_append(to, padded, sizeof(padded));
	buffer_u32(to, off);
	buffer_u32(to, size);
}

static struct bytes *pack_of(const struct member *m, size_t n)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	struct bytes *ret = NULL;
	uint32_t at = 12;

	for (size_t i = 0; i < n; i++)
		at += (uint32_t)strlen(m[i].text);
	buffer_append(&b, "PACK", 4);
	buffer_u32(&b, at);
	buffer_u32(&b, (uint32_t)(64 * n));
	for (size_t i = 0; i < n; i++)
		buffer_append(&b, m[i].text, strlen(m[i].text));
	at = 12;
	for (size_t i = 0; i < n; i++) {
		append_record(&b, m[i].path, at, (uint32_t)strlen(m[i].text));
		at += (uint32_t)strlen(m[i].text);
	}
	assert_int_equal(buffer_finish(&b, &ret), 0);
	return ret;
}

static int mount_pack(struct box *b, const void *data, size_t n, struct error *e)
{
	put_file(b->room.fd, MAP_NAME, data, n);
	return box_mount(b, e);
}

static void open_box(struct box *b)
{
	CLEANUP(bytes_unref) struct bytes *pak = pack_of(members, MEMBERS);
	struct error e = ERROR_INIT;

	box_make(b);
	assert_int_equal(mount_pack(b, pak->data, pak->size, &e), 0);
}

static void an_archive_is_shown_as_a_tree_of_its_files(void **state)
{
	struct stat attr;
	struct box b;

	(void)state;
	open_box(&b);
	for (size_t i = 0; i < MEMBERS; i++)
		assert_true(box_shows(&b, members[i].path, members[i].text));
	assert_true(box_lists(&b, "", "maps") && box_lists(&b, "", "quake.rc"));
	assert_true(box_lists(&b, "sound/misc", "menu1.wav"));
	assert_false(box_lists(&b, "maps", "menu1.wav"));
	assert_int_equal(box_stat(&b, "maps", &attr), 0);
	assert_true(S_ISDIR(attr.st_mode));
	assert_int_equal(box_stat(&b, "maps/e1m1.bsp", &attr), 0);
	assert_int_equal(attr.st_mode & 0777, 0444);
	assert_int_equal(box_stat(&b, "maps/e1m2.bsp", &attr), -ENOENT);
	box_remove(&b);
}

static void an_archive_cannot_be_changed(void **state)
{
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	struct box b;

	(void)state;
	open_box(&b);
	before = box_map(&b);
	assert_int_equal(box_put(&b, "quake.rc", "other"), -EROFS);
	assert_int_equal(box_put(&b, "new.rc", "new"), -EROFS);
	assert_int_equal(box_truncate(&b, "quake.rc", 0), -EROFS);
	assert_int_equal(box_mkdir(&b, "new"), -EROFS);
	assert_int_equal(box_rmdir(&b, "maps"), -EROFS);
	assert_int_equal(box_unlink(&b, "quake.rc"), -EROFS);
	assert_int_equal(box_rename(&b, "quake.rc", "quake.cfg"), -EROFS);
	assert_int_equal(box_end(&b, NULL), OUTCOME_DONE);
	after = box_map(&b);
	assert_true(before->size == after->size &&
		    memcmp(before->data, after->data, before->size) == 0);
	assert_int_equal(box_count_names(&b, "mapfs", NULL), 0);
	box_remove(&b);
}

static void assert_refused(
	const struct member *m, size_t n, size_t at, uint32_t value, const char *why)
{
	CLEANUP(bytes_unref) struct bytes *pak = pack_of(m, n);
	CLEANUP(free) uint8_t *data = malloc(pak->size);
	struct error e = ERROR_INIT;
	struct box b;

	assert_non_null(data);
	memcpy(data, pak->data, pak->size);
	if (at)
		store_u32(data + at, value);
	box_make(&b);
	assert_int_equal(mount_pack(&b, data, pak->size, &e), -EINVAL);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" lacks \"%s\"", e.text, why);
	box_remove(&b);
}

static void an_inconsistent_archive_is_refused(void **state)
{
	static const struct member twice[] = {{"a", "1"}, {"a", "2"}};
	static const struct member inside[] = {{"a", "1"}, {"a/b", "2"}};
	static const struct member outside[] = {{"../a", "1"}}, none[] = {{"", "1"}};

	(void)state;
	assert_refused(members, MEMBERS, 4, 1U << 31, "the directory is said to have 256 bytes at");
	assert_refused(members, MEMBERS, 8, 63, "the directory is said to have 63 bytes");
	assert_refused(
		members, MEMBERS, 8, UINT32_MAX, "the directory is said to have 4294967295 bytes");
	assert_refused(twice, 2, 0, 0, "a is there twice");
	assert_refused(inside, 2, 0, 0, "a/b is there twice");
	assert_refused(outside, 1, 0, 0, "\"../a\" is no path");
	assert_refused(none, 1, 0, 0, "\"\" is no path");
	/*
	 * 12 bytes of header and 1 of content precede the first record; its offset and size follow
	 * the path.
	 */
	assert_refused(twice, 1, 13 + 56, 100, "a: 1 bytes at 100 are past the end");
	assert_refused(twice, 1, 13 + 60, UINT32_MAX, "a: 4294967295 bytes at 12 are past the end");
}

static void a_truncated_archive_is_refused(void **state)
{
	CLEANUP(bytes_unref) struct bytes *pak = pack_of(members, MEMBERS);
	struct error e;
	struct box b;

	(void)state;
	for (size_t n = 0; n < pak->size; n++) {
		e = (struct error)ERROR_INIT;
		box_make(&b);
		assert_true(mount_pack(&b, pak->data, n, &e) < 0);
		assert_true(*e.text);
		box_remove(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_archive_is_shown_as_a_tree_of_its_files),
		cmocka_unit_test(an_archive_cannot_be_changed),
		cmocka_unit_test(an_inconsistent_archive_is_refused),
		cmocka_unit_test(a_truncated_archive_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
