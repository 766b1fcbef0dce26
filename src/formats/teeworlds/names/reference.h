/* SPDX-License-Identifier: Zlib */
/*
 * reference: what the names of objects stand for, also of those made since the mount (layout rules
 * 20, 21).
 *
 * In the model of a mounted map a reference to what was there at the mount is its position, as in
 * the file; one to the k-th object of its type that was made since is TW_MADE + k. So a number that
 * pointed at nothing at the mount never begins to point at something, and finalizing
 * (finalize/finalize.h) turns both into positions of the map to be written. Every other number
 * points at nothing.
 */
#pragma once

#include "formats/teeworlds/names/mounted.h"

/* Far from what real maps hold: small numbers, powers of two, characters. */
enum { TW_MADE = -1532713819 };

enum { TW_REF_LIST_MAX = 400 };

/* The position, among all objects of the type, that a reference points at; -ENOENT: at nothing. */
int tw_ref_position(const struct tw_map *m, enum tw_sort sort, int32_t ref, uint32_t *ret);
int32_t tw_ref_of(const struct tw_map *m, enum tw_sort sort, uint32_t position);

/* The stem that a reference is shown as, its length; 0: it points at nothing. */
size_t tw_ref_stem(const struct tw_map *m, enum tw_sort sort, int32_t ref, char dst[NAME_MAX + 1]);

/* What gives a name in a file its meaning. */
struct tw_naming {
	const struct tw_map *m;
	const struct build_context *others; /* struct format's; may be NULL */
	bool in_new;                        /* the file belongs to an object made since the mount */
	/* Not NULL: only what m shows in a name's place is known; any other name is not looked up,
	 * which this says (never cleared), and the value stays as it was. */
	bool *ret_unknown;
};

/*
 * The reference that a stem in a file means: what stands there in the tree, else what stood there
 * at the mount, else, as far as others are known, the only object of that name without its number.
 * channels: what an envelope must have whose stem has no name, where in_new, since it is bound by
 * number only (0: any; 1 sound, 3 position, 4 color); the report then says so. -ENOENT: the stem
 * names nothing; -ENOTUNIQ: it is the name of several.
 */
int tw_ref_find(const struct tw_naming *names, enum tw_sort sort, const char *stem, size_t n,
	int channels, int32_t *ret);

/* The stems of the objects that a name without a number means, as words for a refusal. */
void tw_ref_list(const struct tw_naming *names, enum tw_sort sort, const char *name, size_t n,
	char dst[TW_REF_LIST_MAX]);
