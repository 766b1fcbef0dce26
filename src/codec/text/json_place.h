/* SPDX-License-Identifier: Zlib */
/*
 * json_place: JSON as it goes by, a window of it at a time, and where in it a value stands. What of
 * it makes no sense is jansson's to refuse. Internal to codec.
 */
#pragma once

#include "codec/text/json.h"

enum { JSON_WINDOW = 16 << 10 };

#define JSON_BEGIN ((struct json_spot){1, 1})
#define JSON_MARK  "\xef\xbb\xbf" /* what some editors put at the begin of a file */

struct json_scan {
	const struct extent *x;
	struct error *e;
	struct json_spot at; /* of the next byte */
	uint64_t jump;       /* not 0: the byte there stands at jump_to */
	struct json_spot jump_to;
	int error; /* sticky */

	uint64_t read; /* bytes of x that were read into window */
	size_t i, n;
	uint8_t window[JSON_WINDOW];
};

/* From where a byte of text stands to where the next one does. */
static inline void json_spot_pass(struct json_spot *s, int c)
{
	s->column += (c & 0xc0) != 0x80;
	if (c == '\n')
		*s = (struct json_spot){s->line + 1, 1};
}

/* How many bytes went by. */
uint64_t json_scan_offset(const struct json_scan *r);
/* The next byte; -1 at the end, and after an error. */
int json_peek(struct json_scan *r);
/* At the next byte; unless there was an error before. Returns that of the scan. */
int json_scan_refuse(struct json_scan *r, const char *why);

/* Passes the byte that json_peek showed, which is added to `to` (may be NULL). */
void json_move(struct json_scan *r, struct buffer *to);
void json_move_blanks(struct json_scan *r, struct buffer *to);
/* At its first quote. */
void json_move_string(struct json_scan *r, struct buffer *to);
/* A value, and the blanks behind it. */
void json_move_value(struct json_scan *r, struct buffer *to);

/* jansson's values do not know where they stand; this walks the text, which jansson has accepted,
 * along the path. Only refusals need it. */
struct json_place {
	struct json_spot spot;
	const char *text; /* the value as it is written, in the doc */
	size_t n;
};

struct json_place json_place(const struct json_at *at);

/* Where that place of the doc's text, which is counted as a file's, stands in the file. */
struct json_spot json_spot_of(const struct json_doc *d, struct json_spot in_text);

/* At least as many values as jansson would make of it. */
size_t json_count(const struct bytes *text);

/* Parses d's text, of which all but root is set. flags are jansson's; duplicate keys are refused
 * always. */
int json_doc_parse(struct json_doc *d, size_t flags, struct error *e);
