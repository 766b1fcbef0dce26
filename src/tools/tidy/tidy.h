/* SPDX-License-Identifier: Zlib */
/*
 * tidy: what of a map takes room, and what of it nobody would miss. A format that knows has a
 * struct tidy_tool.
 */
#pragma once

#include "formats/format.h"
#include "tools/common/whole_calls.h"

/* Without any of these, what nobody can see goes, and what stays is compressed as well as can be.
 */
struct tidy {
	bool layers;       /* parts of layers, layers and groups that draw nothing go */
	bool pixels;       /* pixels that nothing shows go */
	bool hash_names;   /* ... and images are called after those that are left */
	bool external;     /* images that the game has leave the map */
	bool embed;        /* ... come into it; `images` are there */
	const char **keep; /* paths, or patterns of them, NULL-ended, of what stays; or NULL */

	struct images *images; /* the game's; NULL: those that the format itself knows of */
};

/* A part of a map's file. Together they are all of it, but for the tables. */
struct tidy_part {
	const char *path; /* in the mount, or words for what it does not show */
	uint64_t size;    /* bytes in the file */
	bool unused;      /* nothing uses it */
};

struct tidy_tool {
	/* On any thread. *ret is a map to be saved instead of s, which was just opened; NULL:
	 * nothing is to do. */
	int (*tidy)(const struct snapshot *s, const struct tidy *how,
		const struct whole_calls *calls, struct snapshot **ret, struct error *e);
	/* A failure of part ends it. */
	int (*parts)(const struct snapshot *s, int (*part)(void *arg, const struct tidy_part *p),
		void *arg, struct error *e);
};
