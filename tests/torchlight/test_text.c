/* SPDX-License-Identifier: Zlib */
/* Numbers, names, encodings of text and its syntax. */
#include "support/tl_test.h"

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/names.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

static struct error err;

static void floats_are_written_as_the_shortest_decimal(void **state)
{
	static const struct {
		float v;
		const char *text;
	} cases[] = {{0, "0"}, {-0.0F, "-0"}, {1, "1"}, {0.1F, "0.1"}, {-2.5F, "-2.5"},
		{100, "100"}, {16777216, "16777216"}, {1e6F, "1000000"}, {1e-5F, "0.00001"},
		{132.6714F, "132.6714"}, {3.4028235e38F, "3.4028235e38"}, {1e-45F, "1e-45"},
		{0.333333343F, "0.33333334"}};
	uint8_t stored[4];
	uint32_t bits;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

		memcpy(&bits, &cases[i].v, sizeof(bits));
		store_u32(stored, bits);
		number_put(&b, NUMBER_F32, stored);
		assert_string_equal(text_of(&b), cases[i].text);
	}
}

static void every_float_reads_back_to_its_bits(void **state)
{
	uint32_t bits = 0, got;
	uint8_t stored[4];

	(void)state;
	/* Odd steps over all exponents, signs, infinities and NaN. */
	for (unsigned i = 0; i < 70000; i++, bits += 61331) {
		CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

		store_u32(stored, bits);
		number_put(&b, NUMBER_F32, stored);
		assert_true(number_get_f32((struct str){(char *)b.data, b.size}, &got));
		assert_int_equal(got, bits);
	}
}

static void doubles_read_back_to_their_bits(void **state)
{
	static const double values[] = {
		0, -0.0, 0.1, 1.0 / 3, 1e300, 5e-324, -123456.789, 9007199254740992.0};
	uint64_t bits, got;
	uint8_t stored[8];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

		memcpy(&bits, &values[i], 8);
		store_u32(stored, (uint32_t)bits);
		store_u32(stored + 4, (uint32_t)(bits >> 32));
		number_put(&b, NUMBER_F64, stored);
		assert_true(number_read((struct str){(char *)b.data, b.size}, NUMBER_F64, &got));
		assert_true(got == bits);
	}
}

static void integers_are_read_as_the_kit_reads_them(void **state)
{
	int32_t i;
	uint32_t u;
	int64_t w;

	(void)state;
	assert_true(number_get_i32(STR(""), &i) && i == 0);
	assert_true(number_get_i32(STR(".1"), &i) && i == 0);
	assert_true(number_get_i32(STR(" -7 "), &i) && i == -7);
	assert_true(number_get_i32(STR("10.9"), &i) && i == 10);
	assert_true(number_get_u32(STR("-1"), &u) && u == 0xFFFFFFFF);
	assert_true(number_get_u32(STR("4294967295"), &u) && u == 0xFFFFFFFF);
	assert_true(number_get_i64(STR("-9203729800888403730"), &w) &&
		    w == INT64_C(-9203729800888403730));
	assert_false(number_get_i32(STR("2147483648"), &i));
	assert_false(number_get_u32(STR("4294967296"), &u));
	assert_false(number_get_i64(STR("9223372036854775808"), &w));
	assert_false(number_get_i32(STR("five"), &i));
	assert_false(number_get_i32(STR("5five"), &i));
	assert_false(number_get_i32(STR("1e3"), &i));
	assert_false(number_get_f32(STR("0x10"), &u));
	assert_false(number_get_f32(STR("inf"), &u));
	assert_false(number_get_f32(STR("1e99"), &u));
	assert_true(number_get_bool(STR("True"), &u) && u == 1);
	assert_true(number_get_bool(STR("0"), &u) && u == 0);
	assert_true(number_get_bool(STR("7"), &u) && u == 7);
	assert_false(number_get_bool(STR("yes"), &u));
}

static void name_hashes_equal_known_values(void **state)
{
	(void)state;
	assert_int_equal(name_hash(STR("A")), 97);
	assert_int_equal(name_hash(STR("B")), 98);
	assert_int_equal(name_hash(STR("AI")), 105);
	assert_int_equal(name_hash(STR("NAME")), 0x00660DE5);
	assert_int_equal(name_hash(STR("theme")), 0x0F651DE5);
	assert_int_equal(name_hash(STR("Guid")), 0x0062DD64);
	assert_int_equal(name_hash(STR("")), 0);
}

