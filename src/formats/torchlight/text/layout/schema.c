/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/schema.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/text/names.h"

extern const char torchlight_layout_schema[];

enum { TYPES = 256, COLUMNS = 5, NUMBER_MAX = 255 };
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

/* Lines that lie together. */
struct lines {
	const struct layout_property *all;
	size_t n;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct lines types[TYPES];

/* The cells of a line; those that are missing at the end are empty. */
static void cells(struct str line, struct str ret[COLUMNS])
{
	for (int n = 0; n < COLUMNS; n++)
		ret[n] = line.s ? str_cut(&line, '\t') : (struct str){0};
}

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

	cells(line, cell);
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

/* The table is sorted by type, so a type's properties lie together. */
static void read_table(void)
{
	struct layout_property *p;
	size_t lines = 0;

	for (const char *s = torchlight_layout_schema; *s; s++)
		lines += *s == '\n';
	p = calloc(lines + 1, sizeof(*p));
	if (!p)
		return;
	for (const char *s = torchlight_layout_schema, *end; *s; s = end + 1) {
		end = strchr(s, '\n');
		if (!layout_schema_line((struct str){s, (size_t)(end - s)}, p))
			continue;
		if (!types[p->type].n++)
			types[p->type].all = p;
		p++;
	}
}

bool layout_type_named(const struct names *n, struct str name, uint8_t *ret)
{
	struct str other;

	pthread_once(&once, read_table);
	for (unsigned i = 0; i < TYPES; i++)
		if (types[i].n && str_equal_nocase(types[i].all->type_name, name)) {
			*ret = (uint8_t)i;
			return true;
		}
	for (; n; n = names_base(n)) {
		struct lines l = {.n = 0};

		l.all = names_properties(n, &l.n);
		for (size_t i = 0; i < l.n; i++)
			if (name.n && str_equal_nocase(l.all[i].type_name, name) &&
				layout_type_name(n, l.all[i].type, &other) &&
				str_equal_nocase(other, name)) {
				*ret = l.all[i].type;
				return true;
			}
	}
	return false;
}

/* What is looked for: a code, a name (with an axis at its end), or what the type is called. */
struct wanted {
	enum { CODE, NAME, NAME_AND_AXIS, TYPE } what;
	uint8_t code;
	struct str name;
	int ret_axis;
};

static bool is_wanted(const struct layout_property *p, struct wanted *w)
{
	struct str stem = {w->name.s, w->name.n ? w->name.n - 1 : 0};

	if (w->what == TYPE)
		return p->type_name.n;
	if (!p->name.n)
		return false;
	if (w->what == CODE)
		return p->code == w->code && p->kind != LAYOUT_NONE;
	if (w->what == NAME)
		return str_equal_nocase(p->name, w->name);
	w->ret_axis = w->name.n ? (w->name.s[stem.n] & ~0x20) - 'X' : -1;
	return w->ret_axis >= 0 && w->ret_axis < (int)layout_axes(p->kind) &&
	       str_equal_nocase(p->name, stem);
}

static const struct layout_property *search_lines(struct lines l, unsigned type, struct wanted *w)
{
	for (size_t i = 0; i < l.n; i++)
		if (l.all[i].type == type && is_wanted(&l.all[i], w))
			return &l.all[i];
	return NULL;
}

/* In the table and the dictionary. */
static const struct layout_property *search(const struct names *n, uint8_t type, struct wanted *w)
{
	const struct layout_property *p;

	pthread_once(&once, read_table);
	p = search_lines(types[type], type, w);
	for (; !p && n; n = names_base(n)) {
		struct lines l = {.n = 0};

		l.all = names_properties(n, &l.n);
		p = search_lines(l, type, w);
	}
	return p;
}

bool layout_type_name(const struct names *n, uint8_t type, struct str *ret)
{
	struct wanted w = {.what = TYPE};
	const struct layout_property *p = search(n, type, &w);

	if (p)
		*ret = p->type_name;
	return p;
}

bool layout_type_is_widget(uint8_t type)
{
	struct wanted w = {.what = NAME, .name = STR("WIDGET NAME")};

	return type == MENU_DEFINITION || search(NULL, type, &w);
}

bool layout_type_is_particle(uint8_t type)
{
	return type == PARTICLE || type == EMITTER;
}

const struct layout_property *layout_property_find(
	const struct names *n, uint8_t type, uint8_t code)
{
	struct wanted w = {.what = CODE, .code = code};

	return search(n, type, &w);
}

const struct layout_property *layout_property_named(
	const struct names *n, uint8_t type, struct str name, int *ret_axis)
{
	struct wanted w = {.what = NAME, .name = name};
	const struct layout_property *p = search(n, type, &w);

	*ret_axis = -1;
	if (p)
		return p;
	w.what = NAME_AND_AXIS;
	p = search(n, type, &w);
	if (p)
		*ret_axis = w.ret_axis;
	return p;
}
