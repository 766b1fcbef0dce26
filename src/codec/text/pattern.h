/* SPDX-License-Identifier: Zlib */
/*
 * pattern: regular expressions of POSIX, matched by the C library in the C locale.
 *
 * For some patterns the C library overflows the stack or takes memory without a bound. So a pattern
 * is refused if it has back references, parentheses nested deeper than PATTERN_DEPTH_MAX, or
 * more than PATTERN_SIZE_MAX characters. A repetition counts as it is written out: "(ab){3}" as
 * ababab.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PATTERN_DEPTH_MAX = 100, PATTERN_SIZE_MAX = 4096 };

/* Check a pattern, and compile it with regcomp and these flags of it. -EINVAL: the pattern is
 * refused, here or by regcomp; -ENOMEM. On success the caller frees *ret with regfree. */
int pattern_compile(const char *text, int flags, regex_t *ret, struct error *e);

/* Does the pattern match any part of the n bytes? No NUL is needed behind them. If regexec runs out
 * of memory, the pattern does not match. Any thread. */
bool pattern_matches(const regex_t *p, const char *text, size_t n);
