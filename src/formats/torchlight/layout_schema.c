/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/layout_schema.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const char torchlight_layout_schema[];

enum { TYPES_MAX = 256, COLUMNS = 5 };

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

/* How the table names them. */
static const char *const kind_names[LAYOUT_KINDS] = {
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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct layout_property *properties;
static struct layout_type types[TYPES_MAX];

/* The cells of the line at s, which ends at its line feed. false: too few. */
static bool cells(const char *s, struct str ret[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		ret[i].s = s;
		ret[i].n = strcspn(s, "\t\n");
		s += ret[i].n;
		if (i + 1 < COLUMNS && *s++ != '\t')
			return false;
	}
	return true;
}

static void add(const struct str cell[COLUMNS], struct layout_property *p)
{
	unsigned type = (unsigned)strtoul(cell[0].s, NULL, 10) % TYPES_MAX;
	struct layout_type *t = &types[type];

	p->type = (uint8_t)type;
	p->code = (uint8_t)strtoul(cell[2].s, NULL, 10);
	p->name = cell[3];
	p->kind = LAYOUT_HEX;
	for (int k = 0; k < LAYOUT_KINDS; k++)
		if (str_equal(cell[4], str_of(kind_names[k])))
			p->kind = (enum layout_kind)k;
	if (!t->name.s) {
		t->type = (uint8_t)type;
		t->name = cell[1];
		t->properties = p;
	}
	/* A type of which no property is known has a line without one. */
	if (p->name.n)
		t->n_properties++;
}

/* The table is sorted by type, so a type's properties lie together. */
static void read_table(void)
{
	struct str cell[COLUMNS];
	size_t lines = 0;

	for (const char *s = torchlight_layout_schema; *s; s++)
		lines += *s == '\n';
	properties = calloc(lines + 1, sizeof(*properties));
	if (!properties)
		return;
	lines = 0;
	for (const char *s = torchlight_layout_schema; *s; s = strchr(s, '\n') + 1)
		if (*s != '#' && cells(s, cell))
			add(cell, &properties[lines++]);
}

const struct layout_type *layout_type_find(uint8_t type)
{
	pthread_once(&once, read_table);
	return types[type].name.s ? &types[type] : NULL;
}

const struct layout_type *layout_type_named(struct str name)
{
	pthread_once(&once, read_table);
	for (unsigned i = 0; i < TYPES_MAX; i++)
		if (types[i].name.s && str_equal_nocase(types[i].name, name))
			return &types[i];
	return NULL;
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

const struct layout_property *layout_property_find(const struct layout_type *t, uint8_t code)
{
	for (size_t i = 0; t && i < t->n_properties; i++)
		if (t->properties[i].code == code && t->properties[i].kind != LAYOUT_NONE)
			return &t->properties[i];
	return NULL;
}

const struct layout_property *layout_property_named(
	const struct layout_type *t, struct str name, int *ret_axis)
{
	struct str stem = {name.s, name.n ? name.n - 1 : 0};
	int axis = name.n ? (name.s[stem.n] & ~0x20) - 'X' : -1;

	*ret_axis = -1;
	for (size_t i = 0; t && i < t->n_properties; i++)
		if (str_equal_nocase(t->properties[i].name, name))
			return &t->properties[i];
	for (size_t i = 0; t && i < t->n_properties; i++) {
		const struct layout_property *p = &t->properties[i];

		if (axis < 0 || axis >= (int)layout_axes(p->kind) ||
			!str_equal_nocase(p->name, stem))
			continue;
		*ret_axis = axis;
		return p;
	}
	return NULL;
}
