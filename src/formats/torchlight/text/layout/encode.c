/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/layout/extra.h"
#include "formats/torchlight/text/layout/group.h"
#include "formats/torchlight/text/layout/learn.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/names.h"
#include "formats/torchlight/text/textform.h"

enum { GROUP_OFFSET_AT = 2, PROPERTIES_MAX = 255 };

struct encoder {
	struct buffer *out;
	const struct names *names;
	struct buffer nodes; /* the data group: the root, then the Groups so far */
	size_t n_nodes;
	struct layout_nodes old; /* nodes of the old file */
	bool old_known;
	bool unknown; /* it failed at an unknown name */
	struct error *e;
};

struct identity {
	uint8_t type;
	struct str name; /* empty: the name of the type */
	int64_t id;
};

static int read_identity(struct encoder *en, const struct dat_block *b, struct identity *ret)
{
	const struct dat_field *descriptor = dat_find_field(b, STR("DESCRIPTOR")),
			       *name = dat_find_field(b, STR("NAME")),
			       *id = dat_find_field(b, STR("ID"));

	if (!descriptor || !id)
		return text_error(en->e, b->line, 1, "[PROPERTIES] without %s",
			descriptor ? "ID" : "DESCRIPTOR");
	if (!layout_text_type(descriptor, en->names, &ret->type)) {
		en->unknown = true;
		return dat_field_error(en->e, descriptor,
			"unknown DESCRIPTOR '%.*s' (TYPE_0 to TYPE_255 for those without a name)",
			STR_ARGS(descriptor->value));
	}
	if (name && !str_equal(name->value, descriptor->value))
		ret->name = name->value;
	if (!number_get_i64(id->value, &ret->id))
		return dat_field_error(en->e, id, "ID is not a 64-bit integer");
	return 0;
}

static int find_target(struct encoder *en, const struct identity *id, const struct dat_field *f,
	struct layout_target *ret)
{
	if (!layout_text_is_type(f))
		return dat_field_error(en->e, f, "<%.*s> is not a type", STR_ARGS(f->type));
	if (!layout_text_target(f, id->type, en->names, ret)) {
		en->unknown = true;
		return dat_field_error(en->e, f,
			"unknown property '%.*s' (P_0 to P_255 for those without a name)",
			STR_ARGS(f->key));
	}
	if (ret->kind == LAYOUT_KINDS)
		return dat_field_error(
			en->e, f, "%.*s cannot be a %.*s", STR_ARGS(f->key), STR_ARGS(f->type));
	if (ret->axis < 0 && layout_axes(ret->kind))
		return dat_field_error(en->e, f, "%.*s is a vector: %.*sX, %.*sY ...",
			STR_ARGS(f->key), STR_ARGS(f->key), STR_ARGS(f->key));
	return 0;
}

/* The vector that is being written: its offset in out, and the axes that are known. */
struct vector {
	size_t at;
	uint8_t code;
	unsigned seen; /* bits; 0: no vector is open */
};

static int put_axis(struct encoder *en, const struct dat_field *f, const struct layout_target *t,
	struct vector *v, unsigned *n)
{
	uint32_t bits;

	if (!number_get_f32(f->value, &bits))
		return dat_field_error(
			en->e, f, "'%.*s' is not a decimal number", STR_ARGS(f->value));
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
	struct encoder *en, const struct dat_field *f, const struct layout_target *t)
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

