/* SPDX-License-Identifier: Zlib */
/*
 * layout_schema: what the numbers in compiled layouts are called.
 *
 * Layouts hold numbers of object types and properties; their names and kinds are the game's own and
 * in no file. layout_schema.tsv has those that occur in public pairs of text and compiled file:
 * type, its name, code, property, kind; sorted by type. A line without a property only names the
 * type.
 */
#ifndef FORMATS_TORCHLIGHT_LAYOUT_SCHEMA_H
#define FORMATS_TORCHLIGHT_LAYOUT_SCHEMA_H

#include "formats/torchlight/wire.h"

enum layout_kind {
	LAYOUT_BOOL, /* u32 */
	LAYOUT_INTEGER,
	LAYOUT_UNSIGNED,
	LAYOUT_FLOAT,
	LAYOUT_INTEGER64,
	LAYOUT_STRING,    /* SS */
	LAYOUT_TRANSLATE, /* SS */
	LAYOUT_VECTOR2,   /* floats; in text one field each: NAMEX NAMEY NAMEZ */
	LAYOUT_VECTOR3,
	LAYOUT_FLOATLIST, /* u16 n, n floats; in text one STRING with commas */
	LAYOUT_UINTLIST,
	LAYOUT_HEX,  /* the bytes, for what is not known */
	LAYOUT_NONE, /* stands in texts, and the modding kit does not compile it */
	LAYOUT_KINDS
};

/* The type word of the text. */
extern const char *const layout_kind_words[LAYOUT_KINDS];

struct layout_property {
	uint8_t type, code;
	enum layout_kind kind;
	struct str name;
};

struct layout_type {
	uint8_t type;
	struct str name;
	const struct layout_property *properties;
	size_t n_properties;
};

enum { LAYOUT_GROUP = 1, LAYOUT_TIMELINE = 35, LAYOUT_LOGIC = 36 };

/* NULL: not known. The table is made once; where memory is short nothing is known. Any thread. */
const struct layout_type *layout_type_find(uint8_t type);
const struct layout_type *layout_type_named(struct str name);
const struct layout_property *layout_property_find(const struct layout_type *t, uint8_t code);
/* Is it drawn on the screen (widgets), or a part of a particle effect? */
bool layout_type_is_widget(uint8_t type);
bool layout_type_is_particle(uint8_t type);
/* *ret_axis is 0, 1 or 2 where the name is that of a vector and X, Y or Z; else -1. */
const struct layout_property *layout_property_named(
	const struct layout_type *t, struct str name, int *ret_axis);

/* Floats in a vector kind, else 0. */
static inline unsigned layout_axes(enum layout_kind kind)
{
	return kind == LAYOUT_VECTOR3 ? 3 : kind == LAYOUT_VECTOR2 ? 2 : 0;
}

#endif
