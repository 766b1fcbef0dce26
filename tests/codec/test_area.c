/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include "codec/text/area.h"

#define IN_MAP(...)   area_text((struct area){1, __VA_ARGS__}).text
#define IN_TABLE(...) area_text_of_table((struct area){1, __VA_ARGS__}).text

static void one_cell_is_not_written_as_a_range(void **state)
{
	(void)state;
	assert_string_equal(area_text(area_at(152, 38)).text, "x 152, y 38");
	assert_string_equal(IN_MAP(152, 160, 38, 40), "x 152 to 160, y 38 to 40");
	assert_string_equal(IN_MAP(152, 160, 38, 38), "x 152 to 160, y 38");
	assert_string_equal(IN_MAP(0, 0, 0, 1), "x 0, y 0 to 1");
	assert_string_equal(IN_TABLE(152, 152, 38, 38), "line 39, column 153");
	assert_string_equal(IN_TABLE(152, 160, 38, 40), "lines 39 to 41, columns 153 to 161");
	assert_string_equal(IN_TABLE(152, 160, 38, 38), "line 39, columns 153 to 161");
	assert_string_equal(IN_TABLE(0, 0, 0, 1), "lines 1 to 2, column 1");
}

static void large_numbers_fit_the_text(void **state)
{
	const size_t a = UINT32_MAX - 2, b = UINT32_MAX - 1;

	(void)state;
	assert_string_equal(IN_TABLE(a, b, a, b),
		"lines 4294967294 to 4294967295, columns 4294967294 to 4294967295");
}

static void an_area_includes_each_added_cell(void **state)
{
	struct area a = {0};

	(void)state;
	area_add(&a, 5, 7);
	assert_string_equal(area_text(a).text, "x 5, y 7");
	area_add(&a, 3, 9);
	area_add(&a, 4, 6);
	assert_string_equal(area_text(a).text, "x 3 to 5, y 6 to 9");
	assert_int_equal(a.n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cell_is_not_written_as_a_range),
		cmocka_unit_test(large_numbers_fit_the_text),
		cmocka_unit_test(an_area_includes_each_added_cell),
	};

	return cmocka_run_group_tests_name("area", tests, NULL, NULL);
}