/* Append all properties except the identity, after their number. */
static int put_properties(struct encoder *en, const struct dat_block *b, const struct identity *id)
{
	const struct layout_node *old = layout_nodes_find(&en->old, en->n_nodes, id->id);
	struct vector v = {0};
	struct layout_target t;
	size_t at = en->out->size;
	unsigned n = 0;
	int r = 0;

	buffer_byte(en->out, 0);
	for (struct dat_field *f = b->fields; r == 0 && f; f = f->next) {
		f->is_read = true;
		if (layout_text_is_identity(b, f))
			continue;
		r = find_target(en, id, f, &t);
		if (r < 0)
			return r;
		if (t.kind == LAYOUT_NONE ||
			(id->type == LAYOUT_GROUP && layout_group_knows_tag(old, b, f)))
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

static int put_extra(struct encoder *en, const struct dat_block *b, uint8_t type)
{
	size_t at = en->out->size;
	int r = 0;

	buffer_u32(en->out, 0);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next) {
		dat_find_block(b, c->name);
		if (layout_is_extra(c))
			r = layout_extra_encode(c, type, en->out, en->e);
		else if (type != LAYOUT_GROUP || !str_equal_nocase(c->name, STR("DATAGROUP")))
			return text_error(
				en->e, c->line, 1, "[%.*s] is not allowed here", STR_ARGS(c->name));
	}
	buffer_patch_u32(en->out, at, en->out->size - at - 4);
	return r;
}

/* Increment the number of children of a node, which is at an offset in nodes. */
static int count_node(struct encoder *en, const struct dat_block *b, size_t at)
{
	const uint8_t *all = en->nodes.data;
	unsigned n = en->nodes.error ? 0 : all[at] | (unsigned)all[at + 1] << 8;

	if (n == UINT16_MAX)
		return text_error(en->e, b->line, 1, "more than %d Groups in one", UINT16_MAX);
	buffer_patch_u16(&en->nodes, at, n + 1);
	return 0;
}

static int add_group(struct encoder *en, const struct dat_block *b, const struct identity *id,
	size_t offset, size_t parent)
{
	CLEANUP_NODE struct layout_node node = layout_node_new(id->id, offset);
	const struct layout_node *old = layout_nodes_find(&en->old, en->n_nodes++, id->id);
	const struct dat_block *block = dat_find_block(b, STR("DATAGROUP"));
	int r = count_node(en, b, parent);

	/* Keep what no text shows: a byte that is no boolean, and the number of a TAG. */
	if (old && old->part[NODE_NO_TAG_FOUND] > 1)
		node.part[NODE_NO_TAG_FOUND] = old->part[NODE_NO_TAG_FOUND];
	if (old && dat_find_field(b, STR("TAG")))
		node.part[NODE_TAG] = old->part[NODE_TAG];
	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next)
		r = layout_group_field(f, &node, en->e);
	if (r == 0 && block)
		r = layout_group_encode(block, &node, en->e);
	layout_node_write(&node, &en->nodes);
	return r;
}

static int put_objects(
	struct encoder *en, const struct dat_block *b, unsigned nesting, size_t group);

/* Append the DESCRIPTOR of the object to the message of a refusal. */
static int add_descriptor_to_error(struct encoder *en, const struct dat_block *b, int r)
{
	const struct dat_field *descriptor = dat_find_field(b, STR("DESCRIPTOR"));
	size_t n = en->e ? strlen(en->e->text) : 0;

	if (r == -EINVAL && n)
		snprintf(en->e->text + n, sizeof(en->e->text) - n, " (DESCRIPTOR %.*s)",
			STR_SHORT(descriptor->value, 100));
	return r;
}

static int put_object(struct encoder *en, const struct dat_block *b, unsigned nesting, size_t group)
{
	const struct dat_block *properties = dat_find_block(b, STR("PROPERTIES"));
	const struct dat_block *children = dat_find_block(b, STR("CHILDREN"));
	struct identity id = {0};
	size_t at = en->out->size;
	int r;

	if (!properties)
		return text_error(en->e, b->line, 1, "[BASEOBJECT] without [PROPERTIES]");
	if (nesting >= BINLAYOUT_DEPTH_MAX)
		return text_error(en->e, b->line, 1, "objects are nested more than %d deep",
			BINLAYOUT_DEPTH_MAX);
	r = read_identity(en, properties, &id);
	if (r < 0)
		return r;
	buffer_u32(en->out, 0);
	buffer_byte(en->out, id.type);
	buffer_u64(en->out, (uint64_t)id.id);
	r = ss_put(en->out, id.name, en->e);
	if (r == 0)
		r = put_properties(en, properties, &id);
	if (r == 0)
		r = put_extra(en, properties, id.type);
	if (r == 0 && id.type == LAYOUT_GROUP) {
		r = add_group(en, properties, &id, at, group);
		group = en->nodes.size - 2;
	}
	if (r < 0)
		return add_descriptor_to_error(en, properties, r);
	if (r == 0 && children)
		r = put_objects(en, children, nesting + 1, group);
	else if (r == 0)
		buffer_u16(en->out, 0);
	buffer_patch_u32(en->out, at, en->out->size - at);
	return r;
}

static int put_objects(
	struct encoder *en, const struct dat_block *b, unsigned nesting, size_t group)
{
	unsigned n = 0;
	int r = 0;

	for (struct dat_block *c = b->blocks; c; c = c->next) {
		c->is_read = true;
		if (!str_equal_nocase(c->name, STR("BASEOBJECT")))
			return text_error(en->e, c->line, 1,
				"[%.*s] is not allowed between [BASEOBJECT]s", STR_ARGS(c->name));
		n++;
	}
	if (n > UINT16_MAX)
		return text_error(
			en->e, b->line, 1, "%u objects in one block (at most %d)", n, UINT16_MAX);
	buffer_u16(en->out, (uint16_t)n);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = put_object(en, c, nesting, group);
	return r;
}

