/* SPDX-License-Identifier: Zlib */
/*
 * item: the files and directories of one of the maps that are merged.
 *
 * Where a format deals numbers (format.h: numbered), what stands in a directory under a name that
 * begins with digits is an object, and its name is what follows them.
 */
#pragma once

#include "tools/compare/digest.h"
#include "tools/join/join.h"
#include "vfs/offline/calls.h"

enum { SKETCH = 48 };

struct merged;

struct item {
	struct item *up; /* NULL: the root */
	enum which in;   /* of which map */
	char *path, *name;
	bool dir, object;
	char *bare;         /* of an object: its name, without number and ending */
	const char *ending; /* ".png", in name; "" of a directory */
	struct item **below;
	size_t n, room;
	size_t place;      /* in up->below */
	struct merged *of; /* what it is in the merge; merged.h */
	/* pairs.h: what it is in another map, and whether that is in doubt */
	struct item *is[SIDES];
	bool doubt;
	bool namesake; /* pairs.c: the other list has one of its name and directory, too */

	/* content.h */
	bool known;
	struct digest digest;    /* of its content, not of its name */
	uint64_t sketch[SKETCH]; /* the least hashes of its lines, sorted */
	unsigned n_sketch;
	uint64_t sort;  /* what it has for good (tools/merge/schema.h: sorts); 0: nothing */
	uint64_t drawn; /* what it is drawn with (tools/merge/schema.h: drawn); 0: nothing */
	bool once;      /* a map has one of that sort at most, or of what is in it */
	char unset[24]; /* what it has that says nothing (tools/merge/schema.h: unset); "" */
	size_t *uses;   /* the objects that it names, by their number */
	size_t n_uses, room_uses;
};

struct side {
	struct offline tree;
	struct item *root;
};

/* All that is in the tree, or an empty root where there is none. numbered: it has objects. */
int side_read(struct side *s, enum which in, bool numbered);
void side_finish(struct side *s);

/* One below up, with which it is freed; it is no object. NULL: no memory. */
struct item *item_new(struct item *up, const char *path, bool dir);

/* The length of the number that a name begins with; 0: there is none, or something else follows. */
size_t item_number(const char *name, size_t n);
/* The first file or directory of that name below; NULL. */
struct item *item_named(const struct item *dir, const char *name);
