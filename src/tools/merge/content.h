/* SPDX-License-Identifier: Zlib */
/*
 * content: the contents of the files of the three maps, made comparable.
 *
 * A JSON file refers to an object by its position and name, and the position of one object differs
 * from map to map. CONTENT_NUMBERS replaces each such name by a byte 1 and merge_node.number
 * in decimal: "\1" "17" between the quotes, which no JSON file can contain. Two files that refer to
 * the same objects then have the same bytes. An integer without meaning (tools/merge/schema.h:
 * unset) is replaced by a byte 2. The referenced directories must be matched before (steps.h).
 */
#pragma once

#include <string.h>

#include "tools/merge/merge_node.h"
#include "vfs/offline/reader.h"

enum { CONTENT_MAX = 1 << 30 }; /* bytes: the highest `most` for content_read */

/* Read a whole file with CONTENT_NUMBERS. -EFBIG: the file has more than `most` bytes. */
int content_read(struct merge *m, struct merge_item *i, size_t most, struct bytes **ret);
/* Fill in the fields of an item, and of all items below it, that describe its content: from
 * is_scanned to uses. Does nothing if the item was scanned before. All unreadable files count as
 * equal. -ENOMEM. */
int content_scan(struct merge *m, struct merge_item *i);
/* Similarity of two scanned files or directories, from 0 to 1000. 1000: they are equal. */
unsigned content_similarity(const struct merge_item *a, const struct merge_item *b);
/* How content_open writes the name of an object: as its number, or as old_name or new_name of its
 * merge node. A name that is NULL becomes null. */
enum content_names { CONTENT_NUMBERS, CONTENT_OLD_NAMES, CONTENT_NEW_NAMES };
/* Open a file of one side for reading line by line. Close the reader also on failure. */
int content_open(
	struct merge *m, struct merge_item *i, enum content_names names, struct reader *ret);
/* Open merge_node.content, or theirs if !has_content; with old names. Close ret even on failure. */
int content_open_merged(struct merge *m, struct merge_node *x, struct reader *ret);
/* Set used[number] to true for each merge node that a content with CONTENT_NUMBERS refers to. */
void content_uses(const struct bytes *in, bool *used);
static inline bool content_is_json(const struct merge_item *i)
{
	size_t n = strlen(i->name);

	return !i->is_dir && n > 5 && strcmp(i->name + n - 5, ".json") == 0;
}
