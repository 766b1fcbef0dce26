/* SPDX-License-Identifier: Zlib */
/*
 * source: the files of an archive that indexes are made from and that they are.
 *
 * They stand in the order of the indexes: of a directory its files by name, then its directories by
 * name. (So stand all 748 missiles, 3 799 skills and 84 menus of real indexes of a large mod.) Of
 * two files of one name the game reads the first, and so does this.
 */
#pragma once

#include "formats/torchlight/model/map.h"
#include "formats/torchlight/text/dattext.h"

struct source_file {
	struct str path; /* upper case, as the game writes it: "MEDIA/UNITS/ITEMS/A.DAT" */
	uint32_t handle;
};

struct sources {
	const struct tl_map *m; /* borrowed, as is names */
	const struct names *names;
	struct source_file *all;
	size_t n, room;
};

/* ret is zeroed; to be finished also on failure. */
int sources_list(const struct tl_map *m, struct sources *ret, struct error *e);
void sources_finish(struct sources *s);
/* In any case of letters. NULL: it is not in the archive. */
const struct source_file *sources_find(const struct sources *s, struct str path);
int sources_compare(struct str a, struct str b);

int source_load(
	const struct sources *s, const struct source_file *f, struct bytes **ret, struct error *e);

struct source_text {
	struct buffer utf8;
	struct dattext *tree; /* points into it */
};

/* A compiled file, or the text of one. -EINVAL, -EIO: neither. ret is zeroed; to be finished also
 * on failure. */
int source_read(const struct sources *s, const struct source_file *f, struct source_text *ret,
	struct error *e);
void source_text_finish(struct source_text *t);
