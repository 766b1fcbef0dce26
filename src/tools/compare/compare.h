/* SPDX-License-Identifier: Zlib */
/* compare: how one file of a map differs from another, in lines for people. */
#pragma once

#include <stdbool.h>

#include "codec/text/area.h"
#include "tools/compare/text_hunks.h"

/* Readers are read from their begin, wherever they are, and are left anywhere. */

/* Two tables of as many lines and columns: the cells that changed, and the
 * rectangle that they are in; of such of numbers alone, which are those of layers, with x and y,
 * and if they have not as many, the same where both have cells. TOLD_ALL: all of the cells, also
 * those that only one has and that are not 0, printed where that is much. 1; 0: they are the same,
 * and nothing is added; -ENOTSUP: they are no such tables, and nothing is added; or -errno. */
int compare_tables(struct reader *a, struct reader *b, enum told_length much, struct buffer *out);
/* Two PNG: the sides, or the rectangle of pixels that changed. false likewise. */
bool compare_images(struct reader *a, struct reader *b, struct buffer *out);
/* Are they the same bytes? 1, 0; -errno, and which of them cannot be read. */
int compare_bytes(struct reader *a, struct reader *b, struct reader **ret_failed);
