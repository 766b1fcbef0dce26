/* SPDX-License-Identifier: Zlib */
/* blob_equal: compare the decoded bytes of blobs, in bounded memory. Blobs that share their stored
 * bytes are equal without decoding. */
#pragma once

#include "codec/blob.h"

/* Compare two blobs; materializes both. NULL equals NULL only. This may cache a, but never b. */
int blob_equal(struct blob *a, struct blob *b, bool *ret, struct error *e);

/* Compare the decoded bytes of a blob, which the cache may keep, with an extent of any size. */
int blob_equals_extent(struct blob *b, const struct extent *x, bool *ret, struct error *e);
