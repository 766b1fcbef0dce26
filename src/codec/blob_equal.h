/* SPDX-License-Identifier: Zlib */
/* blob_equal: compare the decoded bytes of blobs, in bounded memory. Blobs that share their stored
 * bytes are equal without decoding. */
#pragma once

#include "codec/blob.h"

/* Compare two blobs. NULL equals NULL only. The budget may cache a, but not b. */
int blob_equal(struct blob *a, struct blob *b, bool *ret, struct error *e);

/* Compare the decoded bytes of a blob with the bytes of an extent. */
int blob_equals_extent(struct blob *b, const struct extent *x, bool *ret, struct error *e);
