/* SPDX-License-Identifier: Zlib */
/* Shared by the two sources of the tool. */
#pragma once

#include "formats/torchlight/wire/archive.h"

void emit(const struct buffer *out); /* writes to stdout */

/* Encode the whole archive again and write it to stdout: section, then manifest. */
int rewrite(const struct archive *a, struct error *e);
