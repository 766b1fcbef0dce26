/* SPDX-License-Identifier: Zlib */
/*
 * A tiny map with objects that refer to each other, and the content of a map file, with a writer
 * and a reader that share no code with src/. Contents of files have numbers: equal bytes have equal
 * numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { NAME_SIZE = 16, OBJECTS_MAX = 48, LAYERS = 4, FIELDS = 5 };
enum { NO_CONTENT = -1, NO_REF = -1 };

/* The kind of content of a file name, as far as rules 9 to 11 of the layout are concerned. */
enum form { FORM_PNG, FORM_JSON, FORM_OPUS, FORM_LINE, FORM_LONG, FORM_SETTINGS };

/* Contents. */
int content_of(const void *data, size_t n);
const struct bytes *content_bytes(int content);
int content_png(unsigned side, unsigned color, bool canonical);
int content_json(unsigned width, unsigned height, bool canonical);
int content_opus(unsigned seed);
int content_text(const char *text);
int content_cut(int content, size_t n);
/* The content that the file shows after a close with this content; NO_CONTENT if it is refused. */
int content_judge(enum form form, int content);

struct map_object {
	char name[NAME_SIZE];
	int content; /* canonical */
};

/* The content of a map file. Layers: 0 tiles and 1, 2 quads, which refer to images; 3 sounds. */
struct map_content {
	struct map_object images[OBJECTS_MAX], sounds[OBJECTS_MAX];
	unsigned n_images, n_sounds;
	int refs[LAYERS];
	int info[FIELDS]; /* contents as the mount shows them */
};

extern const char *const layer_paths[LAYERS];

struct bytes *structure_map(void);
void structure_map_content(struct map_content *ret);
bool map_read(const struct bytes *map, struct map_content *ret);
