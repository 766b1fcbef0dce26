/* SPDX-License-Identifier: Zlib */
/*
 * merge_item: the files and directories of one of the maps that are merged.
 *
 * In a format with numbered objects (format.has_positions), a file or directory whose name begins
 * with a number is an object. Its bare name is the part behind the number and before the ending.
 */
#pragma once

#include "tools/compare/digest.h"
#include "tools/join/join.h"
#include "vfs/offline/calls.h"

enum { SKETCH = 48 };

struct merge_node;

struct merge_item {
	struct merge_item *parent; /* NULL for the root */
	enum which side;           /* the map that the item belongs to */
	char *path, *name;
	bool is_dir, is_object;
	char *bare;         /* of an object: its name without number and ending; else NULL */
	const char *ending; /* ".png", a part of name; "" if none, or without numbered objects */
	struct merge_item **children;
	size_t n, room;
	size_t position;         /* index in parent->children */
	struct merge_node *node; /* its merge node (merge_node.h); NULL until match_all made it */
	/* The matching item in each other map (pairs.h), or NULL. */
	struct merge_item *matches[SIDES];
	bool is_ambiguous; /* a match is a guess; set in the first of both (BASE, OURS, THEIRS) */
	bool has_namesake; /* pairs.c: the other of the two maps has its name in its directory */

	/* Set by content_scan (content.h). */
	bool is_scanned;
	struct digest digest;    /* of the content without the name */
	uint64_t sketch[SKETCH]; /* the smallest hashes of its lines, sorted */
	unsigned n_sketch;
	uint64_t kind;  /* hash of what never changes (merge_schema.kinds); 0 if nothing */
	uint64_t drawn; /* hash of what it is drawn with (merge_schema.drawn_with); 0 if nothing */
	bool is_unique; /* a map has at most one item of this kind, or of a kind below it */
	char unset[24]; /* the integer without meaning (schema.h: unset), as text; or "" */
	size_t *uses;   /* merge_node.number of each object that the file refers to; may repeat */
	size_t n_uses, room_uses;
};

struct side {
	struct offline tree;     /* opened and loaded by the caller, or all zero: there is no map */
	struct merge_item *root; /* its path and name are "" */
};

/* Read the items of s->tree, without merge_schema.hidden_in (schema.h). Without a map the root is
 * empty. numbered: the format has numbered objects. -errno; finish s also then. */
int side_read(struct side *s, enum which in, bool numbered);
void side_finish(struct side *s); /* frees the items, and closes the tree */

/* Create an item that is no object, as the last child of `parent`, on its side. `parent` frees it;
 * NULL for a root. path is copied. Returns NULL if memory is exhausted. */
struct merge_item *item_new(struct merge_item *parent, const char *path, bool dir);

/* Length of the number at the beginning of a name, which must end or continue with '_'. 0 if there
 * is no such number. */
size_t item_number(const char *name, size_t n);
/* First child with this name, or NULL. dir may be NULL. */
struct merge_item *item_named(const struct merge_item *dir, const char *name);
