/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/layout_schema.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/names.h"

extern const char torchlight_layout_schema[];

enum { TYPES = 256, FAMILIES = 2, COLUMNS = 5, NUMBER_MAX = 255 };

const char *const layout_kind_words[LAYOUT_KINDS] = {
	[LAYOUT_BOOL] = "BOOL",
	[LAYOUT_INTEGER] = "INTEGER",
	[LAYOUT_UNSIGNED] = "UNSIGNED INT",
	[LAYOUT_FLOAT] = "FLOAT",
	[LAYOUT_INTEGER64] = "INTEGER64",
	[LAYOUT_STRING] = "STRING",
	[LAYOUT_TRANSLATE] = "TRANSLATE",
	[LAYOUT_VECTOR2] = "FLOAT",
	[LAYOUT_VECTOR3] = "FLOAT",
	[LAYOUT_FLOATLIST] = "STRING",
	[LAYOUT_UINTLIST] = "STRING",
	[LAYOUT_HEX] = "HEX",
	[LAYOUT_NONE] = "NONE",
};

const char *const layout_kind_names[LAYOUT_KINDS] = {
	[LAYOUT_BOOL] = "BOOL",
	[LAYOUT_INTEGER] = "INTEGER",
	[LAYOUT_UNSIGNED] = "UNSIGNED INT",
	[LAYOUT_FLOAT] = "FLOAT",
	[LAYOUT_INTEGER64] = "INTEGER64",
	[LAYOUT_STRING] = "STRING",
	[LAYOUT_TRANSLATE] = "TRANSLATE",
	[LAYOUT_VECTOR2] = "VECTOR2",
	[LAYOUT_VECTOR3] = "VECTOR3",
	[LAYOUT_FLOATLIST] = "FLOATLIST",
	[LAYOUT_UINTLIST] = "UINTLIST",
	[LAYOUT_HEX] = "HEX",
	[LAYOUT_NONE] = "NONE",
};

