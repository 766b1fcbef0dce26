/* SPDX-License-Identifier: Zlib */
/*
 * content: what the files of the three maps say, in words that mean the same in all of them.
 *
 * In a JSON file the name of an object is its number and what it is called, and one object has
 * another number in each map. Here it stands as a byte 1 and merged.number in decimal: "\1" "17"
 * between the quotes, which no JSON file can hold. So two files that name the same objects have the
 * same bytes. It takes that the directories that are named were matched before.
 */
#pragma once

#include "cli/merging/merged.h"
#include "cli/offline/reader.h"

enum { CONTENT_MAX = 1 << 30 }; /* bytes of a file; a larger one is no text */

/* -EIO and such: it cannot be read. */
int content_read(struct merge *m, enum which w, struct item *i, struct bytes **ret);
/* Finds digest, sketch, sort and uses of an item, and of all below it: of what it says, which is
 * not all of its bytes (unset.h). What cannot be read is the same as anything else that cannot. */
int content_know(struct merge *m, enum which w, struct item *i);
/* How alike are two, which are known: 0 to 1000. */
unsigned content_alike(const struct item *a, const struct item *b);
/* One side's file, line by line, since it may be too large for memory; each object by what `name`
 * says of it (NULL: nothing, and then null stands there). name == NULL: they stay numbers. */
typedef const char *(*content_name)(const struct merged *x);
int content_open(
	struct merge *m, enum which w, struct item *i, content_name name, struct reader *ret);
/* The same of what was decided for it: what both sides made of it, or else theirs. */
int content_open_merged(struct merge *m, struct merged *x, content_name name, struct reader *ret);
/* Calls fn with the number of each object that a content names. */
void content_uses(const struct bytes *in, void (*fn)(void *arg, size_t number), void *arg);
bool content_is_json(const struct merge *m, const struct item *i);
