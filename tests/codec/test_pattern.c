/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include <stdlib.h>

#include "codec/text/pattern.h"

static bool matches(const char *pattern, int flags, const char *text)
{
	regex_t p;
	bool found;

	assert_int_equal(pattern_compile(pattern, flags, &p, NULL), 0);
	found = pattern_matches(&p, text, strlen(text));
	regfree(&p);
	return found;
}

static void expect_refusal(const char *pattern, int flags, const char *reason)
{
	struct error e = ERROR_INIT;
	regex_t p;

	assert_int_equal(pattern_compile(pattern, flags, &p, &e), -EINVAL);
	if (reason)
		assert_string_equal(e.text, reason);
}

static void both_syntaxes_are_accepted(void **state)
{
	(void)state;
	assert_true(matches("a+(b|c)?$", REG_EXTENDED, "xaac"));
	assert_false(matches("a+(b|c)?$", REG_EXTENDED, "xaad"));
	assert_true(matches("a\\+\\(b\\|c\\)\\?$", 0, "xaac"));
	assert_true(matches("a+(b", 0, "a+(b"));
	assert_true(matches("^*a\\{2,3\\}", 0, "*aa"));
	assert_true(matches("\\<tune\\>", 0, "a tune b"));
	assert_false(matches("\\<tune\\>", 0, "tunes"));
	assert_true(matches("[[:upper:]_-]x", REG_ICASE, "-X"));
	assert_true(matches("SV_", REG_ICASE, "sv_"));
	assert_true(matches("", 0, ""));
	assert_true(matches("x{0,2}y{0}$", REG_EXTENDED, ""));
}

static void back_references_are_refused(void **state)
{
	(void)state;
	expect_refusal("()(\\1\\1)*", REG_EXTENDED, "back references are not supported");
	expect_refusal("\\(a\\)\\1", 0, "back references are not supported");
	assert_true(matches("[\\1]", REG_EXTENDED, "1"));
	assert_true(matches("\\\\1", REG_EXTENDED, "\\1"));
}

static void patterns_that_are_too_large_are_refused(void **state)
{
	enum { MANY = 100000 };
	char *deep = malloc(MANY + 1);

	(void)state;
	expect_refusal("(((a{1,255}){1,255}){1,255})", REG_EXTENDED, "the expression is too large");
	expect_refusal("(((a+)+{200})+{200})+{200}", REG_EXTENDED, "the expression is too large");
	expect_refusal("a{1,65536}", REG_EXTENDED, "the expression is too large");
	expect_refusal("a\\{99999999999999999999\\}", 0, "the expression is too large");
	assert_non_null(deep);
	memset(deep, '(', MANY);
	deep[MANY] = '\0';
	expect_refusal(deep, REG_EXTENDED, "too many nested parentheses");
	memset(deep, '|', MANY);
	expect_refusal(deep, REG_EXTENDED, "the expression is too large");
	memset(deep, '*', MANY);
	deep[0] = 'a';
	expect_refusal(deep, REG_EXTENDED, "the expression is too large");
	free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_syntaxes_are_accepted),
		cmocka_unit_test(back_references_are_refused),
		cmocka_unit_test(patterns_that_are_too_large_are_refused),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
