/* SPDX-License-Identifier: Zlib */
/*
 * layout_schema: the names of the numbers in compiled layouts.
 *
 * Layouts contain numbers of object types and properties. Their names and kinds are built into the
 * game and are in no file. Here they are lines of a dictionary (names.h). The shipped one has
 * schema.tsv, all that is publicly known: type, its name, code, property, kind; sorted by type. A
 * line without a property only names the type. Other lines come from the user, or are learned from
 * a file and its text (learn.h).
 *
 * A later line never changes the meaning of a code or name.
 */
#pragma once

#include "formats/torchlight/text/number.h"

enum layout_kind {
	LAYOUT_BOOL, /* u32 */
	LAYOUT_INTEGER,
	LAYOUT_UNSIGNED,
	LAYOUT_FLOAT,
	LAYOUT_INTEGER64,
	LAYOUT_STRING,    /* SS: a counted UTF-16 string (wire.h) */
	LAYOUT_TRANSLATE, /* SS */
	LAYOUT_VECTOR2,   /* floats; in the text one field each: NAMEX NAMEY NAMEZ */
	LAYOUT_VECTOR3,
	LAYOUT_FLOATLIST, /* u16 n, n floats; in the text one STRING with commas */
	LAYOUT_UINTLIST,
	LAYOUT_HEX,  /* bytes of an unknown kind */
	LAYOUT_NONE, /* a field of texts that is not compiled */
	LAYOUT_KINDS
};

extern const struct layout_kind_facts {
	const char *name;        /* in a line of a table */
	const char *word;        /* the type in a text */
	size_t size;             /* of a value, in bytes; 0: any */
	enum number_kind number; /* the kind of each number */
} layout_kinds[LAYOUT_KINDS];

struct names;

struct layout_property {
	uint8_t type, code;
	enum layout_kind kind;
	struct str name;      /* empty: the line only names the type */
	struct str type_name; /* may be empty */
};

enum { LAYOUT_GROUP = 1, LAYOUT_TIMELINE = 35, LAYOUT_LOGIC = 36 };

/* Parse a line of a table, with tabs between the cells; *ret points into it. Ignores cells after
 * the fifth. false: invalid. */
bool layout_schema_line(struct str line, struct layout_property *ret);

/* Find the name of a type, the type of a name, the property of a code, or the property of a name.
 * Names are compared in any case; results belong to n. false or NULL: unknown. n may be NULL. */
bool layout_type_name(const struct names *n, uint8_t type, struct str *ret);
bool layout_type_named(const struct names *n, struct str name, uint8_t *ret);
const struct layout_property *layout_property_find(
	const struct names *n, uint8_t type, uint8_t code);
/* *ret_axis: 0, 1 or 2 if the name is that of a vector and X, Y or Z; else -1. */
const struct layout_property *layout_property_named(
	const struct names *n, uint8_t type, struct str name, int *ret_axis);
/* Is it a widget, drawn on the screen: type 74, or a type with the property WIDGET NAME? Is it a
 * part of a particle effect? */
bool layout_type_is_widget(const struct names *n, uint8_t type);
bool layout_type_is_particle(uint8_t type);

/* Number of floats of a vector kind, else 0. */
static inline unsigned layout_axes(enum layout_kind kind)
{
	return kind == LAYOUT_VECTOR3 ? 3 : kind == LAYOUT_VECTOR2 ? 2 : 0;
}