/* Lines that lie together. */
struct lines {
	const struct layout_property *all;
	size_t n;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct layout_property *properties;
static struct lines types[TYPES + FAMILIES]; /* the families' are the last */
static const char *const families[FAMILIES] = {"widget", "body"};

/* The cells of a line: two at least, and what is missing at the end is empty. */
static bool cells(struct str line, struct str ret[COLUMNS])
{
	int n = 0;

	for (; n < COLUMNS; n++) {
		const char *tab = memchr(line.s, '\t', line.n);

		ret[n] = (struct str){line.s, tab ? (size_t)(tab - line.s) : line.n};
		if (!tab)
			break;
		line.n -= ret[n].n + 1;
		line.s = tab + 1;
	}
	for (int i = n + 1; i < COLUMNS; i++)
		ret[i] = (struct str){"", 0};
	return n > 0;
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

/* All but the type. */
static bool read_rest(const struct str cell[COLUMNS], struct layout_property *p)
{
	p->type_name = cell[1];
	p->name = cell[3];
	p->code = 0;
	p->kind = LAYOUT_NONE;
	if (!p->name.n)
		return true;
	for (int k = 0; k < LAYOUT_KINDS; k++)
		if (str_equal(cell[4], str_of(layout_kind_names[k]))) {
			p->kind = (enum layout_kind)k;
			return k == LAYOUT_NONE || read_number(cell[2], &p->code);
		}
	return false;
}

bool layout_schema_line(struct str line, struct layout_property *ret)
{
	struct str cell[COLUMNS];

	return cells(line, cell) && read_number(cell[0], &ret->type) && read_rest(cell, ret);
}

static void add(struct str line, struct layout_property *p)
{
	struct str cell[COLUMNS];
	struct lines *l;

	if (!cells(line, cell) || !read_rest(cell, p))
		return;
	l = &types[TYPES + str_equal(cell[0], str_of(families[1]))];
	if (read_number(cell[0], &p->type))
		l = &types[p->type];
	if (!l->n++)
		l->all = p;
}

/* The table is sorted by type, so a type's properties lie together. */
static void read_table(void)
{
	size_t lines = 0;

	for (const char *s = torchlight_layout_schema; *s; s++)
		lines += *s == '\n';
	properties = calloc(lines + 1, sizeof(*properties));
	if (!properties)
		return;
	lines = 0;
	for (const char *s = torchlight_layout_schema, *end; *s; s = end + 1) {
		end = strchr(s, '\n');
		if (*s != '#')
			add((struct str){s, (size_t)(end - s)}, &properties[lines++]);
	}
}

bool layout_type_name(const struct names *n, uint8_t type, struct str *ret)
{
	pthread_once(&once, read_table);
	if (types[type].n) {
		*ret = types[type].all->type_name;
		return true;
	}
	for (; n; n = names_base(n)) {
		struct lines l = {.n = 0};

		l.all = names_properties(n, &l.n);
		for (size_t i = 0; i < l.n; i++)
			if (l.all[i].type == type && l.all[i].type_name.n) {
				*ret = l.all[i].type_name;
				return true;
			}
	}
	return false;
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

bool layout_type_is_widget(uint8_t type)
{
	static const uint8_t widgets[] = {
		61, 62, 64, 65, 66, 69, 71, 73, 74, 75, 76, 77, 78, 79, 81, 84, 85, 88};

	return memchr(widgets, type, sizeof(widgets)) != NULL;
}

bool layout_type_is_particle(uint8_t type)
{
	static const uint8_t particles[] = {18, 19};

	return memchr(particles, type, sizeof(particles)) != NULL;
}

/* What is looked for: a code, or a name (with an axis at its end). */
struct wanted {
	int code; /* -1: the name */
	struct str name;
	bool axis;
	int ret_axis;
};

static bool is_wanted(const struct layout_property *p, struct wanted *w)
{
	struct str stem = {w->name.s, w->name.n ? w->name.n - 1 : 0};

	if (!p->name.n)
		return false;
	if (w->code >= 0)
		return p->code == w->code && p->kind != LAYOUT_NONE;
	if (!w->axis)
		return str_equal_nocase(p->name, w->name);
	w->ret_axis = w->name.n ? (w->name.s[stem.n] & ~0x20) - 'X' : -1;
	return w->ret_axis >= 0 && w->ret_axis < (int)layout_axes(p->kind) &&
	       str_equal_nocase(p->name, stem);
}

static const struct layout_property *search(struct lines l, unsigned type, struct wanted *w)
{
	for (size_t i = 0; i < l.n; i++)
		if (l.all[i].type == type && is_wanted(&l.all[i], w))
			return &l.all[i];
	return NULL;
}

/* In the table and the dictionary. */
static const struct layout_property *search_known(
	const struct names *n, uint8_t type, struct wanted *w)
{
	const struct layout_property *p;

	pthread_once(&once, read_table);
	p = search(types[type], type, w);
	for (; !p && n; n = names_base(n)) {
		struct lines l = {.n = 0};

		l.all = names_properties(n, &l.n);
		p = search(l, type, w);
	}
	return p;
}

static bool has(const struct names *n, uint8_t type, const char *name, enum layout_kind kind)
{
	struct wanted w = {.code = -1, .name = str_of(name)};
	const struct layout_property *p = search_known(n, type, &w);

	return p && p->kind == kind;
}

/* In the families of the type; what is known of the type itself counts first. */
static const struct layout_property *search_families(
	const struct names *n, uint8_t type, struct wanted *w)
{
	const bool in[FAMILIES] = {
		has(n, type, "WIDTH", LAYOUT_FLOAT) && has(n, type, "HEIGHT", LAYOUT_FLOAT),
		has(n, type, "POSITION", LAYOUT_VECTOR3),
	};

	for (int i = 0; i < FAMILIES; i++) {
		const struct layout_property *p = in[i] ? search(types[TYPES + i], 0, w) : NULL;
		struct wanted code = {.code = p ? p->code : 0};
		struct wanted name = {.code = -1, .name = p ? p->name : STR("")};

		if (p && !search_known(n, type, &code) && !search_known(n, type, &name))
			return p;
	}
	return NULL;
}

static const struct layout_property *search_all(
	const struct names *n, uint8_t type, struct wanted *w)
{
	const struct layout_property *p = search_known(n, type, w);

	return p ? p : search_families(n, type, w);
}

const struct layout_property *layout_property_find(
	const struct names *n, uint8_t type, uint8_t code)
{
	struct wanted w = {.code = code};

	return search_all(n, type, &w);
}

const struct layout_property *layout_property_named(
	const struct names *n, uint8_t type, struct str name, int *ret_axis)
{
	struct wanted w = {.code = -1, .name = name};
	const struct layout_property *p = search_all(n, type, &w);

	*ret_axis = -1;
	if (p)
		return p;
	w.axis = true;
	p = search_all(n, type, &w);
	if (p)
		*ret_axis = w.ret_axis;
	return p;
}
