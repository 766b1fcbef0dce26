/* SPDX-License-Identifier: Zlib */
/* Names that may be opened, and their paths. */
#include "support/util.h"

#include <errno.h>
#include <string.h>

#include "base/name.h"

static void invalid_names_are_refused(void **state)
{
	char longest[NAME_MAX + 2];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	assert_int_equal(name_check(longest, NAME_MAX), 0);
	assert_int_equal(name_check(longest, NAME_MAX + 1), -ENAMETOOLONG);
	assert_int_equal(name_check("", 0), -EINVAL);
	assert_int_equal(name_check(".", 1), -EINVAL);
	assert_int_equal(name_check("..", 2), -EINVAL);
	assert_int_equal(name_check("a/b", 3), -EINVAL);
	assert_int_equal(name_check("a\0b", 3), -EINVAL);
	assert_int_equal(name_check("...", 3), 0);
	assert_int_equal(name_check(".a", 2), 0);
	assert_int_equal(name_check("..a", 3), 0);
}

static void random_names_of_tools_are_recognized(void **state)
{
	static const char *const random[] = {"sedAbC123", "XXq0Q0q0", "ziABCDEF"};
	static const char *const words[] = {"zinc.dat", "sedan.dat", "XXL1.DAT", "zip", "sed",
		"SEDabcdef", "sedabcde", "sedabcdefg", "XX", "XXabcd_f", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(random) / sizeof(random[0]); i++)
		if (!name_is_random(random[i]))
			fail_msg("%s", random[i]);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (name_is_random(words[i]))
			fail_msg("%s", words[i]);
}

/* Does path_next return these three names, and then the end? */
static bool path_gives(const char *path, const char *one, const char *two, const char *three)
{
	const char *want[] = {one, two, three};
	char name[NAME_MAX + 1];

	for (int i = 0; i < 3; i++)
		if (path_next(&path, name) != 1 || strcmp(name, want[i]) != 0)
			return false;
	return path_next(&path, name) == 0;
}

static void a_path_is_split_at_slashes(void **state)
{
	static const char *const bad[] = {
		"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b", "a/./b", "a/."};
	const char *path = "a/bc/..d";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (path_check(bad[i]) != -EINVAL)
			fail_msg("%s", bad[i]);
	assert_int_equal(path_check(path), 0);
	assert_true(path_gives(path, "a", "bc", "..d"));
}

static void slashes_and_dots_around_names_are_skipped(void **state)
{
	const char *path = "a/../b";
	char name[NAME_MAX + 1], longest[NAME_MAX + 2];

	(void)state;
	assert_true(path_gives("/a//./bc/..d/.", "a", "bc", "..d"));
	assert_true(path_gives("./a/bc/..d//", "a", "bc", "..d"));
	assert_int_equal(path_next(&path, name), 1);
	assert_int_equal(path_next(&path, name), -ENOENT);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	path = longest;
	assert_int_equal(path_next(&path, name), -ENAMETOOLONG);
	path = longest + 1;
	assert_int_equal(path_next(&path, name), 1);
	assert_string_equal(name, longest + 1);
	path = "/./";
	assert_int_equal(path_next(&path, name), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_names_are_refused),
		cmocka_unit_test(random_names_of_tools_are_recognized),
		cmocka_unit_test(a_path_is_split_at_slashes),
		cmocka_unit_test(slashes_and_dots_around_names_are_skipped),
	};

	return cmocka_run_group_tests_name("base: name", tests, NULL, NULL);
}
