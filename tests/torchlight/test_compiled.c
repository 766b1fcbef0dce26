/* SPDX-License-Identifier: Zlib */
/* Compiled files made by hand, byte for byte, and their texts. */
#include "support/tl_test.h"

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/text/raw/rawindex.h"

static struct error err;

/* [NAME] with a STRING NAME of id 7, an empty TRANSLATE, a BOOL 2, a FLOAT -0 and a block UNK_. */
static void make_dat(struct buffer *b, const char *string)
{
	buffer_u32(b, 2);
	buffer_u32(b, 2);
	buffer_u32(b, 7);
	put_ss16(b, string);
	buffer_u32(b, 0xFFFFFFFF);
	buffer_u16(b, 0);
	buffer_u32(b, 0x00660DE5);
	buffer_u32(b, 4);
	buffer_u32(b, 0x00660DE5);
	buffer_u32(b, 5);
	buffer_u32(b, 7);
	buffer_u32(b, 97);
	buffer_u32(b, 8);
	buffer_u32(b, 0xFFFFFFFF);
	buffer_u32(b, 98);
	buffer_u32(b, 6);
	buffer_u32(b, 2);
	buffer_u32(b, 0x0062DD64);
	buffer_u32(b, 2);
	buffer_u32(b, 0x80000000);
	buffer_u32(b, 1);
	buffer_u32(b, 0xDEADBEEF);
	buffer_u32(b, 0);
	buffer_u32(b, 0);
}

static const char dat_text[] =
	"[NAME]\n\t<STRING>NAME:x\n\t<TRANSLATE>A:\n\t<BOOL>B:2\n\t<FLOAT>GUID:-0\n"
	"\t[UNK_DEADBEEF]\n\t[/UNK_DEADBEEF]\n[/NAME]\n";

static struct names *dictionary(void)
{
	struct names *shipped = names_create(), *more = NULL;

	names_extend(shipped, "A\nB\n", 4, &more, NULL);
	names_unref(shipped);
	return more;
}

static void a_dat_is_shown_as_its_fields(void **state)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer again = BUFFER_INIT;
	CLEANUP(names_unref) struct names *names = dictionary();
	struct error readonly = ERROR_INIT;

	(void)state;
	make_dat(&file, "x");
	assert_int_equal(
		bindat_decode(file.data, file.size, names, STR(""), &text, &readonly, &err), 0);
	assert_string_equal(text_of(&text), dat_text);
	assert_int_equal(readonly.code, 0);
	assert_int_equal(bindat_encode((char *)text.data, text.size, file.data, file.size, names,
				 NULL, &again, &err),
		0);
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
}

static void a_root_may_have_the_name_of_the_file(void **state)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct error readonly = ERROR_INIT;

	(void)state;
	make_dat(&file, "x");
	assert_int_equal(
		bindat_decode(file.data, file.size, NULL, STR("Name"), &text, &readonly, &err), 0);
	assert_non_null(
		strstr(text_of(&text), "[Name]\n\t<STRING>Name:x\n\t<TRANSLATE>UNK_00000061:"));
}

static void a_string_with_a_line_feed_makes_the_text_read_only(void **state)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct error readonly = ERROR_INIT;

	(void)state;
	make_dat(&file, "x\ny");
	assert_int_equal(
		bindat_decode(file.data, file.size, NULL, STR(""), &text, &readonly, &err), 0);
	assert_int_equal(readonly.code, -EACCES);
	assert_string_equal(error_text(&readonly),
		"string id 7 has a line break or NUL, which the text form cannot express");
	assert_non_null(strstr(text_of(&text), ":x\xEF\xBF\xBDy\n"));
}

