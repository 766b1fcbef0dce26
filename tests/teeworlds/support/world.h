/* SPDX-License-Identifier: Zlib */
/*
 * world: a mounted map as the tree above the format sees it, for tests of structure: objects are
 * made, put, moved and removed, then the map is finalized, written and read again.
 */
#pragma once

#include "tw_test.h"

enum { WORLD_PLACES = 256 };

struct world {
	struct fixture f;
	struct snapshot *now;
	struct placement places[WORLD_PLACES]; /* in order of time; names are malloc'ed */
	size_t n;
	struct snapshot *finalized; /* after world_finalize */
	struct fixture after;       /* ... and the file that it was written to, read again */
	bool wrote;
	char report[8192]; /* a line each */
};

void world_open(struct world *w, const char *map);
void world_create(struct world *w);
void world_close(struct world *w);

/* An object or part that is new: its id. It is placed there. */
entry_id world_add(struct world *w, const char *dir, const char *name, bool is_dir);
/* The same below a directory that is new itself, by id. */
entry_id world_add_in(struct world *w, entry_id dir, const char *name, bool is_dir);
/* Its content: 1, 0 (says what stands there), or what parse says. */
int world_put(struct world *w, entry_id id, const void *data, size_t n, struct error *e);
int world_put_text(struct world *w, entry_id id, const char *text, struct error *e);
/* Must be taken. */
void world_set(struct world *w, entry_id id, const char *text);
/* A whole new file: made and put. */
entry_id world_copy(
	struct world *w, const char *dir, const char *name, const struct bytes *content);

/* What it is called in the tree; NULL: as at the mount. */
const char *world_name(const struct world *w, entry_id id);
void world_move(struct world *w, entry_id id, entry_id dir, const char *name);
void world_remove(struct world *w, entry_id id);

int world_try(struct world *w, struct error *e); /* finalize alone */
/* finalize, check that the written file reads back, open it. */
void world_finalize(struct world *w);
/* The names in a directory of the written map, each ended by a blank. */
const char *world_list(struct world *w, const char *dir);
bool world_said(const struct world *w, const char *text);
/* The written file has the bytes of the one that was opened. */
bool world_is_unchanged(const struct world *w);

/* Integer i of the item at a position of its type in the written map. */
int32_t world_int(const struct world *w, unsigned type, int position, uint32_t i);

/* Integers of the data item that an item's field names, in the written map; good until the next
 * call. */
const int32_t *world_ints(struct world *w, unsigned type, int position, uint32_t field);
/* The first integers of an item of the written map are these. */
void world_item(const struct world *w, unsigned type, int position, size_t n, const int32_t *v);
#define ITEM(w, type, position, ...)                                                               \
	world_item(w, type, position, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t),          \
		(const int32_t[]){__VA_ARGS__})
/* The range of a group in the written map. */
void world_range(const struct world *w, int group, int start, int count);

/* A PNG of the canonical form, every byte of it `value`. */
struct bytes *world_png(uint32_t w, uint32_t h, uint8_t value);
