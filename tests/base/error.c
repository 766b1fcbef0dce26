/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

static void set_and_context_build_one_line(void **state)
{
	struct error e = ERROR_INIT;

	(void)state;
	error_context(&e, "before");
	assert_string_equal(error_text(&e), "");
	assert_int_equal(error_set(&e, -EINVAL, "x is %d (at most %d)", 7, 5), -EINVAL);
	error_context(&e, "item %d", 3);
	assert_string_equal(error_text(&e), "item 3: x is 7 (at most 5)");
	errno = ENOENT;
	assert_int_equal(error_errno(&e, "open"), -ENOENT);
	assert_string_equal(error_text(&e), "open: No such file or directory");
}

static void control_characters_become_question_marks(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80",
			"plain \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\033]0;title\a\r\n\t\177", "?]0;title?????"},
		{"\xc2\x9b"
		 "31m",
			"??31m"},
		{"\x9b"
		 "31m \xff \xc3",
			"?31m ? ?"},
		{"\xe2\x82", "??"},
	};
	struct error e = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		error_set(&e, -EINVAL, "%s", cases[i].in);
		assert_string_equal(error_text(&e), cases[i].out);
	}
}

static void a_null_error_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, -EIO, "x"), -EIO);
	errno = EPERM;
	assert_int_equal(error_errno(NULL, "x"), -EPERM);
	error_context(NULL, "x");
	assert_string_equal(error_text(NULL), "");
}

static void long_texts_are_cut(void **state)
{
	struct error e = ERROR_INIT;
	char text[2000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&e, -EIO, "%s", text);
	assert_int_equal(strlen(error_text(&e)), sizeof(e.text) - 1);
	error_context(&e, "%s", text);
	assert_int_equal(strlen(error_text(&e)), sizeof(e.text) - 1);
	errno = EIO;
	error_errno(&e, "%s", text);
	assert_int_equal(strlen(error_text(&e)), sizeof(e.text) - 1);
}

static void errors_that_do_not_depend_on_the_content_are_transient(void **state)
{
	static const int transient[] = {-ENOMEM, -ENOSPC, -EDQUOT, -EMFILE, -EINTR};
	static const int verdicts[] = {0, 1, -EINVAL, -EAGAIN, -EFBIG, -ENOENT, -EIO, -EROFS};

	(void)state;
	for (size_t i = 0; i < sizeof(transient) / sizeof(transient[0]); i++)
		if (!error_is_transient(transient[i]))
			fail_msg("%s", strerror(-transient[i]));
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (error_is_transient(verdicts[i]))
			fail_msg("%d", verdicts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_and_context_build_one_line),
		cmocka_unit_test(control_characters_become_question_marks),
		cmocka_unit_test(a_null_error_is_allowed),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(errors_that_do_not_depend_on_the_content_are_transient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
