/* SPDX-License-Identifier: Zlib */
/*
 * reference: references to objects, in items and by name in files (docs/teeworlds.md, References).
 *
 * In a mounted map, a reference to an object of the mount is its position, as in the file. A
 * reference to the k-th object of the type that was created since is TW_MADE + k. Other numbers
 * refer to nothing. So an invalid reference of the file never becomes valid when objects are added.
 * Finalizing turns both kinds into positions of the saved map (finalize/finalize.h).
 */
#pragma once

#include "formats/teeworlds/names/mounted.h"

/* Chosen to differ from the numbers in real maps: small ones, powers of two, characters. */
enum { TW_MADE = -1532713819 };

enum { TW_REF_LIST_MAX = 400 };

/* Get the position that a reference means; created objects come last. -ENOENT: it means none. */
int tw_ref_position(const struct tw_map *m, enum tw_sort sort, int32_t ref, uint32_t *ret);
/* The reference to the object at a position. */
int32_t tw_ref_of(const struct tw_map *m, enum tw_sort sort, uint32_t position);

/* Write the stem that a reference means: that at the mount, or with which the object was created.
 * Not terminated. Returns the length; 0 if the reference means nothing. */
size_t tw_ref_stem(const struct tw_map *m, enum tw_sort sort, int32_t ref, char dst[NAME_MAX + 1]);

/* The context in which names in a file are looked up. */
struct tw_naming {
	const struct tw_map *m;
	const struct build_context *others; /* as in format_edit.apply; NULL: only names of m */
	bool is_in_new_object; /* the file belongs to an object created since the mount */
	/* For parse: if not NULL, tw_ref_read looks up no names. A name other than that of the
	 * previous value keeps this value and sets *ret_unknown, which is never cleared. */
	bool *ret_unknown;
};

/* Find the reference that a stem in a file means. The first match counts: a placed object (new or
 * moved, in names->others) with this stem; an object with this stem at the mount; if others is not
 * NULL, the only object with this name and any number. -ENOENT: no match. -ENOTUNIQ: several
 * objects have the name.
 *
 * channels: required channels of an envelope (1 sound, 3 position, 4 color; 0 any). Without them an
 * envelope without a name, which a number alone identifies, is no match in a new object's file. */
int tw_ref_find(const struct tw_naming *names, enum tw_sort sort, const char *stem, size_t n,
	int channels, int32_t *ret);

/* After -ENOTUNIQ from tw_ref_find for the stem `name`, list up to four stems that it may mean. */
void tw_ref_list(const struct tw_naming *names, enum tw_sort sort, const char *name, size_t n,
	char dst[TW_REF_LIST_MAX]);
