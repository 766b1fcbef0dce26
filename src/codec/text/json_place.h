/* SPDX-License-Identifier: Zlib */
/*
 * json_place: scan JSON text through a window, and find the line and column of values. The scan
 * accepts malformed text; jansson refuses it. Internal to codec.
 */
#pragma once

#include "codec/text/json.h"

enum { JSON_WINDOW = 16 << 10 };

#define JSON_BEGIN ((struct json_spot){1, 1})
#define JSON_MARK  "\xef\xbb\xbf" /* the byte order mark of some editors */

struct json_scan {
	const struct extent *x; /* the caller sets the members down to jump_to, zeroes the others */
	struct error *e;        /* may be NULL */
	struct json_spot at;    /* of the next byte, in the file */
	uint64_t jump; /* if not 0: offset in x after elements that json_list_read removed */
	struct json_spot jump_to; /* of the byte at that offset, in the file */
	int error;                /* sticky */

	uint64_t read; /* bytes of x that were read into `window` */
	size_t i, n;
	uint8_t window[JSON_WINDOW];
};

/* Advance a line and column past the byte c. */
static inline void json_spot_pass(struct json_spot *s, int c)
{
	s->column += (c & 0xc0) != 0x80;
	if (c == '\n')
		*s = (struct json_spot){s->line + 1, 1};
}

/* Number of bytes scanned so far. */
uint64_t json_scan_offset(const struct json_scan *r);
/* The next byte; -1 at the end, and after an error. */
int json_peek(struct json_scan *r);
/* Refuse the text at the next byte, unless an error is set. Returns the error of the scan. */
int json_scan_refuse(struct json_scan *r, const char *why);

/* Scan the byte (not -1) that json_peek returned, and append it to `to` (may be NULL, also below).
 * Refuses the text if `to` already has JSON_TEXT_MAX bytes. A failed append sets only to->error. */
void json_move(struct json_scan *r, struct buffer *to);
void json_move_blanks(struct json_scan *r, struct buffer *to);
/* Scan a string, from its first quote, which is next, to its last or to the end of the text. */
void json_move_string(struct json_scan *r, struct buffer *to);
/* Scan a value, which is next, and the blanks after it: up to `,`, `]`, `}` or the end. */
void json_move_value(struct json_scan *r, struct buffer *to);

struct json_place {
	struct json_spot spot; /* in the document's file */
	const char *text;      /* the value as written, never NULL; part of the document's text */
	size_t n;
};

/* Find a value, else the innermost value on its path that can be found: jansson keeps no lines. */
struct json_place json_place(const struct json_at *at);

/* Convert a place in the document's text to one in its file, of which the text may be a part. */
struct json_spot json_spot_of(const struct json_doc *d, struct json_spot in_text);

/* An upper bound for the number of values that jansson makes of the text. */
size_t json_count(const struct bytes *text);

/* Parse d->text into d->root. Does not limit the number of values. The caller has set all other
 * members, and finishes d in any case. flags: jansson's; duplicate keys are refused in any case. */
int json_doc_parse(struct json_doc *d, size_t flags, struct error *e);