static void strings_keep_their_ids_and_new_ones_follow(void **state)
{
	static const char text[] = "[NAME]\n<STRING>A:new\n<STRING>B:x\n<NOTE>A:new\n<STRING>A:b\n"
				   "<translate>B:\n[/NAME]";
	CLEANUP_BUFFER struct buffer old = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;

	(void)state;
	make_dat(&old, "x");
	assert_int_equal(
		bindat_encode(text, sizeof(text) - 1, old.data, old.size, NULL, NULL, &file, &err),
		0);
	/* Ids 7 "x", 8 "new", 9 "b", FFFFFFFF "". */
	assert_int_equal(word_at(&file, 4), 4);
	assert_int_equal(word_at(&file, 8), 7);
	assert_int_equal(word_at(&file, 16), 8);
	assert_int_equal(word_at(&file, 28), 9);
	assert_int_equal(word_at(&file, 36), 0xFFFFFFFF);
	/* Their uses; the word of the last one is no type, so it is a STRING. */
	assert_int_equal(word_at(&file, 58), 8);
	assert_int_equal(word_at(&file, 70), 7);
	assert_int_equal(word_at(&file, 78), 9);
	assert_int_equal(word_at(&file, 82), 8);
	assert_int_equal(word_at(&file, 94), 9);
	assert_int_equal(word_at(&file, 102), 5);
	assert_int_equal(word_at(&file, 106), 0xFFFFFFFF);
}

/* [NAME] <STRING>A:full, with the id that other files give to "". */
static void make_full_empty(struct buffer *b)
{
	static const uint32_t tree[] = {0x00660DE5, 1, 97, 5, 0xFFFFFFFF, 0};

	buffer_u32(b, 2);
	buffer_u32(b, 1);
	buffer_u32(b, 0xFFFFFFFF);
	put_ss16(b, "full");
	for (size_t i = 0; i < sizeof(tree) / sizeof(*tree); i++)
		buffer_u32(b, tree[i]);
}

static void an_empty_string_is_not_another_string_with_its_id(void **state)
{
	static const char both[] = "[NAME]\n\t<STRING>A:full\n\t<STRING>B:\n\t<NOTE>B:\n[/NAME]\n";
	static const char empty[] = "[NAME]\n\t<STRING>A:\n[/NAME]\n";
	CLEANUP_BUFFER struct buffer old = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer again = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP(names_unref) struct names *names = dictionary();
	struct error readonly = ERROR_INIT;

	(void)state;
	make_full_empty(&old);
	assert_int_equal(
		bindat_encode(both, sizeof(both) - 1, old.data, old.size, names, NULL, &file, &err),
		0);
	assert_int_equal(
		bindat_decode(file.data, file.size, names, STR(""), &text, &readonly, &err), 0);
	assert_string_equal(text_of(&text), both);
	/* "full" keeps its id; both empty strings have the same one. */
	assert_int_equal(word_at(&file, 4), 2);
	assert_int_equal(word_at(&file, file.size - 32), 0xFFFFFFFF);
	assert_int_equal(word_at(&file, file.size - 20), word_at(&file, file.size - 8));
	/* No other string has the id now. */
	assert_int_equal(bindat_encode(empty, sizeof(empty) - 1, old.data, old.size, names, NULL,
				 &again, &err),
		0);
	assert_int_equal(word_at(&again, 8), 0xFFFFFFFF);
	assert_int_equal(word_at(&again, again.size - 8), 0xFFFFFFFF);
}

static void new_names_are_reported(void **state)
{
	static const char text[] = "[NAME]\n<STRING>MY TAG:1\n<STRING>UNK_00000005:1\n[/NAME]";
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP(names_unref) struct names *names = names_create();
	struct compiled_remarks remarks = {.names = BUFFER_INIT};

	(void)state;
	assert_int_equal(
		bindat_encode(text, sizeof(text) - 1, NULL, 0, names, &remarks, &file, &err), 0);
	assert_string_equal(text_of(&remarks.names), "MY TAG\n");
	assert_int_equal(remarks.small_line, 0);
	buffer_finish_free(&remarks.names);
}

static void wrong_values_are_refused_with_their_place(void **state)
{
	static const char text[] = "[A]\n\t<INTEGER>X:ten\n[/A]";
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;

	(void)state;
	assert_int_equal(
		bindat_encode(text, sizeof(text) - 1, NULL, 0, NULL, NULL, &file, &err), -EINVAL);
	assert_string_equal(error_text(&err),
		"line 2, column 13: 'ten' is not a valid INTEGER (-2147483648..2147483647)");
}

