/* SPDX-License-Identifier: Zlib */
/*
 * mounted: the names of a mount's entries, as they were when it was mounted.
 *
 * Paths hold still (DESIGN section 4, rule 1), so names are taken once, when the map is opened.
 * Kept are the names as they stand in the model; numbers, escaping and cutting (layout rules 3, 4)
 * are done when a name is shown. Of a map that a mount saved, some are called otherwise (list.h).
 */
#pragma once

#include <assert.h>

#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/list.h"
#include "formats/teeworlds/names/sort.h"

struct tw_name {
	char *text; /* not NUL-ended; may hold anything but NUL */
	uint16_t size;
	bool json; /* an image or sound that is a .json at mount */
};

struct tw_name_list {
	uint32_t n;        /* how many there were at mount */
	struct tw_name *v; /* by position in the type's item list */
};

struct tw_names {
	struct tw_name_list lists[TW_SORTS];
	struct tw_group_at *groups; /* by position */
	uint8_t *forms;             /* of layers (enum tw_form), by position */
	struct tw_listing list;     /* those that are called otherwise than the map has it */
	struct tw_index *index;     /* at mount: types of the raw view have a UUID for a name */
};

enum { TW_NAME_READ_MAX = 512 /* bytes of a name blob that are read */ };

/* Takes the names of a map that was just read, or made. Inflates what holds names. list (may be
 * NULL): the text of list.h, by which some are called; tw_mounted_check comes next. -ENOMEM,
 * -EINVAL: it is no such text. */
int tw_names_take(struct tw_map *m, const struct bytes *list, struct error *e);

static inline const struct tw_names *tw_mounted(const struct tw_map *m)
{
	assert(m->shared->names);
	return m->shared->names;
}

static inline const struct tw_name_list *tw_names(const struct tw_map *m, enum tw_sort sort)
{
	return &tw_mounted(m)->lists[sort];
}

/* The UUID that an item type of the raw view has for a name; false: it has none. */
bool tw_mounted_uuid(const struct tw_map *m, unsigned type, char ret[37]);

/* How many groups are shown: entries' ids have room for 65536. And the layers of one; NULL: it is
 * not among them. */
uint32_t tw_shown_groups(const struct tw_map *m);
const struct tw_group_at *tw_mounted_group(const struct tw_map *m, uint32_t group);

/*
 * Writes "NN_name" (or "NN" for an empty name): position among count, at most max bytes. dst has
 * room for NAME_MAX + 1. Returns the length.
 */
size_t tw_name_write(
	char *dst, uint32_t position, uint32_t count, const struct tw_name *name, size_t max);

/* The position that the leading digits of a shown name say, for a list of count; -ENOENT where they
 * cannot be one's. The caller compares the whole name with what tw_name_write gives. */
int tw_name_position(const char *name, size_t n, uint32_t count, uint32_t *ret);

/* mounted_find.c */

/* What a directory has: the position of its first object, and how many. group is of layers, here
 * and below; else it is 0. false: there is no such directory. */
bool tw_mounted_range(const struct tw_map *m, enum tw_sort sort, uint32_t group,
	uint32_t *ret_first, uint32_t *ret_n);
/* The stem of the object at a place of a directory ("03_grass_main"), place < n. */
size_t tw_mounted_stem(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	char dst[NAME_MAX + 1]);
/* ... the whole name, of a form that has this ending. */
void tw_mounted_name(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	const char *ending, char dst[NAME_MAX + 1]);
/* The place of a stem, and of a file's or directory's name in any form (*ret_json); -ENOENT. */
int tw_mounted_find(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *stem,
	size_t n, uint32_t *ret);
int tw_mounted_file(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *name,
	uint32_t *ret, bool *ret_json);

/* Are those of the list objects of this map, each with a name of its own? -EINVAL names the line.
 */
int tw_mounted_check(const struct tw_map *m, struct error *e);

/* mounted.c */

/* The name that an item has now; ret is zeroed before, and ret->text is the caller's to free.
 * -ENOMEM.
 */
int tw_name_read(
	const struct tw_map *m, enum tw_sort sort, const struct tw_item *it, struct tw_name *ret);
/* ... with its number and ending, as a mount of the map shows it at a place among count. -ENOMEM.
 */
int tw_name_at(const struct tw_map *m, enum tw_sort sort, const struct tw_item *it, uint32_t place,
	uint32_t count, char dst[NAME_MAX + 1]);

/* A name that an item holds in n integers (I32String): at most 4n - 1 bytes to dst, returns the
 * length. All zero reads as empty, the last byte is never read. */
size_t tw_name_of_ints(const int32_t *v, unsigned n, char *dst);