static void unknown_hashes_are_shown_as_numbers(void **state)
{
	CLEANUP(names_unref) struct names *names = names_create();
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;

	(void)state;
	names_put(names, 0x0000ABCD, &b);
	assert_string_equal(text_of(&b), "UNK_0000ABCD");
	assert_int_equal(name_value(STR("UNK_0000ABCD")), 0xABCD);
	assert_int_equal(name_value(STR("unk_0000abcd")), 0xABCD);
	assert_int_equal(name_value(STR("UNK_ABCD")), name_hash(STR("UNK_ABCD")));
}

/* In the form that GUTS and RGLib print. */
static void names_of_digits_are_read_as_hashes(void **state)
{
	static const char *const others[] = {
		"999999", "0999999", "4294967296", "10000000000", "1000000A", "+1000000", ""};

	(void)state;
	assert_int_equal(name_value(STR("2770992901")), 2770992901);
	assert_int_equal(name_value(STR("1000000")), 1000000);
	assert_int_equal(name_value(STR("4294967295")), UINT32_MAX);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(name_value(str_of(others[i])), name_hash(str_of(others[i])));
}

static void shipped_names_and_families_are_found(void **state)
{
	CLEANUP(names_unref) struct names *names = names_create();
	struct str got;

	(void)state;
	assert_true(names_find(names, 0x00660DE5, &got));
	assert_true(str_equal(got, STR("NAME")));
	assert_true(names_find(names, name_hash(STR("LEVEL137")), &got));
	assert_true(str_equal(got, STR("LEVEL137")));
}

static void names_are_added_to_a_new_version(void **state)
{
	static const char list[] = "# mine\r\n my own tag \r\nNAME\nbad:name\nUNK_00000001\n\n";
	CLEANUP(names_unref) struct names *names = names_create();
	CLEANUP(names_unref) struct names *more = NULL;
	CLEANUP(names_unref) struct names *same = NULL;
	struct str got;

	(void)state;
	assert_int_equal(names_extend(names, list, sizeof(list) - 1, &more, &err), 0);
	assert_true(names_find(more, name_hash(STR("MY OWN TAG")), &got));
	assert_true(str_equal(got, STR("MY OWN TAG")));
	assert_false(names_find(names, name_hash(STR("MY OWN TAG")), &got));
	assert_false(names_find(more, name_hash(STR("BAD:NAME")), &got));
	assert_true(names_find(more, name_hash(STR("NAME")), &got));
	assert_int_equal(names_extend(more, "name\n", 5, &same, &err), 0);
	assert_ptr_equal(same, more);
}

static int read_as_text(const char *in, size_t n, struct buffer *out)
{
	return textform_read(in, n, out, &err);
}

#define READS(in, want)                                                                            \
	do {                                                                                       \
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;                                    \
		assert_int_equal(read_as_text(in, sizeof(in) - 1, &out), 0);                       \
		assert_string_equal(text_of(&out), want);                                          \
	} while (0)

/* A mount shows no longer text, so a longer one would come back as something else. */
static void a_text_of_more_bytes_than_are_shown_is_refused(void **state)
{
	char *in = malloc(TEXT_MAX + 2);

	(void)state;
	memset(in, 'x', TEXT_MAX + 2);
	memcpy(in, "\r\n", 2); /* becomes one byte */
	for (size_t n = TEXT_MAX + 1; n <= TEXT_MAX + 2; n++) {
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

		assert_int_equal(read_as_text(in, n, &out), n == TEXT_MAX + 1 ? 0 : -EFBIG);
	}
	free(in);
}

static void every_encoding_of_text_is_accepted(void **state)
{
	(void)state;
	READS("[A]\n", "[A]\n");
	READS("\xEF\xBB\xBF[A]\r\n[/A]", "[A]\n[/A]");
	READS("\xFF\xFE[\0A\0]\0\r\0\n\0", "[A]\n");
	READS("\xFF\xFE\x29\x59", "\xE5\xA4\xA9");
	/* Half a surrogate is kept as three bytes. */
	READS("\xFF\xFE\x3D\xD8", "\xED\xA0\xBD");
	READS("\xED\xA0\xBD", "\xED\xA0\xBD");
}

#define REFUSES(in, want)                                                                          \
	do {                                                                                       \
		CLEANUP_BUFFER struct buffer out = BUFFER_INIT;                                    \
		assert_int_equal(read_as_text(in, sizeof(in) - 1, &out), -EINVAL);                 \
		assert_string_equal(error_text(&err), want);                                       \
	} while (0)

