/* SPDX-License-Identifier: Zlib */
/*
 * layout_schema: what the numbers in compiled layouts are called.
 *
 * Layouts hold numbers of object types and properties; their names and kinds are the game's own and
 * in no file. They are lines of a dictionary (names.h): the shipped one has schema.tsv, all that is
 * known publicly (type, its name, code, property, kind; sorted by type; a line without a property
 * only names the type); others are a user's, or learnt from a file and its text (learn.h).
 *
 * What comes later never gives a code or a name another meaning.
 */
#pragma once

#include "formats/torchlight/text/number.h"

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
	LAYOUT_NONE, /* stands in texts, and is no property of the compiled object */
	LAYOUT_KINDS
};

extern const struct layout_kind_facts {
	const char *name;        /* in a line of a table */
	const char *word;        /* the type word of the text */
	size_t size;             /* of a value; 0: any */
	enum number_kind number; /* of numbers: of each */
} layout_kinds[LAYOUT_KINDS];

struct names;

struct layout_property {
	uint8_t type, code;
	enum layout_kind kind;
	struct str name; /* empty: the line only names the type */
	struct str type_name;
};

enum { LAYOUT_GROUP = 1, LAYOUT_TIMELINE = 35, LAYOUT_LOGIC = 36 };

/* A line of a table, whose cells stay where they are; more than five are passed over. false: it is
 * none. */
bool layout_schema_line(struct str line, struct layout_property *ret);

/* false, NULL: not known. n may be NULL (nothing is). */
bool layout_type_name(const struct names *n, uint8_t type, struct str *ret);
bool layout_type_named(const struct names *n, struct str name, uint8_t *ret);
const struct layout_property *layout_property_find(
	const struct names *n, uint8_t type, uint8_t code);
/* *ret_axis is 0, 1 or 2 where the name is that of a vector and X, Y or Z; else -1. */
const struct layout_property *layout_property_named(
	const struct names *n, uint8_t type, struct str name, int *ret_axis);
/* Is it drawn on the screen (widgets), or a part of a particle effect? */
bool layout_type_is_widget(const struct names *n, uint8_t type);
bool layout_type_is_particle(uint8_t type);

/* Floats in a vector kind, else 0. */
static inline unsigned layout_axes(enum layout_kind kind)
{
	return kind == LAYOUT_VECTOR3 ? 3 : kind == LAYOUT_VECTOR2 ? 2 : 0;
}