static int put_version(struct encoder *en, const struct dat_block *root, const uint8_t *old)
{
	uint32_t version;
	int r = layout_text_u8(root, "VERSION", &version, en->e);

	if (r < 0)
		return r;
	if (!version || version == LAYOUT_KIT_VERSION) {
		version = BINLAYOUT_VERSION;
		if (en->old_known && (old[1] == LAYOUT_KIT_VERSION || old[1] == BINLAYOUT_VERSION))
			version = old[1];
	}
	buffer_byte(en->out, BINLAYOUT_MAGIC);
	buffer_byte(en->out, (uint8_t)version);
	buffer_u32(en->out, 0);
	return 0;
}

static int encode_layout(struct encoder *en, const struct dat_block *root, const uint8_t *old)
{
	const struct dat_block *objects = dat_find_block(root, STR("OBJECTS"));
	struct layout_node node = layout_node_new(-1, LAYOUT_GROUP_ROOT_OFFSET);
	int r = put_version(en, root, old);

	if (r < 0)
		return r;
	dat_find_field(root, STR("COUNT")); /* it follows from the objects */
	node.part[NODE_RANDOMIZATION] = node.part[NODE_NUMBER] = 0;
	if (en->old.n)
		node.part[NODE_NO_TAG_FOUND] = en->old.all[0].part[NODE_NO_TAG_FOUND];
	layout_node_write(&node, &en->nodes);
	en->n_nodes = 1;
	if (objects)
		r = put_objects(en, objects, 0, en->nodes.size - 2);
	else
		buffer_u16(en->out, 0);
	if (r < 0)
		return r;
	if (en->n_nodes > 1) {
		buffer_patch_u32(en->out, GROUP_OFFSET_AT, en->out->size);
		buffer_append(en->out, en->nodes.data, en->nodes.size);
	}
	if (en->out->error || en->nodes.error)
		return error_set(en->e, -ENOMEM, "out of memory");
	if (en->out->size > UINT32_MAX)
		return error_set(en->e, -EFBIG, "the compiled file has %zu bytes", en->out->size);
	return 0;
}

/* Learn unknown names from the old file, and compile again. The names become remarks. */
static int encode_again(struct encoder *en, const struct dat_block *root, const uint8_t *old,
	size_t old_size, struct compiled_remarks *remarks)
{
	CLEANUP_BUFFER struct buffer lines = BUFFER_INIT;
	CLEANUP(names_unref) struct names *more = NULL;
	struct error e = ERROR_INIT;
	int r = layout_learn(root, old, old_size, en->names, &lines);

	if (r == 0 && lines.size)
		r = names_extend((struct names *)(uintptr_t)en->names, (const char *)lines.data,
			lines.size, &more, &e);
	if (r < 0)
		return error_set(en->e, r, "out of memory");
	if (!lines.size)
		return -EINVAL;
	en->out->size = en->nodes.size = 0;
	en->names = more;
	en->unknown = false;
	if (en->e)
		*en->e = (struct error)ERROR_INIT;
	r = encode_layout(en, root, old);
	if (r == 0 && remarks)
		buffer_append(&remarks->names, lines.data, lines.size);
	return r;
}

int binlayout_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct compiled_remarks *remarks, struct buffer *out,
	struct error *e)
{
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	struct encoder en = {.out = out, .names = names, .e = e};
	int r = dattext_parse(text, n, &tree, e);

	if (r < 0)
		return r;
	if (old && binlayout_sniff(old, old_size)) {
		en.old_known = true;
		if (load_u32(old + GROUP_OFFSET_AT) && load_u32(old + GROUP_OFFSET_AT) < old_size)
			layout_nodes_read(
				old, old_size, load_u32(old + GROUP_OFFSET_AT), &en.old, NULL);
	}
	r = encode_layout(&en, tree->root, old);
	if (r == -EINVAL && en.unknown && en.old_known)
		r = encode_again(&en, tree->root, old, old_size, remarks);
	if (r == 0)
		r = layout_text_check_read(tree->root, e);
	/* Another text may teach the name. */
	if (r == -EINVAL && en.unknown)
		r = error_set_unresolved(e, r);
	buffer_finish_free(&en.nodes);
	layout_nodes_finish(&en.old);
	return r;
}
