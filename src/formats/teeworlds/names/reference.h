/* SPDX-License-Identifier: Zlib */
/*
 * reference: references to objects, in items and by name in files (layout rules 20, 21).
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

/* Get the position, among all objects of the sort, that a reference means. -ENOENT. */
int tw_ref_position(const struct tw_map *m, enum tw_sort sort, int32_t ref, uint32_t *ret);
/* The reference to the object at a position. */
int32_t tw_ref_of(const struct tw_map *m, enum tw_sort sort, uint32_t position);

/* Write the stem that a reference means, unterminated. Returns the length; 0 if there is none. */
size_t tw_ref_stem(const struct tw_map *m, enum tw_sort sort, int32_t ref, char dst[NAME_MAX + 1]);

/* The context in which names in a file are looked up. */
struct tw_naming {
	const struct tw_map *m;
	const struct build_context *others; /* argument of format_edit.apply; may be NULL */
	bool is_in_new_object; /* the file belongs to an object created since the mount */
	/* If not NULL, names are not looked up: a name that m does not show there keeps the old
	 * value and sets *ret_unknown, which is never cleared. */
	bool *ret_unknown;
};

/*
 * Find the reference that a stem in a file means. The first match counts: an object with this stem
 * in others; an object with this stem at the mount; if others is not NULL, the only object with
 * this name and any number. -ENOENT: no match. -ENOTUNIQ: several objects have the name.
 *
 * channels: required channels of an envelope (1 sound, 3 position, 4 color; 0 any). If names is for
 * a new object, an unnamed envelope of the mount needs them: only its number identifies it.
 */
int tw_ref_find(const struct tw_naming *names, enum tw_sort sort, const char *stem, size_t n,
	int channels, int32_t *ret);

/* Write the stems of the objects that an ambiguous name could mean, for a message. */
void tw_ref_list(const struct tw_naming *names, enum tw_sort sort, const char *name, size_t n,
	char dst[TW_REF_LIST_MAX]);
