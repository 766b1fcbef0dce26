/* SPDX-License-Identifier: Zlib */
/*
 * preview: a map as a picture. A format that can draw its maps has a struct format_preview.
 *
 * The same map, images and request give the same pixels. Memory is bounded, whatever the map holds:
 * the budget's, that of the picture, and some tens of MiB.
 */
#pragma once

#include "formats/format.h"

enum { PREVIEW_MIN = 16, PREVIEW_MAX = 4096, PREVIEW_DEFAULT = 1024 };

/*
 * Find an image that a game has, by the name in a map, which may be anything: the PNG file. game:
 * search its directories (1 is the first in format_preview.image_dirs) and those that the user
 * named; PREVIEW_ANY_GAME: search all. -ENOENT.
 */
typedef int (*preview_image_fn)(
	void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);
enum { PREVIEW_ANY_GAME = 0 };

struct preview {
	uint32_t size; /* pixels of the longest side, PREVIEW_MIN to PREVIEW_MAX */
	bool entities; /* what the game works with, in plain colours, instead of what is seen */
	entry_id part; /* a directory that is a part of the map: that alone; ENTRY_ROOT: all. Of an
			* archive a file in it */
	const char *cut; /* of a file, a part with this name; NULL: all of it */
	/* These tiles alone, counted from the corner of the layers, which are drawn in their places
	 * as an editor does, whatever a camera would make of them; w == 0: the map as a whole. */
	struct preview_window {
		uint32_t x, y, w, h;
	} window;

	preview_image_fn image; /* NULL: there are no images */
	void *arg;
	/* What could not be drawn, a line each. May be NULL. */
	void (*note)(void *arg, const char *line);
	void *note_arg;
};

struct picture {
	uint32_t w, h;
	struct bytes *rgba; /* rows from the top; the caller's */
};

struct format_preview {
	/* On any thread. -ENODATA: the map has nothing to show. -EINVAL: part is none that can be
	 * drawn. -E2BIG: there is too much to draw. */
	int (*draw)(const struct snapshot *s, const struct preview *how, struct picture *ret,
		struct error *e);
	/* For each game the directories in which it and its users keep images: absolute, or below
	 * the user's home directory ("~/"). Both lists are NULL-ended. May be NULL. */
	const char *const *const *image_dirs;
	bool cuts; /* files have parts with names */
};
