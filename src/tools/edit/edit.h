/* SPDX-License-Identifier: Zlib */
/*
 * edit: change tiles and areas of a map by a list of operations. A format that can do so has a
 * struct edit_tool. The operations are parsed before a map is opened (parse.c).
 */
#pragma once

#include "formats/format.h"
#include "formats/images.h"

enum edit_kind {
	EDIT_REPLACE,
	EDIT_FILL,
	EDIT_CLEAR,
	EDIT_AREA,
	EDIT_CROP,
	EDIT_EXTEND,
	EDIT_SHIFT,
	EDIT_GAMETILES,
};

enum { EDIT_SIDE_MAX = 100000 /* tiles: the largest number of an operation */, EDIT_ANY = -1 };

/* [FIELD:]VALUE[:FLAGS] */
struct edit_value {
	const char *field; /* name of a plane, a constant; "id" if none is given */
	int32_t value;
	int32_t flags; /* only with "id"; EDIT_ANY if none are given */
};

struct edit_operation {
	enum edit_kind kind;
	char *text;        /* as typed, for reports; owned */
	int32_t box[4];    /* X, Y, W, H; EXTEND: left, top, right, bottom; SHIFT: DX, DY */
	int32_t source[2]; /* AREA: the corner in the other map */
	struct edit_value old, fresh; /* old: REPLACE only. GAMETILES: fresh is the id to set */
	const char *name; /* AREA: the other map. GAMETILES: the design layer. Borrowed */
	const struct snapshot *other; /* AREA: the other map; set by edit_run */
};

enum edit_report {
	EDIT_CHANGED, /* what was done with a path */
	EDIT_NOTE,    /* an operation had nothing to do, or all; `path` is NULL */
	EDIT_LEFT,    /* why a requested change was not made */
};

struct edit {
	struct edit_operation *operations;
	size_t n, room;
	const char *const *layers; /* --layer: paths or patterns, NULL-ended; NULL: all layers */
	bool front;                /* `gametiles` writes to the front layer */
	struct images *images;     /* images of the game; not NULL; edit_run owns it */

	void (*say)(void *arg, enum edit_report what, const char *path, const char *text);
	void *arg;
};

struct edit_tool {
	/* Perform the operations on a map that was just opened. *ret is the map to save instead of
	 * s, or NULL if nothing changes. Any thread. -ENOENT: a layer that was
	 * named does not exist. -EINVAL: an operation is refused, or the map shows nothing but
	 * raw/. -EIO; -E2BIG: more decoded tiles than a bound. */
	int (*edit)(const struct snapshot *s, const struct edit *how, struct snapshot **ret,
		struct error *e);
};

/* Parse the n words of a command line into how->operations, which borrow them; how->layers is set
 * before. -EINVAL names the operation, and what it expects. Call edit_finish in any case. */
int edit_parse(struct edit *how, char **words, int n, struct error *e);
void edit_finish(struct edit *how);
