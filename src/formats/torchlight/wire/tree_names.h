/* SPDX-License-Identifier: Zlib */
/* tree_names: in a directory of an archive each name is there once, and they are sorted. */
#pragma once

#include "base/buffer.h"
#include "formats/torchlight/wire/tree.h"

/* Sorts d's children and gives those whose names are taken others, which it appends to text: the
 * names so far, in the order that gives precedence. -ENOMEM. */
int tree_name_dir(const struct tree *t, const struct tree_dir *d, struct buffer *text);

/* The child of that name in a directory that is sorted, by names in text; NULL: none. */
const struct tree_child *tree_search(
	const struct tree *t, const struct tree_dir *d, const char *text, const char *name);
