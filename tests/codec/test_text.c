/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include "codec/text/text.h"

static struct error err;

#define VALID(s) utf8_valid(s, sizeof(s) - 1)

static void utf8_is_checked_as_in_rfc_3629(void **state)
{
	(void)state;
	assert_true(VALID(""));
	assert_true(VALID("a\0b"));
	/* The first and the last character of each length, and those around the surrogates. */
	assert_true(VALID(
		"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
	assert_true(VALID("\xed\x9f\xbf\xee\x80\x80"));
	assert_false(VALID("\x80"));
	assert_false(VALID("\xc0\x80"));
	assert_false(VALID("\xc1\xbf"));
	assert_false(VALID("\xe0\x9f\xbf"));
	assert_false(VALID("\xf0\x8f\xbf\xbf"));
	assert_false(VALID("\xed\xa0\x80"));
	assert_false(VALID("\xed\xbf\xbf"));
	assert_false(VALID("\xf4\x90\x80\x80"));
	assert_false(VALID("\xf5\x80\x80\x80"));
	assert_false(VALID("\xff"));
	assert_false(VALID("\xe2\x82"));
	assert_false(VALID("\xe2\x28\xa1"));
	assert_false(VALID("a\xc3"));
}

static void every_character_can_be_written_and_read_back(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x110000; c++) {
		uint8_t s[4];
		size_t len = utf8_put(c, s);
		uint32_t got = 0;
		bool surrogate = c >= 0xd800 && c < 0xe000;

		assert_int_equal(utf8_next(s, len, &got), surrogate ? 0 : len);
		assert_int_equal(utf8_next(s, len - 1, NULL), 0);
		if (!surrogate)
			assert_int_equal(got, c);
	}
}

static void utf16_is_converted_to_utf8(void **state)
{
	/* a, U+20AC, U+1F600, a lone first half, a lone second half, a first half at the end. */
	static const uint8_t le[] = {'a', 0, 0xac, 0x20, 0x3d, 0xd8, 0x00, 0xde, 0x3d, 0xd8, 'b', 0,
		0x00, 0xde, 0x3d, 0xd8};
	static const char want[] = "a\xe2\x82\xac\xf0\x9f\x98\x80\xed\xa0\xbd"
				   "b\xed\xb8\x80\xed\xa0\xbd";
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer back = BUFFER_INIT;

	(void)state;
	utf16_to_utf8(le, sizeof(le) / 2, &out);
	assert_int_equal(out.size, sizeof(want) - 1);
	assert_memory_equal(out.data, want, out.size);
	assert_ok(utf8_to_utf16(out.data, out.size, &back, &err));
	assert_int_equal(back.size, sizeof(le));
	assert_memory_equal(back.data, le, sizeof(le));
}

static void every_sequence_of_utf16_units_comes_back(void **state)
{
	static const uint16_t some[] = {
		0, 'x', 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff};
	uint64_t seed = 4;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;
		CLEANUP_BUFFER struct buffer back = BUFFER_INIT;
		uint8_t le[16];

		for (size_t k = 0; k < 8; k++) {
			uint16_t u = some[(next_random(&seed) >> 20) % 11];

			le[2 * k] = (uint8_t)u;
			le[2 * k + 1] = (uint8_t)(u >> 8);
		}
		utf16_to_utf8(le, 8, &utf8);
		assert_ok(utf8_to_utf16(utf8.data, utf8.size, &back, &err));
		assert_int_equal(back.size, 16);
		assert_memory_equal(back.data, le, 16);
	}
}

static void bytes_without_a_utf16_form_are_refused_with_their_place(void **state)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

	(void)state;
	assert_fails(utf8_to_utf16("ab\xff", 3, &out, &err), EINVAL, "byte 2 is not UTF-8");
	/* Two halves that would form one character. */
	assert_fails(utf8_to_utf16("\xed\xa0\xbd\xed\xb8\x80", 6, &out, &err), EINVAL, "byte 3");
	assert_ok(utf8_to_utf16("\xed\xa0\xbd-\xed\xb8\x80", 7, &out, &err));
}

static void check_escape(const char *name, size_t n, const char *want)
{
	char got[800], back[800];

	assert_int_equal(name_escape(name, n, got, 255), strlen(want));
	assert_string_equal(got, want);
	assert_int_equal(name_unescape(got, strlen(got), back), n);
	assert_memory_equal(back, name, n);
	assert_int_equal(back[n], 0);
}

#define ESCAPES(name, want) check_escape(name, sizeof(name) - 1, want)

