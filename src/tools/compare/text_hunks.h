/* SPDX-License-Identifier: Zlib */
/* text_hunks: how one text differs from another. */
#pragma once

#include "vfs/offline/reader.h"

/* How much is told of what differs. */
enum told_length {
	TOLD_SOME,
	TOLD_ALL,  /* of any length */
	TOLD_PAGE, /* as much as TOLD_SOME, of each line or cell so many bytes, and all of it added
		    */
};
enum { TOLD_BYTES = 400 };

/* So many of the n bytes of a text are told: no part of a character. */
size_t told_bytes(enum told_length much, const char *text, size_t n);

/*
 * Adds hunks as diff -u has them, without its head; what is there is printed (output_text) where
 * it is long. Of more than some hundred lines the rest is only counted. 1; 0: they are no texts, or
 * have too many lines, and nothing is added; -errno. TOLD_ALL: all of the lines, and of any
 * number.
 */
int text_hunks(struct reader *a, struct reader *b, enum told_length much, struct buffer *out);
