/* SPDX-License-Identifier: Zlib */
/*
 * mounted: the names of a mount's entries, as they were when it was mounted.
 *
 * Paths hold still (DESIGN section 4, rule 1), so names are taken once from the first version, when
 * somebody first looks, and before anything changes. Kept are the names as they stand in the model;
 * numbers, escaping and cutting (layout rules 3, 4) are done when a name is shown.
 */
#ifndef FORMATS_TEEWORLDS_NAMES_MOUNTED_H
#define FORMATS_TEEWORLDS_NAMES_MOUNTED_H

#include <limits.h>

#include "formats/teeworlds/model/map.h"

enum tw_named { TW_N_IMAGES, TW_N_SOUNDS, TW_N_ENVELOPES, TW_N_GROUPS, TW_N_LAYERS, TW_N_NAMED };

struct tw_name {
	char *text; /* not NUL-ended; may hold anything but NUL */
	uint16_t size;
	bool json; /* an image or sound that is a .json at mount */
};

struct tw_name_list {
	uint32_t n;        /* how many there were at mount */
	struct tw_name *v; /* by position in the type's item list */
};

/* The layers of a group that there are, by position. */
struct tw_group_at {
	uint32_t first, n;
};

struct tw_names {
	struct tw_name_list lists[TW_N_NAMED];
	struct tw_group_at *groups; /* by position */
	uint8_t *forms;             /* of layers (enum tw_form), by position */
	size_t n_types;             /* item types of the raw view that have a UUID for a name */
	struct tw_type_name {
		uint16_t type;
		char uuid[37];
	} * types;
};

enum {
	TW_STEM_MAX = 250, /* of images, sounds and envelopes: an ending follows */
	TW_DIR_MAX = NAME_MAX,
	TW_NAME_READ_MAX = 512, /* bytes of a name blob that are read */
};

/* Takes the names if that was not done yet. Owner's thread; every entry point of the format that
 * shows a name or changes the map calls it first. */
int tw_names_need(const struct tw_map *m, struct error *e);
void tw_names_destroy(struct tw_names *n);

/* The list, after tw_names_need. */
static inline const struct tw_name_list *tw_names(const struct tw_map *m, enum tw_named what)
{
	return &m->shared->names->lists[what];
}

/*
 * Writes "NN_name" (or "NN" for an empty name): position among count, at most max bytes. dst has
 * room for NAME_MAX + 1. Returns the length.
 */
size_t tw_name_write(
	char *dst, uint32_t position, uint32_t count, const struct tw_name *name, size_t max);

/* The position that the leading digits of a shown name say, for a list of count; -ENOENT where they
 * cannot be one's. The caller compares the whole name with what tw_name_write gives. */
int tw_name_position(const char *name, size_t n, uint32_t count, uint32_t *ret);

/* The stem of an image, sound or envelope ("03_grass_main"), and the position of a stem (-ENOENT).
 * position < the list's n. */
size_t tw_stem(
	const struct tw_map *m, enum tw_named what, uint32_t position, char dst[NAME_MAX + 1]);
int tw_stem_find(
	const struct tw_map *m, enum tw_named what, const char *stem, size_t n, uint32_t *ret);

/* The name that an item has now; ret is zeroed before, and ret->text is the caller's to free.
 * -ENOMEM.
 */
int tw_name_read(
	const struct tw_map *m, enum tw_named what, const struct tw_item *it, struct tw_name *ret);

/* A name that an item holds in n integers (I32String): at most 4n - 1 bytes to dst, returns the
 * length. All zero reads as empty, the last byte is never read. */
size_t tw_name_of_ints(const int32_t *v, unsigned n, char *dst);

#endif
