/* SPDX-License-Identifier: Zlib */
/*
 * sort: the sorts of objects that a map has, in one table: what tells images, sounds, envelopes,
 * groups and layers apart, but for the content of their files.
 */
#pragma once

#include <limits.h>

#include "formats/teeworlds/model/map.h"
#include "formats/teeworlds/names/id.h"

enum tw_sort {
	TW_SORT_IMAGE,
	TW_SORT_SOUND,
	TW_SORT_ENVELOPE,
	TW_SORT_GROUP,
	TW_SORT_LAYER,
	TW_SORTS
};

struct tw_sort_info {
	const char *noun;     /* "image" */
	const char *path;     /* of the directory, where there is but one: "images/" */
	uint16_t type;        /* of the items */
	enum tw_kind_id dir;  /* of the directories that they stand in */
	enum tw_kind_id kind; /* of their files, or directories */
	enum tw_kind_id
		json;       /* of the file that stands for one that is not embedded; else as kind */
	const char *ending; /* of their files; "": they are directories */
	const char *accepts; /* all endings of their files, for people; NULL: none */
	size_t stem_max;     /* bytes of a name that is shown, without ending */
	size_t name_max;     /* bytes of a name that is stored, as DDNet's editor takes it */
	bool (*embedded)(const struct tw_map *m, const struct tw_item *it); /* NULL: always */
};

extern const struct tw_sort_info tw_sorts[TW_SORTS];

static inline unsigned tw_sort_type(enum tw_sort sort)
{
	return tw_sorts[sort].type;
}

/* What a directory's objects are; TW_SORTS where it has none. dir may be any entry. */
enum tw_sort tw_sort_in(entry_id dir);
/* What an entry is an object of; TW_SORTS: it is none. */
enum tw_sort tw_sort_of(entry_id id);

/* The position of an object in the list of its type, and the object at a position; dir counts for
 * layers, which stand in a group, and json where objects may be not embedded. */
uint32_t tw_object_position(entry_id id);
entry_id tw_object_id(enum tw_sort sort, entry_id dir, uint32_t position, bool json);

/* The ending of the file of an item of the map. */
const char *tw_ending_of(const struct tw_map *m, enum tw_sort sort, const struct tw_item *it);

/* The length of a file name without the ending that objects of this sort have; 0: it has none of
 * them, in any case of letters. Directories (groups, layers) have no ending. *ret_json (may be
 * NULL): it is .json. */
size_t tw_stem_length(enum tw_sort sort, const char *file, bool *ret_json);
