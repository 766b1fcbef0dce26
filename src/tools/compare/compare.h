/* SPDX-License-Identifier: Zlib */
/* compare: describe how one file of a map differs from another, in lines for people. */
#pragma once

#include <stdbool.h>

#include "codec/text/area.h"
#include "tools/compare/text_hunks.h"

/* All functions read the files from their beginning, and leave the readers at any position. */

/*
 * Compare two tables: append the number of changed cells, their rectangle and the first of them.
 * Tables of numbers (layers) are shown with x and y, and may differ in size. DETAIL_ALL: show all
 * changed cells, and cells other than 0 that only one table has; long output is printed on the way
 * (output_text). Returns 1; 0 if all cells are equal (appends nothing); -ENOTSUP if they are no
 * such tables; or another -errno.
 */
int compare_tables(struct reader *a, struct reader *b, enum detail_length much, struct buffer *out);
/* Compare two PNG files: append their sizes or, if these are equal, the number and rectangle of
 * changed pixels. Returns false, and appends nothing, if one is no valid PNG or no pixel differs.
 */
bool compare_images(struct reader *a, struct reader *b, struct buffer *out);
/* Are the bytes equal? 1, 0, or -errno with *ret_failed set to the file that cannot be read. */
int compare_bytes(struct reader *a, struct reader *b, struct reader **ret_failed);
