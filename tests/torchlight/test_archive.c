/* SPDX-License-Identifier: Zlib */
/* Properties of archives that depend on a name or on a few bytes. */
#include "support/tl_test.h"

#include "base/cursor.h"
#include "formats/torchlight/wire/archive.h"
#include "formats/torchlight/text/names.h"

static struct error err;

static void types_follow_from_endings(void **state)
{
	static const struct {
		struct str name;
		uint8_t type;
	} cases[] = {{STR("A.DAT"), 0}, {STR("A.TEMPLATE"), 0}, {STR("A.layout"), 1},
		{STR("A.MESH"), 2}, {STR("A.OGG"), 6}, {STR("UNITS/"), 7}, {STR("SKILLS.RAW"), 9},
		{STR("A.ANIMATION"), 16}, {STR("A.HIE"), 17}, {STR("A.DAT2"), 18}, {STR("DAT"), 18},
		{STR("A.MPP"), 21}, {STR("A.B.JPG"), 24}, {STR(""), 18}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(manifest_type(cases[i].name), cases[i].type);
}

static void pictures_and_huge_files_are_stored(void **state)
{
	(void)state;
	assert_true(pak_is_stored(24, 1));
	assert_false(pak_is_stored(5, 0x18FFFFF));
	assert_true(pak_is_stored(5, 0x1900000));
}

static void archives_of_other_games_are_known(void **state)
{
	/* u16 1, u32 0, u32 100: the manifest is in the same file. */
	static const uint8_t hob[] = {1, 0, 0, 0, 0, 0, 100, 0, 0, 0};

	(void)state;
	assert_string_equal(
		archive_foreign(hob, sizeof(hob), 200), "an archive of Hob or Rebel Galaxy");
	assert_null(archive_foreign(hob, sizeof(hob), 50));
	assert_string_equal(archive_foreign((const uint8_t *)"PK\3\4", 4, 99),
		"a ZIP archive (such as PAK.ZIP of Torchlight I)");
	assert_null(archive_foreign((const uint8_t *)"", 0, 0));
}

/* The total counts files, and once the slashes of each directory that has files. */
static void the_total_equals_that_of_the_kit(void **state)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP(manifest_free) struct manifest *m = manifest_new(2, STR("MEDIA/"));
	struct manifest_entry file = {.type = 0}, dir = {.type = MANIFEST_DIR};

	(void)state;
	manifest_add_record(m, STR(""));
	manifest_add_entry(m, &dir, STR("MEDIA/"));
	manifest_add_record(m, STR("MEDIA/A/B/"));
	manifest_add_entry(m, &file, STR("X.DAT"));
	manifest_add_entry(m, &file, STR("Y.DAT"));
	manifest_add_record(m, STR("MEDIA/"));
	manifest_add_entry(m, &file, STR("Z.DAT"));
	manifest_add_record(m, STR("MEDIA/A/B/"));
	manifest_add_entry(m, &file, STR("W.DAT"));
	manifest_add_entry(m, &dir, STR("C/"));
	assert_int_equal(manifest_write(m, &out, &err), 0);
	/* version, mhash, SS root; then total and the number of records. */
	assert_int_equal(load_u32(out.data + 2 + 4 + 2 + 12), 4 + 3 + 1);
	assert_int_equal(load_u32(out.data + 2 + 4 + 2 + 12 + 4), 4);
}

static void a_name_that_is_too_long_fails_the_manifest(void **state)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;
	CLEANUP(manifest_free) struct manifest *m = manifest_new(2, STR("MEDIA/"));
	struct manifest_entry file = {.type = 0};

	(void)state;
	for (int i = 0; i < 65536; i++)
		buffer_byte(&name, 'X');
	manifest_add_record(m, STR("MEDIA/"));
	manifest_add_entry(m, &file, str_of_buffer(&name));
	assert_int_equal(manifest_write(m, &out, &err), -EINVAL);
	assert_string_equal(error_text(&err), "a string has 65536 UTF-16 units (at most 65535)");
}

/* MEDIA/TAGS.DAT: blocks with a string and the integer that is its hash. */
static void the_dictionary_of_the_game_is_read(void **state)
{
	static const uint32_t words[] = {2, 2};
	static const uint32_t tree[] = {0, 4, 1, 5, 0, 2, 1, 0x00660DE5, 1, 5, 1, 2, 1, 12345, 0};
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer list = BUFFER_INIT;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		buffer_u32(&file, words[i]);
	for (uint32_t id = 0; id < 2; id++) {
		buffer_u32(&file, id);
		assert_int_equal(ss_put(&file, id ? STR("NOT SO") : STR("NAME"), &err), 0);
	}
	for (size_t i = 0; i < sizeof(tree) / sizeof(*tree); i++)
		buffer_u32(&file, tree[i]);
	assert_int_equal(names_of_tags(file.data, file.size, &list, &err), 0);
	assert_string_equal(text_of(&list), "NAME\n");
}

static void a_mod_beyond_4_gb_is_refused(void **state)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct mod_header h = {.version = 4};

	(void)state;
	assert_int_equal(modheader_write(&h, UINT32_MAX, &out, &err), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_follow_from_endings),
		cmocka_unit_test(pictures_and_huge_files_are_stored),
		cmocka_unit_test(archives_of_other_games_are_known),
		cmocka_unit_test(the_total_equals_that_of_the_kit),
		cmocka_unit_test(a_name_that_is_too_long_fails_the_manifest),
		cmocka_unit_test(the_dictionary_of_the_game_is_read),
		cmocka_unit_test(a_mod_beyond_4_gb_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
