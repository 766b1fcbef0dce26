/* SPDX-License-Identifier: Zlib */
/* json_line: helper for reports with one JSON object on each line. */
#pragma once

#include "base/buffer.h"

/* Append `before` as it is, and value as a JSON string; null if value is NULL. */
void json_line_text(struct buffer *out, const char *before, const char *value);
