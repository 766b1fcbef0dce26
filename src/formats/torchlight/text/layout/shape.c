/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/shape.h"

#include <errno.h>

#include "formats/torchlight/text/textform.h"

enum { FIELDS_MAX = 4, BLOCKS_MAX = 4 };

struct shape {
	const char *name; /* NULL: the root */
	bool any_field;
	bool repeats; /* its blocks may stand several times */
	const char *fields[FIELDS_MAX], *blocks[BLOCKS_MAX];
};

static const struct shape shapes[] = {
	{.fields = {"VERSION", "COUNT"}, .blocks = {"OBJECTS"}},
	{"OBJECTS", .repeats = true, .blocks = {"BASEOBJECT"}},
	{"CHILDREN", .repeats = true, .blocks = {"BASEOBJECT"}},
	{"BASEOBJECT", .blocks = {"PROPERTIES", "CHILDREN"}},
	{"PROPERTIES", .any_field = true,
		.blocks = {"LOGICGROUP", "TIMELINEDATA", "EXTRADATA", "DATAGROUP"}},
	{"DATAGROUP", .any_field = true},
	{"EXTRADATA", .fields = {"BYTES"}},
	{"LOGICGROUP", .repeats = true, .blocks = {"LOGICOBJECT"}},
	{"LOGICOBJECT", .repeats = true, .fields = {"ID", "OBJECTID", "X", "Y"},
		.blocks = {"LOGICLINK"}},
	{"LOGICLINK", .fields = {"LINKINGTO", "OUTPUTNAME", "INPUTNAME"}},
	{"TIMELINEDATA", .repeats = true, .fields = {"ID"}, .blocks = {"TIMELINEOBJECT"}},
	{"TIMELINEOBJECT", .repeats = true, .fields = {"OBJECTID"},
		.blocks = {"TIMELINEOBJECTPROPERTY", "TIMELINEOBJECTEVENT"}},
	{"TIMELINEOBJECTPROPERTY", .repeats = true, .fields = {"OBJECTPROPERTYNAME"},
		.blocks = {"TIMELINEPOINT"}},
	{"TIMELINEOBJECTEVENT", .repeats = true, .fields = {"OBJECTEVENTNAME"},
		.blocks = {"TIMELINEPOINT"}},
	{"TIMELINEPOINT", .fields = {"TIMEPERCENT", "INTERPOLATION", "VALUE"}},
};
enum { SHAPES = sizeof(shapes) / sizeof(*shapes) };

static const struct shape *shape_of(const struct dat_block *b)
{
	if (!b->parent)
		return &shapes[0];
	for (size_t i = 1; i < SHAPES; i++)
		if (str_equal_nocase(b->name, str_of(shapes[i].name)))
			return &shapes[i];
	return NULL; /* it was refused where it stands */
}

static bool is_among(struct str name, const char *const *all, size_t n)
{
	for (size_t i = 0; i < n && all[i]; i++)
		if (str_equal_nocase(name, str_of(all[i])))
			return true;
	return false;
}

static int check_fields(const struct dat_block *b, const struct shape *shape, struct error *e)
{
	for (const struct dat_field *f = b->fields; f && !shape->any_field; f = f->next) {
		if (!is_among(f->key, shape->fields, FIELDS_MAX))
			return text_error(e, f->line, 1, "%.*s cannot stand in [%.*s]",
				STR_ARGS(f->key), STR_ARGS(b->name));
		if (dat_find_field(b, f->key) != f)
			return text_error(e, f->line, 1, "%.*s stands in [%.*s] twice",
				STR_ARGS(f->key), STR_ARGS(b->name));
	}
	return 0;
}

static int check_blocks(const struct dat_block *b, const struct shape *shape, struct error *e)
{
	for (const struct dat_block *c = b->blocks; c; c = c->next) {
		if (!is_among(c->name, shape->blocks, BLOCKS_MAX))
			return text_error(e, c->line, 1, "[%.*s] cannot stand in [%.*s]",
				STR_ARGS(c->name), STR_ARGS(b->name));
		if (!shape->repeats && dat_find_block(b, c->name) != c)
			return text_error(e, c->line, 1, "[%.*s] stands in [%.*s] twice",
				STR_ARGS(c->name), STR_ARGS(b->name));
	}
	return 0;
}

static bool is_root(const struct dat_block *b)
{
	static const char *const names[] = {"Layout", "UI", "Particle Creator"};

	return b->blocks || is_among(b->name, names, sizeof(names) / sizeof(*names));
}

int layout_shape_check(const struct dat_block *root, struct error *e)
{
	int r = 0;

	if (!is_root(root))
		return text_error(
			e, root->line, 1, "[%.*s] has no [OBJECTS]", STR_ARGS(root->name));
	for (const struct dat_block *b = root; r == 0 && b; b = dat_next(b)) {
		const struct shape *shape = shape_of(b);

		r = shape ? check_fields(b, shape, e) : 0;
		if (r == 0 && shape)
			r = check_blocks(b, shape, e);
	}
	return r;
}
