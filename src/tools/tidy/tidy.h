/* SPDX-License-Identifier: Zlib */
/* tidy: make a map smaller without visible changes, and measure the parts of its file. A format
 * that can do so has a struct tidy_tool, with both functions. */
#pragma once

#include "formats/format.h"
#include "tools/common/whole_calls.h"

/* Options. In any case, data is compressed. If all items are of known kinds, equal objects except
 * groups and layers are also merged, and unused ones removed. */
struct tidy {
	bool layers;       /* remove groups, layers and edges of layers that draw nothing */
	bool pixels;       /* clear pixels that nothing shows */
	bool hash_names;   /* with `pixels`: add a hash of an image's visible pixels to its name */
	bool external;     /* make images external that the game has */
	bool embed;        /* embed external images that the game has; requires `images` */
	const char **keep; /* paths or patterns of objects that must stay, NULL-ended; or NULL */

	struct images *images; /* images of the game; NULL: use the table of the format */
};

/* A part of a map's file. Together the parts are the whole file except its tables. */
struct tidy_part {
	const char *path; /* in the mount, or a description if the mount does not show it */
	uint64_t size;    /* bytes in the file */
	bool is_unused;
};

struct tidy_tool {
	/* Tidy a map that was just opened. *ret is the map to save instead of s, or NULL if nothing
	 * is to be done. Any thread. */
	int (*tidy)(const struct snapshot *s, const struct tidy *how,
		const struct whole_calls *calls, struct snapshot **ret, struct error *e);
	/* Call part for each part, until it returns nonzero. Returns that if negative, else 0. */
	int (*parts)(const struct snapshot *s, int (*part)(void *arg, const struct tidy_part *p),
		void *arg, struct error *e);
};
