/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/learn.h"

#include <errno.h>
#include <string.h>

#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/number.h"

struct learner {
	const struct names *names;
	struct buffer *lines;
	const struct dat_block *old, *last_found; /* in the old file's text */
	bool by_number;                           /* the text has P_n: it is not the kit's */
};

static bool is_properties(const struct dat_block *b)
{
	return str_equal_nocase(b->name, STR("PROPERTIES"));
}

static bool read_id(const struct dat_block *b, int64_t *ret)
{
	const struct dat_field *f = dat_find_field(b, STR("ID"));

	return f && number_get_i64(f->value, ret);
}

/* Search the old file for the object with this id, from the one that was found last on. */
static const struct dat_block *find_object(struct learner *l, int64_t id)
{
	const struct dat_block *b = l->last_found;
	int64_t other;

	do {
		b = dat_next(b) ?: l->old;
		if (is_properties(b) && read_id(b, &other) && other == id)
			return l->last_found = b;
	} while (b != l->last_found);
	return NULL;
}

static bool has_value(const struct dat_field *f, enum layout_kind kind, const struct buffer *old)
{
	CLEANUP_BUFFER struct buffer value = BUFFER_INIT;

	return layout_value_encode(f, kind, &value, NULL) == 0 && !value.error &&
	       value.size == old->size && !memcmp(value.data, old->data, old->size);
}

/* Find a kind of f's type: if by_value, one that encodes f to the old value; if not, one that the
 * old value can have. LAYOUT_KINDS: none. */
static enum layout_kind find_kind(
	const struct dat_field *f, const struct buffer *old, bool by_value)
{
	for (enum layout_kind k = 0; k < LAYOUT_HEX; k++) {
		if (layout_axes(k) || !str_equal_nocase(f->type, str_of(layout_kinds[k].word)))
			continue;
		if (by_value ? has_value(f, k, old) : layout_value_fits(k, old->data, old->size))
			return k;
	}
	return LAYOUT_KINDS;
}

/* Number of fields from f on if they are NAMEX, NAMEY (and NAMEZ) with the old values; else 0. */
static unsigned count_axes(const struct dat_field *f, const struct buffer *old)
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
			!number_get_f32(f->value, &bits) || bits != load_u32(old->data + 4 * i))
			return 0;
	}
	return axes;
}

static void put_line(struct learner *l, uint8_t type, struct str type_name, uint8_t code,
	struct str name, enum layout_kind kind)
{
	buffer_printf(l->lines, "%u\t", type);
	buffer_str(l->lines, type_name);
	buffer_printf(l->lines, "\t%u\t", code);
	buffer_str(l->lines, name);
	buffer_printf(l->lines, "\t%s\n", layout_kinds[kind].name);
}

/* The first field from f that is a property of the old object o; of a vector its X. */
static const struct dat_field *property_from(const struct learner *l, const struct dat_block *o,
	uint8_t type, const struct dat_field *f, struct layout_target *ret)
{
	while (f && (layout_text_is_identity(o, f) || !layout_text_target(f, type, l->names, ret) ||
			    ret->kind == LAYOUT_NONE || ret->axis > 0))
		f = f->next;
	return f;
}

/* Is the code unknown, and not in the object's text as P_n? */
static bool is_new(const struct learner *l, const struct dat_block *b, uint8_t type, uint8_t code)
{
	struct layout_target t;

	if (layout_property_find(l->names, type, code))
		return false;
	for (const struct dat_field *f = b->fields; f; f = f->next)
		if (layout_text_target(f, type, l->names, &t) && t.code == code)
			return false;
	return true;
}

/* Match an unknown old property with f. Returns the number of fields it takes; 0: no match. */
static unsigned match_property(struct learner *l, const struct dat_block *b,
	const struct dat_field *f, uint8_t type, const struct dat_field *old,
	const struct layout_target *t, bool by_place)
{
	CLEANUP_BUFFER struct buffer value = BUFFER_INIT;
	enum layout_kind kind;
	unsigned axes;

	if (!is_new(l, b, type, t->code) || layout_value_encode(old, t->kind, &value, NULL) < 0)
		return 0;
	axes = count_axes(f, &value);
	kind = axes == 3 ? LAYOUT_VECTOR3 : axes == 2 ? LAYOUT_VECTOR2 : find_kind(f, &value, true);
	if (kind == LAYOUT_KINDS && by_place)
		kind = find_kind(f, &value, false);
	if (kind == LAYOUT_KINDS)
		return 0;
	put_line(l, type, dat_find_field(b, STR("DESCRIPTOR"))->value, t->code,
		(struct str){f->key.s, f->key.n - (axes ? 1 : 0)}, kind);
	return axes ? axes : 1;
}