/* A word in lower case is a STRING, as in the modding kit. */
static void a_word_that_is_no_type_is_refused(void **state)
{
	static const char typo[] = "[A]\n\t<INTEGR>X:10\n[/A]",
			  lower[] = "[A]\n<integer>X:10\n[/A]",
			  string[] = "[A]\n<STRING>X:10\n[/A]";
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT, other = BUFFER_INIT;

	(void)state;
	assert_int_equal(
		bindat_encode(typo, sizeof(typo) - 1, NULL, 0, NULL, NULL, &file, &err), -EINVAL);
	assert_string_equal(error_text(&err), "line 2, column 12: <INTEGR> is not a type");
	assert_int_equal(
		bindat_encode(lower, sizeof(lower) - 1, NULL, 0, NULL, NULL, &file, &err), 0);
	assert_int_equal(
		bindat_encode(string, sizeof(string) - 1, NULL, 0, NULL, NULL, &other, &err), 0);
	assert_int_equal(file.size, other.size);
	assert_memory_equal(file.data, other.data, file.size);
}

static void a_string_that_is_too_long_is_refused_with_its_place(void **state)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;

	(void)state;
	buffer_text(&text, "[A]\n<STRING>X:");
	for (int i = 0; i < 65536; i++)
		buffer_byte(&text, 'x');
	buffer_text(&text, "\n[/A]");
	assert_int_equal(
		bindat_encode((char *)text.data, text.size, NULL, 0, NULL, NULL, &file, &err),
		-EINVAL);
	assert_string_equal(error_text(&err),
		"line 2, column 11: the string has 65536 UTF-16 units (at most 65535)");
}

/* An empty text, and a table of one empty string, have no byte to point to. */
static void empty_inputs_are_handled(void **state)
{
	/* A string of no units with its own id, and one field that uses it. */
	static const uint8_t table[] = {2, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0};
	static const uint32_t tree[] = {97, 1, 98, 5, 7, 0};
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT, text = BUFFER_INIT, again = BUFFER_INIT;
	struct compiled_context ctx = {.path = "MEDIA/X.DAT"};

	(void)state;
	assert_int_equal(
		compiled_encode(COMPILED_DAT, &ctx, NULL, 0, NULL, 0, NULL, &again, &err), -EINVAL);
	assert_string_equal(error_text(&err), "line 1, column 1: no [BLOCK]");
	buffer_append(&file, table, sizeof(table));
	for (size_t i = 0; i < sizeof(tree) / sizeof(*tree); i++)
		buffer_u32(&file, tree[i]);
	assert_int_equal(
		compiled_decode(COMPILED_DAT, &ctx, file.data, file.size, &text, NULL, &err), 0);
	assert_int_equal(compiled_encode(COMPILED_DAT, &ctx, text.data, text.size, file.data,
				 file.size, NULL, &again, &err),
		0);
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
}

static void tables_of_other_tools_come_back_unchanged(void **state)
{
	/* No table entry for "", and a word 0 after an empty table. */
	static const uint32_t words[] = {2, 0, 0, 97, 1, 98, 5, 0xFFFFFFFF, 0};
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct compiled_context ctx = {.path = "MEDIA/X.DAT"};
	struct error readonly = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		buffer_u32(&file, words[i]);
	assert_int_equal(
		compiled_decode(COMPILED_DAT, &ctx, file.data, file.size, &text, &readonly, &err),
		0);
	assert_int_equal(readonly.code, 0);
	assert_string_equal(
		text_of(&text), "[UNK_00000061]\n\t<STRING>UNK_00000062:\n[/UNK_00000061]\n");
}

