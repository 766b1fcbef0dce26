/* SPDX-License-Identifier: Zlib */
/* text_hunks: show how one text differs from another. */
#pragma once

#include "vfs/offline/reader.h"

/* How much of a difference to show. */
enum detail_length {
	DETAIL_SOME, /* the first lines or cells */
	DETAIL_ALL,  /* all of them */
	DETAIL_PAGE, /* like DETAIL_SOME, DETAIL_BYTES of a line or cell at most; prints nothing
			itself */
};
enum { DETAIL_BYTES = 400 };

/* Number of bytes to show of a text of n bytes. Does not split a UTF-8 character. */
size_t detail_bytes(enum detail_length much, const char *text, size_t n);

/*
 * Append hunks as diff -u prints them, without its header. Long output is printed on the way
 * (output_text), unless `much` is DETAIL_PAGE. Shows 200 changed lines of each text, and counts the
 * rest; DETAIL_ALL shows all. Call digest_init (digest.h) before. Returns 1, also for equal texts;
 * 0 if a file is no text or has too many lines (appends nothing); or -errno.
 */
int text_hunks(struct reader *a, struct reader *b, enum detail_length much, struct buffer *out);
