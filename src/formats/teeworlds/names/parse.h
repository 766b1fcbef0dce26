/* SPDX-License-Identifier: Zlib */
/*
 * parse: what the path of a new or moved object says: its position and its name (layout rules 5,
 * 6).
 */
#ifndef FORMATS_TEEWORLDS_NAMES_PARSE_H
#define FORMATS_TEEWORLDS_NAMES_PARSE_H

#include "base/error.h"
#include "formats/teeworlds/lens/lens.h"
#include "formats/teeworlds/names/mounted.h"

struct tw_place {
	bool has_position; /* else it goes last */
	uint64_t position; /* UINT64_MAX for any beyond that */
	char name[NAME_MAX + 1];
	size_t n; /* of name, which may hold anything */
};

/* What a directory's objects are; TW_N_NAMED where it has none. dir may be any entry. */
enum tw_named tw_objects_of(entry_id dir);
/* What an entry is an object of; TW_N_NAMED: it is none. */
enum tw_named tw_object_named(entry_id id);

/* The length of a file name without the ending that objects of this sort have; 0: it has none of
 * them. Directories (groups, layers) have no ending. *ret_json (may be NULL): it is .json. */
size_t tw_place_stem(enum tw_named what, const char *file, bool *ret_json);

/* What a stem says. -EINVAL: the name is too long for its field, or holds a NUL. */
int tw_place_parse(
	enum tw_named what, const char *stem, size_t n, struct tw_place *ret, struct error *e);

#endif
