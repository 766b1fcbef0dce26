/* SPDX-License-Identifier: Zlib */
#include "base/array.h"
#include "formats/torchlight/text/layout/learn.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/number.h"

enum { FIRST_OBJECT = 6 };

struct old_object {
	int64_t id;
	size_t nth;
	size_t properties; /* where they begin in the file: u8 n */
	uint8_t type;
};

struct learning {
	const uint8_t *old;
	size_t old_size;
	const struct names *names;
	struct buffer *lines;
	struct old_object *objects; /* by id */
	size_t n, room;
	bool by_number; /* the text has P_n: it is not the kit's */
	int error;
};

static void add_object(struct learning *l, struct old_object o)
{
	if (!array_room(l->objects, l->n, l->room)) {
		l->error = -ENOMEM;
		return;
	}
	o.nth = l->n;
	l->objects[l->n++] = o;
}

static void collect(struct learning *l, struct cursor *c, unsigned depth)
{
	for (unsigned n = cursor_u16(c); n && !c->bad && !l->error && depth < BINLAYOUT_DEPTH_MAX;
		n--) {
		struct old_object o = {0};

		cursor_u32(c);
		o.type = cursor_u8(c);
		o.id = cursor_i64(c);
		cursor_ss(c);
		o.properties = c->pos;
		for (unsigned k = cursor_u8(c); k && !c->bad; k--)
			cursor_take(c, cursor_u16(c));
		cursor_take(c, cursor_u32(c));
		if (!c->bad)
			add_object(l, o);
		collect(l, c, depth + 1);
	}
}

static int by_id(const void *x, const void *y)
{
	const struct old_object *a = x, *b = y;

	return array_order(a->id, b->id) ?: array_order(a->nth, b->nth);
}

static const struct old_object *find_object(const struct learning *l, int64_t id)
{
	size_t at = array_first(i, l->n, l->objects[i].id >= id);

	return at < l->n && l->objects[at].id == id ? &l->objects[at] : NULL;
}

/* The old object's properties that are still to be told of. */
struct rest {
	struct cursor c;
	unsigned n;
};

struct old_property {
	uint8_t code;
	const uint8_t *value;
	size_t size;
};

static struct rest properties_of(const struct learning *l, const struct old_object *o)
{
	struct rest r = {.c = cursor_init(l->old, l->old_size)};

	r.c.pos = o->properties;
	r.n = cursor_u8(&r.c);
	return r;
}

static bool next_property(struct rest *r, struct old_property *ret)
{
	size_t n;

	if (!r->n)
		return false;
	r->n--;
	n = cursor_u16(&r->c);
	ret->code = cursor_u8(&r->c);
	ret->size = n ? n - 1 : 0;
	ret->value = n ? cursor_take(&r->c, ret->size) : NULL;
	return ret->value && !r->c.bad;
}

/* Has the old value the length of one of this kind? */
static bool could_be(enum layout_kind kind, const struct old_property *old)
{
	switch (kind) {
	case LAYOUT_STRING:
	case LAYOUT_TRANSLATE:
		return old->size >= 2 &&
		       old->size == 2 + 2 * (size_t)(old->value[0] | old->value[1] << 8);
	case LAYOUT_INTEGER64:
		return old->size == 8;
	default:
		return old->size == 4;
	}
}

static bool has_value(
	const struct dat_field *f, enum layout_kind kind, const struct old_property *old)
{
	CLEANUP_BUFFER struct buffer value = BUFFER_INIT;

	return layout_value_encode(f, kind, &value, NULL) == 0 && !value.error &&
	       value.size == old->size && !memcmp(value.data, old->value, old->size);
}

/* The kind that makes the old value of the field's; LAYOUT_KINDS: none. Strings may be lists. */
static enum layout_kind kind_by_value(const struct dat_field *f, const struct old_property *old)
{
	static const enum layout_kind lists[] = {LAYOUT_FLOATLIST, LAYOUT_UINTLIST};

	for (int k = 0; k < LAYOUT_HEX; k++)
		if (!layout_axes((enum layout_kind)k) &&
			str_equal_nocase(f->type, str_of(layout_kinds[k].word)) &&
			has_value(f, (enum layout_kind)k, old))
			return (enum layout_kind)k;
	for (size_t i = 0; i < 2 && str_equal_nocase(f->type, STR("STRING")); i++)
		if (has_value(f, lists[i], old))
			return lists[i];
	return LAYOUT_KINDS;
}

static enum layout_kind kind_by_word(const struct dat_field *f, const struct old_property *old)
{
	for (int k = 0; k < LAYOUT_HEX; k++)
		if (!layout_axes((enum layout_kind)k) &&
			str_equal_nocase(f->type, str_of(layout_kinds[k].word)) &&
			could_be((enum layout_kind)k, old))
			return (enum layout_kind)k;
	return LAYOUT_KINDS;
}

/* Are f and those after it NAMEX, NAMEY (and NAMEZ) with the old values? Their number, or 0. */
static unsigned is_vector(const struct dat_field *f, const struct old_property *old)
{
	struct str stem = {f->key.s, f->key.n ? f->key.n - 1 : 0};
	unsigned axes = (unsigned)(old->size / 4);

	if (!stem.n || (old->size != 8 && old->size != 12))
		return 0;
	for (unsigned i = 0; i < axes; i++, f = f->next) {
		uint32_t bits;

		if (!f || f->key.n != stem.n + 1 || (f->key.s[stem.n] & ~0x20) != (int)('X' + i) ||
			!str_equal_nocase((struct str){f->key.s, stem.n}, stem) ||
			!str_equal_nocase(f->type, STR("FLOAT")) ||
			!number_get_f32(f->value, &bits) || bits != load_u32(old->value + 4 * i))
			return 0;
	}
	return axes;
}

