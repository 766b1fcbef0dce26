/* SPDX-License-Identifier: Zlib */
/* text_hunks: how one text differs from another. */
#ifndef CLI_TEXT_HUNKS_H
#define CLI_TEXT_HUNKS_H

#include "base/buffer.h"
#include "base/bytes.h"

/* Adds hunks as diff -u has them, without its head. -ENOMEM. */
int text_hunks(const struct bytes *a, const struct bytes *b, struct buffer *out);

#endif
