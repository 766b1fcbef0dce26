/* SPDX-License-Identifier: Zlib */
/*
 * A tiny map with objects that refer to one another, and what a map file says of them, written and
 * read by code that shares nothing with src/. Contents of files are known by number: equal bytes,
 * equal number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { NAME_SIZE = 16, OBJECTS_MAX = 48, LAYERS = 4, FIELDS = 5 };
enum { NO_CONTENT = -1, NO_REF = -1 };

/* What a file of that name holds, as far as rules 9 to 11 of the layout go. */
enum form { FORM_PNG, FORM_JSON, FORM_OPUS, FORM_LINE, FORM_LONG, FORM_SETTINGS };

/* Contents. */
int content_of(const void *data, size_t n);
const struct bytes *content_bytes(int content);
int content_png(unsigned side, unsigned color, bool canonical);
int content_json(unsigned width, unsigned height, bool canonical);
int content_opus(unsigned seed);
int content_text(const char *text);
int content_cut(int content, size_t n);
/* What the file shows once it was closed with that content; NO_CONTENT: it is refused. */
int content_judge(enum form form, int content);

struct map_object {
	char name[NAME_SIZE];
	int content; /* canonical */
};

/* What a map file says. Layers: 0 tiles and 1, 2 quads, which refer to images; 3 sounds. */
struct map_says {
	struct map_object images[OBJECTS_MAX], sounds[OBJECTS_MAX];
	unsigned n_images, n_sounds;
	int refs[LAYERS];
	int info[FIELDS]; /* contents as the mount shows them */
};

extern const char *const layer_paths[LAYERS];

struct bytes *structure_map(void);
void structure_map_says(struct map_says *ret);
bool map_read(const struct bytes *map, struct map_says *ret);