/* The field after the next old property of that code; `old` if there is none. */
static const struct dat_field *skip_property(const struct learner *l, const struct dat_block *o,
	uint8_t type, const struct dat_field *old, uint8_t code)
{
	struct layout_target t;
	const struct dat_field *f = old;

	while ((f = property_from(l, o, type, f, &t)) && t.code != code)
		f = f->next;
	return f ? f->next : old;
}

/* Has the object as many unknown names as unknown codes? */
static bool are_paired(
	const struct learner *l, const struct dat_block *b, uint8_t type, const struct dat_block *o)
{
	struct layout_target t;
	int n = 0;

	for (const struct dat_field *f = o->fields; (f = property_from(l, o, type, f, &t));
		f = f->next)
		n += is_new(l, b, type, t.code);
	for (const struct dat_field *f = b->fields; f; f = f->next)
		n -= !layout_text_is_identity(b, f) && !layout_text_target(f, type, l->names, &t);
	return n == 0;
}

static void learn_properties(
	struct learner *l, const struct dat_block *b, uint8_t type, const struct dat_block *o)
{
	bool by_place = !l->by_number && are_paired(l, b, type, o);
	const struct dat_field *old = o->fields;
	struct layout_target t;

	for (const struct dat_field *f = b->fields; f; f = f->next) {
		unsigned n;

		if (layout_text_is_identity(b, f))
			continue;
		if (layout_text_target(f, type, l->names, &t)) {
			/* A vector's fields are one property. */
			if (t.axis <= 0 && t.kind != LAYOUT_NONE)
				old = skip_property(l, o, type, old, t.code);
			continue;
		}
		old = property_from(l, o, type, old, &t);
		n = old ? match_property(l, b, f, type, old, &t, by_place) : 0;
		if (!n)
			return;
		old = old->next;
		while (--n)
			f = f->next;
	}
}

static bool has_unknown(const struct learner *l, const struct dat_block *b, uint8_t type)
{
	struct layout_target t;

	for (const struct dat_field *f = b->fields; f; f = f->next)
		if (!layout_text_is_identity(b, f) && !layout_text_target(f, type, l->names, &t))
			return true;
	return false;
}

static void learn_object(struct learner *l, const struct dat_block *b)
{
	const struct dat_field *descriptor = dat_find_field(b, STR("DESCRIPTOR"));
	const struct dat_block *o;
	struct str name;
	int64_t id;
	uint8_t type, old_type;

	if (!descriptor || !read_id(b, &id))
		return;
	/* Nothing can be learned without an unknown name. */
	if (layout_text_type(descriptor, l->names, &type) && !has_unknown(l, b, type))
		return;
	o = find_object(l, id);
	if (!o || !layout_text_type(dat_find_field(o, STR("DESCRIPTOR")), l->names, &old_type))
		return;
	if (!layout_text_type(descriptor, l->names, &type)) {
		/* A type with a name gets no other one. */
		if (layout_type_name(l->names, old_type, &name))
			return;
		type = old_type;
		buffer_printf(l->lines, "%u\t", type);
		buffer_str(l->lines, descriptor->value);
		buffer_text(l->lines, "\t\t\t\n");
	}
	if (type == old_type)
		learn_properties(l, b, type, o);
}

static bool has_number(const struct dat_block *b)
{
	for (const struct dat_field *f = b->fields; f; f = f->next)
		if (f->key.n > 2 && str_equal_nocase((struct str){f->key.s, 2}, STR("P_")) &&
			f->key.s[2] >= '0' && f->key.s[2] <= '9')
			return true;
	return false;
}

int layout_learn(const struct dat_block *root, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *lines)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	struct learner l = {.names = names, .lines = lines};
	int r = binlayout_decode(old, old_size, NULL, names, &text, NULL);

	if (r == 0)
		r = dattext_parse((const char *)text.data, text.size, &tree, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	l.old = l.last_found = tree->root;
	for (const struct dat_block *b = root; b; b = dat_next(b))
		l.by_number |= has_number(b);
	for (const struct dat_block *b = root; b; b = dat_next(b))
		if (is_properties(b))
			learn_object(&l, b);
	return lines->error;
}
