/* SPDX-License-Identifier: Zlib */
/* text_hunks: show how one text differs from another. */
#pragma once

#include "vfs/offline/reader.h"

/* How much of a difference to show. */
enum told_length {
	TOLD_SOME, /* the first lines or cells */
	TOLD_ALL,  /* all of them */
	TOLD_PAGE, /* like TOLD_SOME, TOLD_BYTES of a line or cell at most; prints nothing itself */
};
enum { TOLD_BYTES = 400 };

/* Number of bytes to show of a text of n bytes. Does not split a UTF-8 character. */
size_t told_bytes(enum told_length much, const char *text, size_t n);

/*
 * Append hunks as diff -u prints them, without its header. Long output is printed on the way
 * (output_text), unless `much` is TOLD_PAGE. Shows 200 changed lines of each text, and counts the
 * rest; TOLD_ALL shows all. Returns 1; 0 if a file is no text or has too many lines (appends
 * nothing); or -errno.
 */
int text_hunks(struct reader *a, struct reader *b, enum told_length much, struct buffer *out);
