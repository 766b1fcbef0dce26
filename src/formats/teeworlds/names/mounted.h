/* SPDX-License-Identifier: Zlib */
/*
 * mounted: the names of objects, as they were when the map was opened.
 *
 * A mount does not change paths by itself, so names are read once, when the map is opened
 * (tw_names_read, then tw_mounted_check), and stored as the map holds them. Numbers, escaping and
 * truncation are applied when a name is shown. The name table (list.h) overrides some names.
 *
 * The place of an object is its position in its directory. A parameter `group` is the position of a
 * layer's group; it is 0 for other sorts. Objects created since the mount have no names here, nor
 * has a map of which only raw/ is shown. A dst gets a NUL, unless the comment says otherwise.
 */
#pragma once

#include <assert.h>

#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/list.h"
#include "formats/teeworlds/names/sort.h"

struct tw_name {
	char *text; /* any bytes except NUL; not terminated; NULL if size is 0 */
	uint16_t size;
	bool is_json; /* the mount shows the image or sound as .json */
};

struct tw_name_list {
	uint32_t n;        /* objects at the mount */
	struct tw_name *v; /* by position in the type's item list */
};

struct tw_names {
	struct tw_name_list lists[TW_SORTS];
	struct tw_layer_range *groups; /* by position, also of groups that are not shown */
	uint8_t *forms;                /* enum tw_form of each layer, by position */
	struct tw_name_table table;    /* empty if there is none */
	struct tw_index *index; /* of the map at the mount, for UUIDs in raw/; owned reference */
};

enum { TW_NAME_READ_MAX = 512 /* bytes that are read of a name in a blob */ };

/* Read the names of a map that was just opened or created into m->shared, which frees them, also
 * after a failure. Decodes the blobs that hold names; a damaged one gives an empty name. list: text
 * of the name table, or NULL. -EINVAL: bad text. */
int tw_names_read(struct tw_map *m, const struct bytes *list, struct error *e);

static inline const struct tw_names *tw_mounted(const struct tw_map *m)
{
	assert(m->shared->names);
	return m->shared->names;
}

static inline const struct tw_name_list *tw_names(const struct tw_map *m, enum tw_sort sort)
{
	return &tw_mounted(m)->lists[sort];
}

/* Get the UUID that raw/ shows as the name of an item type. Returns false if it is no UUID type. */
bool tw_mounted_uuid(const struct tw_map *m, unsigned type, char ret[37]);

/* Number of groups that the mount shows: at most 65536, the limit of entry_id. */
uint32_t tw_shown_groups(const struct tw_map *m);
/* Layers that a group had at the mount; NULL if the mount does not show the group. */
const struct tw_layer_range *tw_mounted_group(const struct tw_map *m, uint32_t group);

/* Write the stem "NN_name" (or "NN" for an empty name), escaped and cut to max bytes. NN is the
 * position, with as many digits as count - 1 has. dst has max + 1 bytes. Returns the length. */
size_t tw_name_write(
	char *dst, uint32_t position, uint32_t count, const struct tw_name *name, size_t max);

/* Parse the first digits of a shown name, as many as count - 1 has. -ENOENT if they are no position
 * below count. The caller must compare the whole name with the result of tw_name_write. */
int tw_name_position(const char *name, size_t n, uint32_t count, uint32_t *ret);

/* mounted_find.c */

/* Get the position of a directory's first object, and the number of its objects. Returns false if
 * the mount does not show the group. */
bool tw_mounted_range(const struct tw_map *m, enum tw_sort sort, uint32_t group,
	uint32_t *ret_first, uint32_t *ret_n);
/* Write the stem of the object at a place, which must exist ("03_grass"). Returns the length. */
size_t tw_mounted_stem(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	char dst[NAME_MAX + 1]);
/* Write an object's file name with this ending (".png"; ".PNG" if the name table has that). */
void tw_mounted_name(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	const char *ending, char dst[NAME_MAX + 1]);
/* Find the place of the object with a stem, in any form. -ENOENT. */
int tw_mounted_find(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *stem,
	size_t n, uint32_t *ret);
/* Find the place of the object with a file name, even if the object has the other form. *ret_json:
 * the file name is the .json of an image or sound; unset for groups and layers. -ENOENT. */
int tw_mounted_file(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *name,
	uint32_t *ret, bool *ret_json);

/* Check that each entry of the name table is for an object of the map, and that its name fits and
 * is unique. -EINVAL names the line. */
int tw_mounted_check(const struct tw_map *m, struct error *e);

/* mounted.c */

/* Read the name that the item itself holds, and its form. A damaged blob gives an empty name. The
 * caller zeroes *ret before, and frees ret->text. -ENOMEM. */
int tw_name_read(
	const struct tw_map *m, enum tw_sort sort, const struct tw_item *it, struct tw_name *ret);
/* Write the file name that the item itself gives an object at a place among count. -ENOMEM. */
int tw_name_at(const struct tw_map *m, enum tw_sort sort, const struct tw_item *it, uint32_t place,
	uint32_t count, char dst[NAME_MAX + 1]);

/* Decode a name that is stored in n integers (I32String) to at most 4n - 1 bytes, not terminated.
 * Returns the length. Zeros alone give an empty name. The last byte is never read. */
size_t tw_name_of_ints(const int32_t *v, unsigned n, char *dst);