static void put_line(struct learning *l, uint8_t type, struct str type_name, uint8_t code,
	struct str name, enum layout_kind kind)
{
	buffer_printf(l->lines, "%u\t", type);
	buffer_str(l->lines, type_name);
	buffer_printf(l->lines, "\t%u\t", code);
	buffer_str(l->lines, name);
	buffer_printf(l->lines, "\t%s\n", layout_kinds[kind].name);
}

/* A code that nobody knows and that the object's text does not say by its number. */
static bool is_new(const struct learning *l, const struct dat_block *b, uint8_t type, uint8_t code)
{
	struct layout_target t;

	if (layout_property_find(l->names, type, code))
		return false;
	for (const struct dat_field *f = b->fields; f; f = f->next)
		if (layout_text_target(f, type, l->names, &t) && t.code == code)
			return false;
	return true;
}

/* The unknown property where r stands, for f. How many fields it took; 0: it is another one's. */
static unsigned match(struct learning *l, const struct dat_block *b, const struct dat_field *f,
	uint8_t type, struct rest *r, bool by_place)
{
	struct rest after = *r;
	struct old_property old;
	enum layout_kind kind;
	unsigned axes;

	if (!next_property(&after, &old) || !is_new(l, b, type, old.code))
		return 0;
	axes = is_vector(f, &old);
	kind = axes == 3 ? LAYOUT_VECTOR3 : axes == 2 ? LAYOUT_VECTOR2 : kind_by_value(f, &old);
	if (kind == LAYOUT_KINDS && by_place)
		kind = kind_by_word(f, &old);
	if (kind == LAYOUT_KINDS)
		return 0;
	put_line(l, type, dat_find_field(b, STR("DESCRIPTOR"))->value, old.code,
		(struct str){f->key.s, f->key.n - (axes ? 1 : 0)}, kind);
	*r = after;
	return axes ? axes : 1;
}

/* Behind the next property of that code, if there is one. */
static void pass(struct rest *r, uint8_t code)
{
	struct rest after = *r;
	struct old_property old;

	while (next_property(&after, &old))
		if (old.code == code) {
			*r = after;
			return;
		}
}

/* Has the object as many unknown names as unknown codes? */
static bool are_paired(const struct learning *l, const struct dat_block *b, uint8_t type,
	const struct old_object *o)
{
	struct rest r = properties_of(l, o);
	struct layout_target t;
	struct old_property old;
	int n = 0;

	while (next_property(&r, &old))
		n += is_new(l, b, type, old.code);
	for (const struct dat_field *f = b->fields; f; f = f->next)
		n -= !layout_text_is_identity(b, f) && !layout_text_target(f, type, l->names, &t);
	return n == 0;
}

static void learn_properties(
	struct learning *l, const struct dat_block *b, uint8_t type, const struct old_object *o)
{
	bool by_place = !l->by_number && are_paired(l, b, type, o);
	struct rest r = properties_of(l, o);
	struct layout_target t;

	for (const struct dat_field *f = b->fields; f; f = f->next) {
		unsigned n;

		if (layout_text_is_identity(b, f))
			continue;
		if (layout_text_target(f, type, l->names, &t)) {
			/* A vector's fields are one property. */
			if (t.axis <= 0 && t.kind != LAYOUT_NONE)
				pass(&r, t.code);
			continue;
		}
		n = match(l, b, f, type, &r, by_place);
		if (!n)
			return;
		while (--n)
			f = f->next;
	}
}

static void learn_object(struct learning *l, const struct dat_block *b)
{
	const struct dat_field *id = dat_find_field(b, STR("ID"));
	const struct dat_field *descriptor = dat_find_field(b, STR("DESCRIPTOR"));
	const struct old_object *o;
	struct str name = {"", 0};
	int64_t number;
	uint8_t type;

	if (!id || !descriptor || !number_get_i64(id->value, &number))
		return;
	o = find_object(l, number);
	if (!o)
		return;
	if (!layout_text_type(descriptor, l->names, &type)) {
		/* What has a name is not what has another one. */
		if (layout_type_name(l->names, o->type, &name))
			return;
		type = o->type;
		buffer_printf(l->lines, "%u\t", type);
		buffer_str(l->lines, descriptor->value);
		buffer_text(l->lines, "\t\t\t\n");
	}
	if (type == o->type)
		learn_properties(l, b, type, o);
}

static void learn_blocks(struct learning *l, const struct dat_block *b)
{
	for (const struct dat_block *c = b->blocks; c; c = c->next) {
		if (str_equal_nocase(c->name, STR("PROPERTIES")))
			learn_object(l, c);
		else
			learn_blocks(l, c);
	}
}

static bool has_numbers(const struct dat_block *b)
{
	for (const struct dat_field *f = b->fields; f; f = f->next)
		if (f->key.n > 2 && str_equal_nocase((struct str){f->key.s, 2}, STR("P_")) &&
			f->key.s[2] >= '0' && f->key.s[2] <= '9')
			return true;
	for (const struct dat_block *c = b->blocks; c; c = c->next)
		if (has_numbers(c))
			return true;
	return false;
}

int layout_learn(const struct dat_block *root, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *lines)
{
	struct learning l = {.old = old, .old_size = old_size, .names = names, .lines = lines};
	struct cursor c = cursor_init(old, old_size);

	l.by_number = has_numbers(root);
	c.pos = FIRST_OBJECT < old_size ? FIRST_OBJECT : old_size;
	collect(&l, &c, 0);
	if (l.n)
		qsort(l.objects, l.n, sizeof(*l.objects), by_id);
	if (!l.error)
		learn_blocks(&l, root);
	free(l.objects);
	return l.error ? l.error : lines->error;
}
