/* SPDX-License-Identifier: Zlib */
/*
 * json_line: an object on a line of its own, put together by whoever writes it.
 */
#pragma once

#include "base/buffer.h"

/* before, and value as a string; NULL: null. */
void json_line_text(struct buffer *out, const char *before, const char *value);