static void names_are_escaped_as_documented(void **state)
{
	(void)state;
	ESCAPES("", "");
	ESCAPES(" grass main.png ", " grass main.png ");
	ESCAPES("../x", "..%2Fx");
	ESCAPES("100%", "100%25");
	ESCAPES("%2F", "%252F");
	ESCAPES("a\x01\x1f\x7f~", "a%01%1F%7F~");
	ESCAPES("\xc2\x80\xc2\x9f\xc2\xa0", "%C2%80%C2%9F\xc2\xa0");
	ESCAPES("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf",
		"\xe2\x80\xa7%E2%80%A8%E2%80%AE\xe2\x80\xaf");
	ESCAPES("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
		"\xe2\x81\xa5%E2%81%A6%E2%81%A9\xe2\x81\xaa");
	ESCAPES("\xff\xc3(\xe2\x82", "%FF%C3(%E2%82");
	ESCAPES("\xed\xa0\x80", "%ED%A0%80");
	ESCAPES("a\0b", "a%00b");
	ESCAPES(".", ".");
	ESCAPES("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

#define CUT(name, max, want)                                                                       \
	do {                                                                                       \
		char got_[64];                                                                     \
		memset(got_, '!', sizeof(got_));                                                   \
		assert_int_equal(name_escape(name, sizeof(name) - 1, got_, max), strlen(want));    \
		assert_string_equal(got_, want);                                                   \
		assert_int_equal(got_[(max) + 1], '!');                                            \
	} while (0)

static void a_cut_keeps_characters_and_their_escapes_whole(void **state)
{
	(void)state;
	CUT("abcdef", 6, "abcdef");
	CUT("abcdef", 5, "abcde");
	CUT("abcdef", 0, "");
	CUT("ab\xc3\xa4", 3, "ab");
	CUT("ab\xc3\xa4", 4, "ab\xc3\xa4");
	CUT("ab/", 4, "ab");
	CUT("ab/", 5, "ab%2F");
	/* The two escapes of U+0085 stay together; nothing after the cut is included. */
	CUT("a\xc2\x85z", 6, "a");
	CUT("a\xc2\x85z", 7, "a%C2%85");
	CUT("a\xc2\x85z", 8, "a%C2%85z");
	/* Bytes that are not UTF-8 are separate characters. */
	CUT("\xff\xfe", 5, "%FF");
	CUT("\xe2\x80\xa8", 8, "");
}

static void a_whole_name_is_never_dot_or_dot_dot(void **state)
{
	char got[16];

	(void)state;
	assert_int_equal(name_escape_whole(".", 1, got, 10), 3);
	assert_string_equal(got, "%2E");
	assert_int_equal(name_escape_whole("..", 2, got, 10), 6);
	assert_string_equal(got, "%2E%2E");
	assert_int_equal(name_escape_whole("...", 3, got, 10), 3);
	assert_string_equal(got, "...");
	assert_int_equal(name_escape_whole("..", 2, got, 5), 0);
	assert_int_equal(name_escape_whole("", 0, got, 5), 0);
	assert_string_equal(got, "");
}

static void a_percent_without_two_digits_is_not_an_escape(void **state)
{
	char got[32];

	(void)state;
	assert_int_equal(name_unescape("%", 1, got), 1);
	assert_string_equal(got, "%");
	assert_int_equal(name_unescape("%4", 2, got), 2);
	assert_int_equal(name_unescape("%zz%4g%41%c3%A4%%41", 19, got), 11);
	assert_string_equal(got, "%zz%4gA\xc3\xa4%A");
	/* The name is unescaped in place, and no byte after n is read. */
	char s[] = "a%2Fb%41";

	assert_int_equal(name_unescape(s, 7, s), 5);
	assert_string_equal(s, "a/b%4");
}

static void every_escaped_name_comes_back(void **state)
{
	uint64_t seed = 8;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char name[20], got[61], back[61];
		size_t n = (size_t)(next_random(&seed) % 20);

		for (size_t k = 0; k < n; k++)
			name[k] = (char)(next_random(&seed) >> 30);
		size_t len = name_escape_whole(name, n, got, 60);

		assert_true(utf8_valid(got, len));
		assert_null(memchr(got, '/', len));
		assert_int_equal(strlen(got), len);
		assert_int_equal(name_unescape(got, len, back), n);
		assert_memory_equal(back, name, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_checked_as_in_rfc_3629),
		cmocka_unit_test(every_character_can_be_written_and_read_back),
		cmocka_unit_test(utf16_is_converted_to_utf8),
		cmocka_unit_test(every_sequence_of_utf16_units_comes_back),
		cmocka_unit_test(bytes_without_a_utf16_form_are_refused_with_their_place),
		cmocka_unit_test(names_are_escaped_as_documented),
		cmocka_unit_test(a_cut_keeps_characters_and_their_escapes_whole),
		cmocka_unit_test(a_whole_name_is_never_dot_or_dot_dot),
		cmocka_unit_test(a_percent_without_two_digits_is_not_an_escape),
		cmocka_unit_test(every_escaped_name_comes_back),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
