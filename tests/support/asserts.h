/* SPDX-License-Identifier: Zlib */
/*
 * Assertions about calls that fill a struct error. Both macros use a variable `err` of the caller.
 * Include cmocka.h, which needs other headers before it, first.
 */
#pragma once

#include <string.h>

#include "base/error.h"

#define assert_ok(call)                                                                            \
	do {                                                                                       \
		struct error *shown_ = &err;                                                       \
		int r_ = (call);                                                                   \
		if (r_ < 0)                                                                        \
			fail_msg("%s: %d, %s", #call, r_, error_text(shown_));                     \
	} while (0)

/* Assert that the call fails with this errno, and that its text contains `what`. */
#define assert_fails(call, errnum, what)                                                           \
	do {                                                                                       \
		err = (struct error)ERROR_INIT;                                                    \
		assert_int_equal((call), -(errnum));                                               \
		assert_int_equal(err.code, -(errnum));                                             \
		if (!strstr(err.text, what))                                                       \
			fail_msg("\"%s\" lacks \"%s\"", err.text, what);                           \
	} while (0)
