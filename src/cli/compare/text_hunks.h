/* SPDX-License-Identifier: Zlib */
/* text_hunks: how one text differs from another. */
#ifndef CLI_COMPARE_TEXT_HUNKS_H
#define CLI_COMPARE_TEXT_HUNKS_H

#include "cli/offline/reader.h"

/*
 * Adds hunks as diff -u has them, without its head; what is there is printed (output_text) where
 * it is long. Of more than some hundred lines the rest is only counted. 1; 0: they are no texts, or
 * have too many lines, and nothing is added; -errno. full: all of the lines, and of any number.
 */
int text_hunks(struct reader *a, struct reader *b, bool full, struct buffer *out);

#endif
