/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/layout/extra.h"
#include "formats/torchlight/text/layout/learn.h"
#include "formats/torchlight/text/layout/properties.h"
#include "formats/torchlight/text/layout/shape.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/names.h"
#include "formats/torchlight/text/textform.h"

enum { LAYOUT_KIT_VERSION = 4, GROUP_OFFSET_AT = 2 };

static int put_extra(struct layout_encoder *en, const struct dat_block *b, uint8_t type)
{
	size_t at = en->out->size;
	int r = 0;

	buffer_u32(en->out, 0);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next) {
		if (layout_extra_is(c))
			r = layout_extra_encode(c, type, en->out, en->e);
		else if (type != LAYOUT_GROUP || !str_equal_nocase(c->name, STR("DATAGROUP")))
			return text_error(
				en->e, c->line, 1, "[%.*s] cannot stand here", STR_ARGS(c->name));
	}
	buffer_patch_u32(en->out, at, en->out->size - at - 4);
	return r;
}

static int add_group(struct layout_encoder *en, const struct dat_block *b,
	const struct layout_identity *id, size_t offset, size_t parent)
{
	struct layout_node *node = layout_nodes_add(&en->nodes, id->id, false);
	const struct layout_node *old = layout_nodes_find(&en->old, en->nodes.n - 1, id->id);
	const struct dat_block *block = dat_find_block(b, STR("DATAGROUP"));
	int r = 0;

	if (!node)
		return error_set(en->e, -ENOMEM, "no memory for the data group");
	if (en->nodes.all[parent].n_children++ == UINT16_MAX)
		return text_error(en->e, b->line, 1, "more than %d Groups below one", UINT16_MAX);
	node->offset = (uint32_t)offset;
	/* What no text shows stays: the byte that is neither true nor false, and a TAG's number. */
	if (old && old->no_tag_found > 1)
		node->no_tag_found = old->no_tag_found;
	if (old && dat_find_field(b, STR("TAG")))
		node->tag = old->tag;
	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next)
		r = layout_group_field(f, node, en->e);
	return r == 0 && block ? layout_group_encode(block, node, en->e) : r;
}

static int put_objects(
	struct layout_encoder *en, const struct dat_block *b, unsigned nesting, size_t group);

/* After the words of a refusal, what kind of object it is. */
static int name_descriptor(struct layout_encoder *en, const struct dat_field *descriptor, int r)
{
	size_t n = en->e ? strlen(en->e->text) : 0;

	if (r == -EINVAL && n)
		snprintf(en->e->text + n, sizeof(en->e->text) - n, " (DESCRIPTOR %.*s)",
			STR_SHORT(descriptor->value, 100));
	return r;
}

static int put_object(
	struct layout_encoder *en, const struct dat_block *b, unsigned nesting, size_t group)
{
	const struct dat_block *properties = dat_find_block(b, STR("PROPERTIES"));
	const struct dat_block *children = dat_find_block(b, STR("CHILDREN"));
	struct layout_identity id = {0};
	size_t at = en->out->size;
	int r;

	if (!properties)
		return text_error(en->e, b->line, 1, "[BASEOBJECT] without [PROPERTIES]");
	if (nesting >= BINLAYOUT_DEPTH_MAX)
		return text_error(en->e, b->line, 1, "objects are nested more than %d deep",
			BINLAYOUT_DEPTH_MAX);
	r = layout_read_identity(en, properties, &id);
	if (r < 0)
		return r;
	buffer_u32(en->out, 0);
	buffer_byte(en->out, id.type);
	buffer_u64(en->out, (uint64_t)id.id);
	r = ss_put(en->out, id.name, en->e);
	if (r == 0)
		r = layout_put_properties(en, properties, &id);
	if (r == 0)
		r = put_extra(en, properties, id.type);
	if (r == 0 && id.type == LAYOUT_GROUP) {
		r = add_group(en, properties, &id, at, group);
		group = en->nodes.n - 1;
	}
	if (r < 0)
		return name_descriptor(en, id.fields[0], r);
	if (r == 0 && children)
		r = put_objects(en, children, nesting + 1, group);
	else if (r == 0)
		buffer_u16(en->out, 0);
	buffer_patch_u32(en->out, at, en->out->size - at);
	return r;
}

