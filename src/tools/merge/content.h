/* SPDX-License-Identifier: Zlib */
/*
 * content: what the files of the three maps say, in words that mean the same in all of them.
 *
 * In a JSON file the name of an object is its number and what it is called, and one object has
 * another number in each map. Here it stands as a byte 1 and merged.number in decimal: "\1" "17"
 * between the quotes, which no JSON file can hold. So two files that name the same objects have the
 * same bytes. What says nothing (tools/merge/schema.h: unset) stands as a byte 2. It takes that the
 * directories that are named were matched before.
 */
#pragma once

#include <string.h>

#include "tools/merge/merged.h"
#include "vfs/offline/reader.h"

enum { CONTENT_MAX = 1 << 30 }; /* bytes of a file; a larger one is no text */

/* -EIO and such: it cannot be read; -EFBIG: it has more than most bytes. */
int content_read(struct merge *m, struct item *i, size_t most, struct bytes **ret);
/* Finds digest, sketch, sort and uses of an item, and of all below it: of what it says. What cannot
 * be read is the same as anything else that cannot. */
int content_know(struct merge *m, struct item *i);
/* How alike are two, which are known: 0 to 1000. */
unsigned content_alike(const struct item *a, const struct item *b);
/* One side's file, line by line, since it may be too large for memory; each object stands as a
 * number, or by its name (merged.h: now, later), or null where it has none. */
enum content_names { CONTENT_NUMBERS, CONTENT_NOW, CONTENT_LATER };
int content_open(struct merge *m, struct item *i, enum content_names names, struct reader *ret);
/* The same of what was decided for it: what both sides made of it, or else theirs; names of now. */
int content_open_merged(struct merge *m, struct merged *x, struct reader *ret);
/* Sets used[] of the number of each object that a content names. */
void content_uses(const struct bytes *in, bool *used);
static inline bool content_is_json(const struct item *i)
{
	size_t n = strlen(i->name);

	return !i->dir && n > 5 && strcmp(i->name + n - 5, ".json") == 0;
}
