/* SPDX-License-Identifier: Zlib */
/* Internal to tool: what its two parts share. */
#pragma once

#include "formats/torchlight/wire/archive.h"

void emit(const struct buffer *out); /* to stdout */

/* tool_rewrite.c: the archive made anew, section, then manifest, to stdout. */
int rewrite(const struct archive *a, struct error *e);
