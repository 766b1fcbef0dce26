/* SPDX-License-Identifier: Zlib */
/* blob_equal: the content of blobs compared, in bounded memory and without decoding where they are
 * the same stored bytes. */
#pragma once

#include "codec/blob.h"

/* Are the decoded bytes the same? NULL equals NULL only. The first may be cached for that, the
 * second is not. */
int blob_equal(struct blob *a, struct blob *b, bool *ret, struct error *e);

/* Is an extent's content (what a user wrote) that of the blob? */
int blob_equals_extent(struct blob *b, const struct extent *x, bool *ret, struct error *e);