static void special_characters_in_tables_are_escaped(void **state)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer again = BUFFER_INIT;
	const struct raw_kind *kind = raw_kind_find("missiles.raw");

	(void)state;
	assert_non_null(kind);
	buffer_u16(&file, 3);
	put_ss16(&file, "a\tb\\c|d\n");
	buffer_byte(&file, 3);
	put_ss16(&file, "x|y");
	put_ss16(&file, "");
	put_ss16(&file, "z\\");
	put_ss16(&file, "");
	buffer_byte(&file, 0);
	put_ss16(&file, "");
	buffer_byte(&file, 1);
	put_ss16(&file, "");
	assert_int_equal(rawindex_decode(kind, file.data, file.size, &text, &err), 0);
	assert_string_equal(
		text_of(&text), "file\tmissiles\na\\tb\\\\c|d\\n\tx\\|y|\\e|z\\\\\n\t\n\t\\e\n");
	assert_int_equal(rawindex_encode(kind, (char *)text.data, text.size, &again, &err), 0);
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
}

static void wrong_tables_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *kind, *text, *why;
	} cases[] = {
		{"SKILLS.RAW", "", "line 1, column 1: no header line"},
		{"SKILLS.RAW", "name\tfile\n",
			"line 1, column 10: the header line lacks the column guid"},
		{"SKILLS.RAW", "name\tfile\tguid\textra\n",
			"line 1, column 16: the header line has the unknown column extra"},
		{"SKILLS.RAW", "name\tfile\tguid\na\tb\n",
			"line 2, column 4: the line has 2 cells (must be 3)"},
		{"SKILLS.RAW", "name\tfile\tguid\na\tb\t1\t2\n",
			"line 2, column 7: too many cells: '2'"},
		{"SKILLS.RAW", "name\tfile\tguid\na\tb\tc\n",
			"line 2, column 5: 'c' must be -9223372036854775808 to "
			"9223372036854775807"},
		{"SKILLS.RAW", "name\tfile\tguid\na\\x\tb\t1\n",
			"line 2, column 2: a backslash must be followed by t, n, r, 0, e, | or \\"},
		{"UNITDATA.RAW",
			"list\tguid\tname\tfile\tflags\tlevel\tmin\tmax\trarity\trarity_"
			"hc\tunittype\nX\n",
			"line 2, column 1: unknown list 'X' (ITEMS, MONSTERS, PLAYERS or PROPS)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

		assert_int_equal(rawindex_encode(raw_kind_find(cases[i].kind), cases[i].text,
					 strlen(cases[i].text), &out, &err),
			-EINVAL);
		assert_string_equal(error_text(&err), cases[i].why);
	}
}

static void kinds_follow_from_names(void **state)
{
	(void)state;
	assert_int_equal(compiled_kind_of("MEDIA/A.DAT"), COMPILED_DAT);
	assert_int_equal(compiled_kind_of("media/a.hie"), COMPILED_DAT);
	assert_int_equal(compiled_kind_of("MEDIA/UI/A.LAYOUT"), COMPILED_LAYOUT);
	assert_int_equal(compiled_kind_of("MEDIA/SKILLS.RAW"), COMPILED_RAW);
	assert_int_equal(compiled_kind_of("MEDIA/OTHER.RAW"), COMPILED_NONE);
	assert_int_equal(compiled_kind_of("MEDIA/A.DAT2"), COMPILED_NONE);
	assert_int_equal(compiled_kind_of("MEDIA.DAT/A"), COMPILED_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dat_is_shown_as_its_fields),
		cmocka_unit_test(a_root_may_have_the_name_of_the_file),
		cmocka_unit_test(a_string_with_a_line_feed_makes_the_text_read_only),
		cmocka_unit_test(strings_keep_their_ids_and_new_ones_follow),
		cmocka_unit_test(an_empty_string_is_not_another_string_with_its_id),
		cmocka_unit_test(new_names_are_reported),
		cmocka_unit_test(wrong_values_are_refused_with_their_place),
		cmocka_unit_test(a_word_that_is_no_type_is_refused),
		cmocka_unit_test(a_string_that_is_too_long_is_refused_with_its_place),
		cmocka_unit_test(empty_inputs_are_handled),
		cmocka_unit_test(tables_of_other_tools_come_back_unchanged),
		cmocka_unit_test(special_characters_in_tables_are_escaped),
		cmocka_unit_test(wrong_tables_are_refused_with_their_place),
		cmocka_unit_test(kinds_follow_from_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
