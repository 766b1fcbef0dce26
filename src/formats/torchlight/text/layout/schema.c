/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/schema.h"

#include "base/array.h"
#include "formats/torchlight/text/names.h"

enum { COLUMNS = 5, NUMBER_MAX = 255 };
enum { PARTICLE = 18, EMITTER = 19, MENU_DEFINITION = 74 };

const struct layout_kind_facts layout_kinds[LAYOUT_KINDS] = {
	[LAYOUT_BOOL] = {"BOOL", "BOOL", 4, NUMBER_BOOL},
	[LAYOUT_INTEGER] = {"INTEGER", "INTEGER", 4, NUMBER_I32},
	[LAYOUT_UNSIGNED] = {"UNSIGNED INT", "UNSIGNED INT", 4, NUMBER_U32},
	[LAYOUT_FLOAT] = {"FLOAT", "FLOAT", 4, NUMBER_F32},
	[LAYOUT_INTEGER64] = {"INTEGER64", "INTEGER64", 8, NUMBER_I64},
	[LAYOUT_STRING] = {"STRING", "STRING", .size = 0},
	[LAYOUT_TRANSLATE] = {"TRANSLATE", "TRANSLATE", .size = 0},
	[LAYOUT_VECTOR2] = {"VECTOR2", "FLOAT", 8, NUMBER_F32},
	[LAYOUT_VECTOR3] = {"VECTOR3", "FLOAT", 12, NUMBER_F32},
	[LAYOUT_FLOATLIST] = {"FLOATLIST", "STRING", 0, NUMBER_F32},
	[LAYOUT_UINTLIST] = {"UINTLIST", "STRING", 0, NUMBER_U32},
	[LAYOUT_HEX] = {"HEX", "HEX", .size = 0},
	[LAYOUT_NONE] = {"NONE", "NONE", 4, NUMBER_F32},
};

static bool read_number(struct str s, uint8_t *ret)
{
	unsigned v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.s[i] < '0' || s.s[i] > '9')
			return false;
		v = v * 10 + (unsigned)(s.s[i] - '0');
		if (v > NUMBER_MAX)
			return false;
	}
	*ret = (uint8_t)v;
	return s.n > 0;
}

bool layout_schema_line(struct str line, struct layout_property *ret)
{
	struct str cell[COLUMNS];

	/* Missing cells are empty. */
	for (int n = 0; n < COLUMNS; n++)
		cell[n] = line.s ? str_cut(&line, '\t') : (struct str){0};
	if (!cell[1].s || !read_number(cell[0], &ret->type))
		return false;
	ret->type_name = cell[1];
	ret->name = cell[3];
	ret->code = 0;
	ret->kind = LAYOUT_NONE;
	if (!ret->name.n)
		return true;
	for (int k = 0; k < LAYOUT_KINDS; k++)
		if (str_equal(cell[4], str_of(layout_kinds[k].name))) {
			ret->kind = (enum layout_kind)k;
			return k == LAYOUT_NONE || read_number(cell[2], &ret->code);
		}
	return false;
}

/* Find the next line of a type after p, newest dictionary first. p: NULL, or in the lines of *n. */
static const struct layout_property *next_line(
	const struct names **n, uint8_t type, const struct layout_property *p)
{
	const struct layout_property *all;
	size_t count;

	for (; *n; *n = names_base(*n)) {
		all = names_properties(*n, &count);
		if (!count)
			continue;
		p = p ? p + 1 : all + array_bisect(i, count, all[i].type >= type);
		if (p < all + count && p->type == type)
			return p;
		p = NULL;
	}
	return NULL;
}

bool layout_type_named(const struct names *n, struct str name, uint8_t *ret)
{
	const struct layout_property *all;
	bool found = false;
	size_t count;

	/* The oldest dictionary has precedence. */
	for (; name.n && n; n = names_base(n)) {
		all = names_properties(n, &count);
		for (size_t i = 0; i < count; i++)
			if (all[i].type_name.n == name.n &&
				str_equal_nocase(all[i].type_name, name)) {
				*ret = all[i].type;
				found = true;
				break;
			}
	}
	return found;
}

bool layout_type_name(const struct names *n, uint8_t type, struct str *ret)
{
	const struct layout_property *p = NULL;

	while ((p = next_line(&n, type, p)) && !p->type_name.n)
		;
	if (p)
		*ret = p->type_name;
	return p;
}

const struct layout_property *layout_property_find(
	const struct names *n, uint8_t type, uint8_t code)
{
	const struct layout_property *p = NULL;

	while ((p = next_line(&n, type, p)) && (p->code != code || p->kind == LAYOUT_NONE))
		;
	return p;
}

const struct layout_property *layout_property_named(
	const struct names *n, uint8_t type, struct str name, int *ret_axis)
{
	const struct layout_property *p = NULL, *vector = NULL;
	struct str stem = {name.s, name.n ? name.n - 1 : 0};
	int axis = name.n ? (name.s[stem.n] & ~0x20) - 'X' : -1;

	*ret_axis = -1;
	while ((p = next_line(&n, type, p))) {
		if (name.n && str_equal_nocase(p->name, name))
			return p;
		if (axis >= 0 && axis < (int)layout_axes(p->kind) &&
			str_equal_nocase(p->name, stem))
			vector = p;
	}
	if (vector)
		*ret_axis = axis;
	return vector;
}

bool layout_type_is_widget(const struct names *n, uint8_t type)
{
	int axis;

	return type == MENU_DEFINITION || layout_property_named(n, type, STR("WIDGET NAME"), &axis);
}

bool layout_type_is_particle(uint8_t type)
{
	return type == PARTICLE || type == EMITTER;
}
