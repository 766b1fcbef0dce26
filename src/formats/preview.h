/* SPDX-License-Identifier: Zlib */
/*
 * preview: draw a map as a picture. A format that can draw its maps has a struct format_preview.
 *
 * Equal maps, images and requests give equal pixels. Drawing takes the memory of the budget and the
 * picture, and some tens of MiB, whatever the map contains.
 */
#pragma once

#include "formats/format.h"

enum { PREVIEW_MIN = 16, PREVIEW_MAX = 4096, PREVIEW_DEFAULT = 1024 };

/* Find the PNG file of an image that games have. name: as the map gives it, not validated. game:
 * search the directories of this game (1 is the first in format_preview.image_dirs) and those that
 * the user named; PREVIEW_ANY_GAME: search all. The caller finishes *ret. -ENOENT. */
typedef int (*preview_image_fn)(
	void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);
enum { PREVIEW_ANY_GAME = 0 };

struct preview {
	uint32_t size; /* longest side in pixels, PREVIEW_MIN to PREVIEW_MAX; textures ignore it */
	bool entities; /* draw what the game works with, in plain colors, not what players see */
	entry_id part; /* draw this directory, or this file of an archive, only; or ENTRY_ROOT */
	const char *part_name; /* draw the part of the file with this name only; or NULL */
	/* Draw these tiles only, counted from the corner of the layers. Layers are drawn at their
	 * places, as in an editor, without parallax. w == 0: the whole map. */
	struct preview_window {
		uint32_t x, y, w, h;
	} window;

	preview_image_fn image; /* NULL: draw without images */
	void *arg;              /* for image */
	/* Report a line about something that could not be drawn. May be NULL. */
	void (*note)(void *arg, const char *line);
	void *note_arg;
};

struct picture {
	uint32_t w, h;
	struct bytes *rgba; /* rows from the top; owned reference */
};

struct format_preview {
	/* Draw a picture. Any thread. -ENODATA: nothing to show. -EINVAL: `part` cannot be drawn.
	 * -E2BIG: too much to draw. */
	int (*draw)(const struct snapshot *s, const struct preview *how, struct picture *ret,
		struct error *e);
	/* For each game, the directories with images of the game and its users: absolute, or in the
	 * home directory ("~/"). Both lists are NULL-ended. May be NULL. */
	const char *const *const *image_dirs;
	bool has_named_parts; /* preview.part_name is supported: files have named parts */
};
