/* SPDX-License-Identifier: Zlib */
/*
 * pairs: which objects of two lists are the same.
 *
 * Both lists are of directories that were matched. Equal ones of one directory are the same, in
 * their order. Of the rest those that are most alike, where a name and a directory that are the
 * same count for more than another one a little more alike. A directory of another name has to be
 * very much alike and drawn with the same; a file of another name, and what has another name and
 * another directory, has to be equal. Then what is left under one name in a directory, if there are
 * as many of them in both.
 *
 * Without a base, which would tell a change from another object, only directories that have one
 * name, are drawn with the same and are alike beyond doubt are the same, and what is equal.
 */
#pragma once

#include "tools/merge/item.h"

struct pairs {
	struct item **at[2];
	size_t n[2], room[2];
	enum which in[2]; /* the maps that they are of, the lesser first */
};

/* Sets item.is of those of both lists that are free, and item.doubt of the first's. They are known
 * (content.h), and so is what their directories are (item.of). -ENOMEM. */
int pairs_find(const struct pairs *p);
/* Only those of equal name, content and directory. */
int pairs_find_equal(const struct pairs *p);
/* Those of two items. */
void pairs_join(struct item *a, struct item *b, bool doubt);
