/* SPDX-License-Identifier: Zlib */
/*
 * world: a mounted map as the overlay sees the format, for tests of structure: objects are created,
 * put, moved and removed, then the map is finalized, written and read again.
 */
#pragma once

#include "tw_test.h"

enum { WORLD_PLACES = 256 };

struct world {
	struct fixture f;
	struct snapshot *now;
	struct placement places[WORLD_PLACES]; /* in order of time; names are malloc'ed */
	size_t n;
	struct snapshot *finalized; /* set by world_finalize */
	struct fixture after;       /* the written file, read again */
	bool wrote;
	char report[8192]; /* one line each */
};

void world_open(struct world *w, const char *map);
void world_create(struct world *w);
void world_close(struct world *w);

/* Add an object or part at this place, and return its id. */
entry_id world_add(struct world *w, const char *dir, const char *name, bool is_dir);
/* The same below a new directory, which is given by id. */
entry_id world_add_in(struct world *w, entry_id dir, const char *name, bool is_dir);
/* Put content. Returns 1 if it changed, 0 if not, or the error of parse. */
int world_put(struct world *w, entry_id id, const void *data, size_t n, struct error *e);
int world_put_text(struct world *w, entry_id id, const char *text, struct error *e);
/* Put content that must be accepted. */
void world_set(struct world *w, entry_id id, const char *text);
/* Add a new file with content. */
entry_id world_copy(
	struct world *w, const char *dir, const char *name, const struct bytes *content);

/* The current name of an entry; NULL if it is that of the mount. */
const char *world_name(const struct world *w, entry_id id);
void world_move(struct world *w, entry_id id, entry_id dir, const char *name);
void world_remove(struct world *w, entry_id id);

int world_try(struct world *w, struct error *e); /* Finalize only. */
/* Finalize, check that the written file reads back, and open it. */
void world_finalize(struct world *w);
/* The names in a directory of the written map, each followed by a blank. */
const char *world_list(struct world *w, const char *dir);
bool world_said(const struct world *w, const char *text);
/* Does the written file equal the file that was opened? */
bool world_is_unchanged(const struct world *w);

/* Integer i of the item at a position of its type in the written map. */
int32_t world_int(const struct world *w, unsigned type, int position, uint32_t i);

/*
 * Integers of the data item that a field of the item refers to, in the written map; valid until the
 * next call.
 */
const int32_t *world_ints(struct world *w, unsigned type, int position, uint32_t field);
/* Check the first integers of an item of the written map. */
void world_item(const struct world *w, unsigned type, int position, size_t n, const int32_t *v);
#define ITEM(w, type, position, ...)                                                               \
	world_item(w, type, position, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t),          \
		(const int32_t[]){__VA_ARGS__})
/* Check the range of a group in the written map. */
void world_range(const struct world *w, int group, int start, int count);

/* A PNG in canonical form with all bytes equal to `value`. */
struct bytes *world_png(uint32_t w, uint32_t h, uint8_t value);