static void bytes_that_are_no_text_are_refused_with_their_place(void **state)
{
	(void)state;
	REFUSES("ab\n\xE5\xA4\xA9\xFF", "line 2, column 2: byte 0xFF is not UTF-8");
	REFUSES("a\0", "line 1, column 2: a NUL character");
	REFUSES("a\rb", "line 1, column 2: a CR without a line feed");
	REFUSES("\xFF\xFE[", "the text has 3 bytes (UTF-16 has an even number)");
	REFUSES("[\0A\0]\0",
		"the text is UTF-16 without a byte order mark (must begin with FF FE)");
	REFUSES("\xFE\xFF\0[", "the text is UTF-16BE, with the mark FE FF (use UTF-8, or UTF-16LE "
			       "with the mark FF FE)");
}

static void text_in_the_form_of_the_kit_is_utf16_with_crlf(void **state)
{
	static const uint8_t want[] = {
		0xFF, 0xFE, 'a', 0, '\r', 0, '\n', 0, 0x3D, 0xD8, '\r', 0, '\n', 0};
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

	(void)state;
	assert_int_equal(textform_write("a\n\xED\xA0\xBD\n", 6, TEXTFORM_UTF16, &out, &err), 0);
	assert_int_equal(out.size, sizeof(want));
	assert_memory_equal(out.data, want, sizeof(want));
}

static void a_text_is_parsed_to_a_tree(void **state)
{
	static const char text[] = "// a comment\n[ROOT]\n\t<STRING>A:x : y \n\t[IN] // so\n"
				   "\t<FLOAT>:1\n\t[/in]\n  <BOOL>B:\n[/ROOT]\n";
	CLEANUP(dattext_free) struct dattext *t = NULL;
	const struct dat_field *f;

	(void)state;
	assert_int_equal(dattext_parse(text, sizeof(text) - 1, &t, &err), 0);
	assert_true(str_equal(t->root->name, STR("ROOT")));
	f = dat_find_field(t->root, STR("a"));
	assert_true(str_equal(f->value, STR("x : y ")));
	assert_int_equal(f->line, 3);
	assert_int_equal(f->column, 12);
	assert_true(str_equal(f->next->key, STR("B")));
	assert_null(f->next->next);
	assert_int_equal(dat_find_block(t->root, STR("IN"))->fields->key.n, 0);
}

static void wrong_syntax_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "line 1, column 1: no [BLOCK]"},
		{"[A]\n", "line 1, column 1: [A] is not closed"},
		{"[A]\n[/B]\n", "line 2, column 3: [/B] instead of the end of [A] of line 1"},
		{"[A]\n[/A]\n[/A]\n", "line 3, column 3: [/A] without an open block"},
		{"[A]\n[/A]\n[B]\n[/B]\n", "line 3, column 2: a second root [B] after [A]"},
		{"<STRING>A:1\n", "line 1, column 1: a field outside a [BLOCK]"},
		{"[A]\n <STRING A:1\n[/A]", "line 2, column 13: no '>' after '<'"},
		{"[A]\n <STRING>A\n[/A]", "line 2, column 11: no ':' after the name of the field"},
		{"[A\n[/A]", "line 1, column 3: no ']' after '['"},
		{"[A] x\n[/A]", "line 1, column 5: text after ']'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dattext *t = NULL;

		assert_int_equal(
			dattext_parse(cases[i].text, strlen(cases[i].text), &t, &err), -EINVAL);
		assert_string_equal(error_text(&err), cases[i].why);
	}
}

static void deep_nesting_is_refused(void **state)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	struct dattext *t = NULL;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buffer_text(&b, "[A]\n");
	assert_int_equal(dattext_parse((char *)b.data, b.size, &t, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floats_are_written_as_the_shortest_decimal),
		cmocka_unit_test(every_float_reads_back_to_its_bits),
		cmocka_unit_test(doubles_read_back_to_their_bits),
		cmocka_unit_test(integers_are_read_as_the_kit_reads_them),
		cmocka_unit_test(name_hashes_equal_known_values),
		cmocka_unit_test(unknown_hashes_are_shown_as_numbers),
		cmocka_unit_test(names_of_digits_are_read_as_hashes),
		cmocka_unit_test(shipped_names_and_families_are_found),
		cmocka_unit_test(names_are_added_to_a_new_version),
		cmocka_unit_test(every_encoding_of_text_is_accepted),
		cmocka_unit_test(a_text_of_more_bytes_than_are_shown_is_refused),
		cmocka_unit_test(bytes_that_are_no_text_are_refused_with_their_place),
		cmocka_unit_test(text_in_the_form_of_the_kit_is_utf16_with_crlf),
		cmocka_unit_test(a_text_is_parsed_to_a_tree),
		cmocka_unit_test(wrong_syntax_is_refused_with_its_place),
		cmocka_unit_test(deep_nesting_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