static int put_objects(
	struct layout_encoder *en, const struct dat_block *b, unsigned nesting, size_t group)
{
	unsigned n = 0;
	int r = 0;

	for (const struct dat_block *c = b->blocks; c; c = c->next) {
		if (!str_equal_nocase(c->name, STR("BASEOBJECT")))
			return text_error(en->e, c->line, 1, "[%.*s] stands among [BASEOBJECT]s",
				STR_ARGS(c->name));
		n++;
	}
	if (n > UINT16_MAX)
		return text_error(
			en->e, b->line, 1, "%u objects side by side (at most %d)", n, UINT16_MAX);
	buffer_u16(en->out, (uint16_t)n);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = put_object(en, c, nesting, group);
	return r;
}

static int put_version(struct layout_encoder *en, const struct dat_block *root, const uint8_t *old)
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

static int encode(struct layout_encoder *en, const struct dat_block *root, const uint8_t *old)
{
	const struct dat_block *objects = dat_find_block(root, STR("OBJECTS"));
	int r = put_version(en, root, old);

	if (r < 0)
		return r;
	if (!layout_nodes_add(&en->nodes, -1, true))
		return error_set(en->e, -ENOMEM, "no memory for the data group");
	if (en->old.n)
		en->nodes.all[0].no_tag_found = en->old.all[0].no_tag_found;
	if (objects)
		r = put_objects(en, objects, 0, 0);
	else
		buffer_u16(en->out, 0);
	if (r < 0)
		return r;
	if (en->nodes.n > 1) {
		buffer_patch_u32(en->out, GROUP_OFFSET_AT, en->out->size);
		layout_nodes_write(&en->nodes, en->out);
	}
	if (en->out->error)
		return error_set(en->e, -ENOMEM, "no memory for the compiled file");
	if (en->out->size > UINT32_MAX)
		return error_set(en->e, -EFBIG, "the compiled file has %zu bytes", en->out->size);
	return 0;
}

/* The file as it was says what its names mean: once more with those, which new_names is told. */
static int encode_again(struct layout_encoder *en, const struct dat_block *root, const uint8_t *old,
	size_t old_size, struct buffer *new_names)
{
	CLEANUP_BUFFER struct buffer lines = BUFFER_INIT;
	CLEANUP(names_unref) struct names *more = NULL;
	struct error e = ERROR_INIT;
	int r = layout_learn(root, old, old_size, en->names, &lines);

	if (r == 0 && lines.size)
		r = names_extend((struct names *)(uintptr_t)en->names, (const char *)lines.data,
			lines.size, &more, &e);
	if (r < 0)
		return error_set(en->e, r, "no memory for names");
	if (!lines.size)
		return -EINVAL;
	en->out->size = 0;
	layout_nodes_free(&en->nodes);
	en->names = more;
	if (en->e)
		*en->e = (struct error)ERROR_INIT;
	r = encode(en, root, old);
	if (r == 0 && new_names)
		buffer_append(new_names, lines.data, lines.size);
	return r;
}

int binlayout_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *new_names, struct buffer *out, struct error *e)
{
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	struct layout_encoder en = {.out = out, .names = names, .e = e};
	int r = dattext_parse(text, n, &tree, e);

	if (r < 0)
		return r;
	if (old && binlayout_sniff(old, old_size)) {
		en.old_known = true;
		if (load_u32(old + GROUP_OFFSET_AT) && load_u32(old + GROUP_OFFSET_AT) < old_size)
			layout_nodes_read(
				old, old_size, load_u32(old + GROUP_OFFSET_AT), &en.old, NULL);
	}
	r = encode(&en, tree->root, old);
	if (r == -EINVAL && en.unknown && en.old_known)
		r = encode_again(&en, tree->root, old, old_size, new_names);
	if (r == 0)
		r = layout_shape_check(tree->root, e);
	/* Another text may teach the name. */
	if (r == -EINVAL && en.unknown)
		r = error_of_others(e, r);
	layout_nodes_free(&en.nodes);
	layout_nodes_free(&en.old);
	return r;
}
