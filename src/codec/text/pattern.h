/* SPDX-License-Identifier: Zlib */
/*
 * pattern: POSIX regular expressions, matched by the C library in the C locale.
 *
 * For some patterns the C library overflows the stack or takes unbounded memory. So a pattern is
 * refused if it has back references, parentheses nested deeper than PATTERN_DEPTH_MAX, or more than
 * PATTERN_SIZE_MAX characters. Repetitions are counted expanded: "(ab){3}" counts as ababab.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PATTERN_DEPTH_MAX = 100, PATTERN_SIZE_MAX = 4096 };

/* Check a pattern, and compile it with regcomp and its flags. -EINVAL: the pattern is refused, here
 * or by regcomp; -ENOMEM. On success the caller frees *ret with regfree. */
int pattern_compile(const char *text, int flags, regex_t *ret, struct error *e);

/* Does the pattern match a part of the n bytes, which need no NUL at the end? Returns false if
 * regexec runs out of memory. Any thread. */
bool pattern_matches(const regex_t *p, const char *text, size_t n);
