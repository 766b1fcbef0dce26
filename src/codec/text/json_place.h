/* SPDX-License-Identifier: Zlib */
/*
 * json_place: where in a file a value stands. Internal to codec.
 *
 * jansson's values do not know; this walks the text, which jansson has accepted, along the path.
 * Only refusals need it.
 */
#pragma once

#include "codec/text/json.h"

struct json_place {
	struct json_spot spot;
	const char *text; /* the value as it is written, in the doc */
	size_t n;
};

struct json_place json_place(const struct json_at *at);

#define JSON_BEGIN ((struct json_spot){1, 1})
#define JSON_MARK  "\xef\xbb\xbf" /* what some editors put at the begin of a file */

/* From where a byte of text stands to where the next one does. */
static inline void json_spot_pass(struct json_spot *s, uint8_t c)
{
	s->column += (c & 0xc0) != 0x80;
	if (c == '\n')
		*s = (struct json_spot){s->line + 1, 1};
}

/* Where a byte of the doc's text stands in the file; the text's end, too. */
struct json_spot json_spot_of(const struct json_doc *d, size_t off);

/* At least as many values as jansson would make of it. */
size_t json_count(const struct bytes *text);

/* Parses d's text, of which all but root is set. flags are jansson's; duplicate keys are refused
 * always. */
int json_doc_parse(struct json_doc *d, size_t flags, struct error *e);
