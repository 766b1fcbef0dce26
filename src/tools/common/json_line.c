/* SPDX-License-Identifier: Zlib */
#include "tools/common/json_line.h"

#include <string.h>

#include "codec/text/json.h"

void json_line_text(struct buffer *out, const char *before, const char *value)
{
	struct jsonw w;

	buffer_text(out, before);
	jsonw_to_buffer(&w, out);
	if (value)
		jsonw_string(&w, value, strlen(value));
	else
		jsonw_null(&w);
}
