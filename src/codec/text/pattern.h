/* SPDX-License-Identifier: Zlib */
/*
 * pattern: regular expressions of POSIX, matched by the C library in the C locale.
 *
 * For some patterns the C library overflows the stack or takes memory without a bound. So a pattern
 * is refused if it has back references, parentheses nested deeper than PATTERN_DEPTH_MAX, or counts
 * that make it longer than PATTERN_SIZE_MAX when written out. A match takes at most as many steps
 * as the square of the text's length.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PATTERN_DEPTH_MAX = 100, PATTERN_SIZE_MAX = 4096 };

/* regcomp with the flags REG_EXTENDED and REG_ICASE. -EINVAL: the pattern is refused. The caller
 * frees *ret with regfree. */
int pattern_compile(const char *text, int flags, regex_t *ret, struct error *e);

/* Does the pattern match any part of the n bytes? */
bool pattern_matches(const regex_t *p, const char *text, size_t n);
