/* SPDX-License-Identifier: Zlib */
/*
 * situation: where objects stand at a save, for references by name in new files (layout rule 20).
 *
 * Which names objects have now is the tree's to know. It tells the map (struct format's situate)
 * before files that wait are tried for the last time.
 */
#ifndef FORMATS_TEEWORLDS_SITUATION_H
#define FORMATS_TEEWORLDS_SITUATION_H

#include "formats/teeworlds/names.h"

struct tw_situation;

/* struct format's situate. */
int tw_situate(struct snapshot **s, const struct placement *p, size_t n, struct error *e);

struct tw_situation *tw_situation_ref(struct tw_situation *t);
void tw_situation_unref(struct tw_situation *t);

/* The object was removed, or is new and stands nowhere. NULL: nothing is known to be. */
bool tw_situation_gone(const struct tw_map *m, enum tw_named what, uint32_t position);
/* The object that has this stem now, by a rename; or else the only one of the stem's name, whatever
 * its number. -ENOENT. */
int tw_situation_find(
	const struct tw_map *m, enum tw_named what, const char *stem, size_t n, uint32_t *ret);

#endif
