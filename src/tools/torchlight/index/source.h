/* SPDX-License-Identifier: Zlib */
/*
 * source: the compiled files of an archive, among them the indexes and the files that they list.
 *
 * Sources have the order of the indexes: the files of a directory by name, then its directories by
 * name. (All 748 missiles, 3 799 skills and 84 menus in real indexes of a large mod have it.) If
 * two files have the same name, only the first counts, as in the game.
 */
#pragma once

#include "formats/torchlight/model/map.h"
#include "formats/torchlight/text/dattext.h"

struct source_file {
	struct str path; /* upper case, as the game writes it: "MEDIA/UNITS/ITEMS/A.DAT" */
	uint32_t handle;
};

struct sources {
	const struct tl_map *m;    /* borrowed */
	const struct names *names; /* the dictionaries of m; borrowed */
	struct source_file *all;
	size_t n, room;
};

/* List the sources of an archive. The caller zeroes *ret, and finishes it also on failure. */
int sources_list(const struct tl_map *m, struct sources *ret, struct error *e);
void sources_finish(struct sources *s);
/* Find a source by its path, ignoring case. NULL if there is none. */
const struct source_file *sources_find(const struct sources *s, struct str path);
/* Compare two paths in the order of sources, ignoring case. */
int sources_compare(struct str a, struct str b);

/* Load the bytes of a source as the archive has them. */
int source_load(
	const struct sources *s, const struct source_file *f, struct bytes **ret, struct error *e);

struct source_text {
	struct buffer utf8;
	struct dattext *tree; /* points into utf8 */
};

/* Read and parse a source, stored as a compiled file or as its text. -EINVAL or -EIO if it is
 * neither. The caller zeroes *ret, and finishes it also on failure. */
int source_read(const struct sources *s, const struct source_file *f, struct source_text *ret,
	struct error *e);
void source_text_finish(struct source_text *t);
