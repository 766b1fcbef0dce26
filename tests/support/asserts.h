/* SPDX-License-Identifier: Zlib */
/*
 * What cmocka's assertions lack: the outcome of a call that fills a struct error. Both speak of a
 * variable `err` in sight. cmocka.h, which wants headers before it, comes first.
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

/* The call fails with this errno, and its text holds what. */
#define assert_fails(call, errnum, what)                                                           \
	do {                                                                                       \
		err = (struct error)ERROR_INIT;                                                    \
		assert_int_equal((call), -(errnum));                                               \
		assert_int_equal(err.code, -(errnum));                                             \
		if (!strstr(err.text, what))                                                       \
			fail_msg("\"%s\" lacks \"%s\"", err.text, what);                           \
	} while (0)
