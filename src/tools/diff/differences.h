/* SPDX-License-Identifier: Zlib */
/* differences: find and print the differences of two maps, after digest_init (compare/digest.h). */
#pragma once

#include "tools/diff/difference.h"

/* Match the maps and print all differences. With m.numbered, an object also matches under another
 * number. -errno: stopped before the end. A file that cannot be compared only sets has_errors. */
int differences_print(struct differences *d);
