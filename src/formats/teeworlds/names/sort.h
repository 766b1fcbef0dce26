/* SPDX-License-Identifier: Zlib */
/* sort: the sorts of objects (images, sounds, envelopes, groups, layers), in a table of everything
 * in which they differ except the content of their files. */
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
	const char *path;     /* of the directory: "images/"; NULL for layers */
	uint16_t type;        /* item type */
	enum tw_kind_id dir;  /* kind of the directory that holds the objects */
	enum tw_kind_id kind; /* kind of an object's file or directory */
	enum tw_kind_id json; /* kind of the .json of an image or sound; others: as `kind` */
	const char *ending;   /* file name ending of `kind`, ".png"; "" for directories */
	const char *accepts;  /* all endings, for messages; NULL for directories */
	size_t stem_max;      /* maximum bytes of a shown name without ending */
	size_t name_max;      /* maximum bytes of a stored new name, from DDNet's editor */
	/* Is the item's data embedded, and fit to be shown as `kind`? Otherwise it is shown as
	 * `json`. NULL: the sort has one form. */
	bool (*is_embedded)(const struct tw_map *m, const struct tw_item *it);
};

extern const struct tw_sort_info tw_sorts[TW_SORTS];

static inline unsigned tw_sort_type(enum tw_sort sort)
{
	return tw_sorts[sort].type;
}

/* Sort of the objects in a directory. TW_SORTS if dir holds no objects or is a file. */
enum tw_sort tw_sort_in(entry_id dir);
/* Sort of an object's entry. TW_SORTS if the entry is no object. */
enum tw_sort tw_sort_of(entry_id id);

/* Position of an object (an entry for which tw_sort_of finds a sort) in the list of its type. */
uint32_t tw_object_position(entry_id id);
/* Entry of the object at a position. dir: any entry of the layer's group; other sorts ignore it.
 * json: the .json form of an image or sound. */
entry_id tw_object_id(enum tw_sort sort, entry_id dir, uint32_t position, bool json);

/* File name ending of an item in its current form. */
const char *tw_ending_of(const struct tw_map *m, enum tw_sort sort, const struct tw_item *it);

/* Length of a file name without the ending, which may be in capitals. 0 if it is no ending of this
 * sort, or sort is TW_SORTS. The whole length for groups and layers. *ret_json (may be NULL): the
 * ending is .json; set only if an ending was found. */
size_t tw_stem_length(enum tw_sort sort, const char *file, bool *ret_json);
