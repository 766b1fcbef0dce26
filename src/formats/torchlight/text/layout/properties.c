/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/properties.h"

#include <errno.h>

#include "formats/torchlight/text/layout/schema.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/layout/value.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

enum { PROPERTIES_MAX = 255 };

int layout_read_identity(
	struct layout_encoder *en, const struct dat_block *b, struct layout_identity *ret)
{
	static const char *const keys[] = {"DESCRIPTOR", "NAME", "ID", "PARENTID"};
	const struct dat_field *f;

	for (int i = 0; i < 4; i++)
		ret->fields[i] = dat_find_field(b, str_of(keys[i]));
	for (int i = 0; i < 3; i += 2)
		if (!ret->fields[i])
			return text_error(en->e, b->line, 1, "[PROPERTIES] without %s", keys[i]);
	f = ret->fields[0];
	if (!layout_text_type(f, en->names, &ret->type)) {
		en->unknown = true;
		return dat_field_error(en->e, f,
			"no known DESCRIPTOR '%.*s' (TYPE_0 to TYPE_255 are "
			"those without a name)",
			STR_ARGS(f->value));
	}
	if (ret->fields[1] && !str_equal(ret->fields[1]->value, f->value))
		ret->name = ret->fields[1]->value;
	f = ret->fields[2];
	if (!number_get_i64(f->value, &ret->id))
		return dat_field_error(en->e, f, "ID is no 64-bit integer");
	return 0;
}

/* Which property a field is for. */
static int find_target(struct layout_encoder *en, const struct layout_identity *id,
	const struct dat_field *f, struct layout_target *ret)
{
	if (!layout_text_word(f))
		return dat_field_error(en->e, f, "<%.*s> is no type", STR_ARGS(f->type));
	if (!layout_text_target(f, id->type, en->names, ret)) {
		en->unknown = true;
		return dat_field_error(en->e, f,
			"no known property '%.*s', and none of P_0 to P_255", STR_ARGS(f->key));
	}
	if (ret->kind == LAYOUT_KINDS)
		return dat_field_error(
			en->e, f, "%.*s cannot be a %.*s", STR_ARGS(f->key), STR_ARGS(f->type));
	if (ret->axis < 0 && layout_axes(ret->kind))
		return dat_field_error(en->e, f, "%.*s is a vector: %.*sX, %.*sY ...",
			STR_ARGS(f->key), STR_ARGS(f->key), STR_ARGS(f->key));
	return 0;
}

/* The vector that is being put together: its place in out and which axes are there. */
struct vector {
	size_t at;
	uint8_t code;
	unsigned seen; /* bits; 0: none is open */
};

static int put_axis(struct layout_encoder *en, const struct dat_field *f,
	const struct layout_target *t, struct vector *v, unsigned *n)
{
	uint32_t bits;

	if (!number_get_f32(f->value, &bits))
		return dat_field_error(en->e, f, "'%.*s' is no decimal number", STR_ARGS(f->value));
	if (!v->seen || v->code != t->code || v->seen & 1U << t->axis) {
		buffer_u16(en->out, (uint16_t)(1 + 4 * layout_axes(t->kind)));
		buffer_byte(en->out, t->code);
		*v = (struct vector){.at = en->out->size, .code = t->code};
		for (unsigned i = 0; i < layout_axes(t->kind); i++)
			buffer_u32(en->out, 0);
		++*n;
	}
	v->seen |= 1U << t->axis;
	buffer_patch_u32(en->out, v->at + 4 * (size_t)t->axis, bits);
	return 0;
}

static int put_property(
	struct layout_encoder *en, const struct dat_field *f, const struct layout_target *t)
{
	size_t at = en->out->size, len;
	int r;

	buffer_u16(en->out, 0);
	buffer_byte(en->out, t->code);
	r = layout_value_encode(f, t->kind, en->out, en->e);
	if (r < 0 || en->out->error)
		return r;
	len = en->out->size - at - 2;
	if (len > UINT16_MAX)
		return dat_field_error(
			en->e, f, "the value has %zu bytes (at most %d)", len - 1, UINT16_MAX - 1);
	buffer_patch_u16(en->out, at, len);
	return 0;
}

static bool is_identity(const struct layout_identity *id, const struct dat_field *f)
{
	for (int i = 0; i < 4; i++)
		if (id->fields[i] == f)
			return true;
	return false;
}

/* Is f a Group's TAG whose number is known, since the text says it or the old file has it? Then it
 * stands in the node alone; the name of another one is kept as a property. */
static bool is_known_tag(const struct layout_encoder *en, const struct dat_block *b,
	const struct layout_identity *id, const struct dat_field *f)
{
	const struct layout_node *old = layout_nodes_find(&en->old, en->nodes.n, id->id);
	const struct dat_block *node = dat_find_block(b, STR("DATAGROUP"));
	int32_t tag;

	if (id->type != LAYOUT_GROUP || !str_equal_nocase(f->key, STR("TAG")))
		return false;
	if (!f->value.n || number_get_i32(f->value, &tag))
		return true;
	return old && old->tag >= 0 && !(node && dat_find_field(node, STR("TAG")));
}

int layout_put_properties(
	struct layout_encoder *en, const struct dat_block *b, const struct layout_identity *id)
{
	struct vector v = {0};
	struct layout_target t;
	size_t at = en->out->size;
	unsigned n = 0;
	int r = 0;

	buffer_byte(en->out, 0);
	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next) {
		if (is_identity(id, f))
			continue;
		r = find_target(en, id, f, &t);
		if (r < 0)
			return r;
		if (t.kind == LAYOUT_NONE || is_known_tag(en, b, id, f))
			continue;
		if (t.axis >= 0 && t.kind != LAYOUT_HEX) {
			r = put_axis(en, f, &t, &v, &n);
			continue;
		}
		v.seen = 0;
		r = put_property(en, f, &t);
		n++;
	}
	if (r == 0 && n > PROPERTIES_MAX)
		return text_error(en->e, b->line, 1, "an object has %u properties (at most %d)", n,
			PROPERTIES_MAX);
	if (!en->out->error)
		en->out->data[at] = (uint8_t)n;
	return r;
}
