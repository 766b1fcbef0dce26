/* SPDX-License-Identifier: Zlib */
/*
 * objects: the directories that objects stand in: images/, sounds/, envelopes/, groups/ and
 * layers/.
 */
#ifndef FORMATS_TEEWORLDS_LENS_OBJECTS_H
#define FORMATS_TEEWORLDS_LENS_OBJECTS_H

#include "formats/teeworlds/names/mounted.h"

/* The object that a name was the identity of at the mount, in the form that its ending says, which
 * need not be the one that it had. -ENOENT. dir may be any entry. */
int tw_object_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret);

#endif
