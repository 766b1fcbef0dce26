/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/number.h"

static const char *const choices[] = {"ALL", "Weight", "Random Chance"};
static const char *const game_modes[] = {"", "NORMAL", "NEW GAME PLUS"};
enum { WORDS = 3 };

/* Parts with a key can be in a [DATAGROUP]; of those that are `alone` the Group has no property. */
static const struct {
	const char *key;
	uint32_t most;
	bool alone;
} parts[NODE_PARTS] = {
	[NODE_CHOICE] = {"CHOICE", UINT8_MAX, false},
	[NODE_RANDOMIZATION] = {"RANDOMIZATION", UINT32_MAX, true},
	[NODE_NUMBER] = {"NUMBER", UINT8_MAX, true},
	[NODE_OFFSET] = {NULL, UINT32_MAX, false},
	[NODE_TAG] = {NULL, UINT32_MAX, false},
	[NODE_NO_TAG_FOUND] = {NULL, UINT8_MAX, false},
	[NODE_LEVEL_UNIQUE] = {"LEVEL UNIQUE", UINT8_MAX, false},
	[NODE_GAME_MODE] = {"GAME MODE", UINT8_MAX, false},
};

void layout_node_finish(struct layout_node *node)
{
	buffer_finish_free(&node->active);
	buffer_finish_free(&node->deactive);
}

void layout_nodes_finish(struct layout_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++)
		layout_node_finish(&nodes->all[i]);
	free(nodes->all);
	*nodes = (struct layout_nodes){0};
}

struct layout_node layout_node_new(int64_t id, size_t offset)
{
	return (struct layout_node){.id = id,
		.part = {[NODE_RANDOMIZATION] = 1,
			[NODE_NUMBER] = 1,
			[NODE_OFFSET] = (uint32_t)offset,
			[NODE_TAG] = UINT32_MAX}};
}

static int read_themes(struct cursor *c, struct buffer *ret, struct error *e)
{
	uint32_t n = cursor_u32(c);

	if (n > cursor_left(c) / 8)
		return error_set(e, -EIO, "the data group has %" PRIu32 " themes (at most %zu)", n,
			cursor_left(c) / 8);
	if (n)
		buffer_append(ret, cursor_take(c, 8 * (size_t)n), 8 * (size_t)n);
	return ret->error ? error_set(e, -ENOMEM, "out of memory") : 0;
}

static int read_node(struct cursor *c, unsigned depth, struct layout_nodes *nodes, struct error *e)
{
	struct layout_node *node;
	uint16_t children;
	int r;

	if (!array_reserve(nodes->all, nodes->n, nodes->room))
		return error_set(e, -ENOMEM, "out of memory");
	if (depth > BINLAYOUT_DEPTH_MAX)
		return error_set(
			e, -EIO, "the data group is nested more than %d deep", BINLAYOUT_DEPTH_MAX);
	node = &nodes->all[nodes->n++];
	*node = (struct layout_node){.id = cursor_i64(c)};
	for (size_t i = 0; i < NODE_PARTS; i++)
		node->part[i] = parts[i].most == UINT8_MAX ? cursor_u8(c) : cursor_u32(c);
	r = read_themes(c, &node->active, e);
	if (r == 0)
		r = read_themes(c, &node->deactive, e);
	children = cursor_u16(c);
	if (r == 0 && c->is_bad)
		r = error_set(e, -EIO, "the data group reaches past the end of the file");
	for (; r == 0 && children; children--)
		r = read_node(c, depth + 1, nodes, e);
	return r;
}

int layout_nodes_read(
	const uint8_t *file, size_t size, size_t offset, struct layout_nodes *ret, struct error *e)
{
	CLEANUP_NODES struct layout_nodes nodes = {0};
	struct cursor c = cursor_init(file, size);
	int r;

	c.pos = offset;
	r = read_node(&c, 0, &nodes, e);
	if (r < 0)
		return r;
	if (c.pos != size)
		return error_set(e, -EIO, "%zu bytes follow the data group", size - c.pos);
	*ret = nodes;
	nodes = (struct layout_nodes){0};
	return 0;
}

static void write_themes(const struct buffer *themes, struct buffer *out)
{
	buffer_u32(out, (uint32_t)(themes->size / 8));
	if (themes->size)
		buffer_append(out, themes->data, themes->size);
}

void layout_node_write(const struct layout_node *node, struct buffer *out)
{
	buffer_u64(out, (uint64_t)node->id);
	for (size_t i = 0; i < NODE_PARTS; i++) {
		if (parts[i].most == UINT8_MAX)
			buffer_byte(out, (uint8_t)node->part[i]);
		else
			buffer_u32(out, node->part[i]);
	}
	write_themes(&node->active, out);
	write_themes(&node->deactive, out);
	buffer_u16(out, 0);
}

const struct layout_node *layout_nodes_find(const struct layout_nodes *nodes, size_t i, int64_t id)
{
	if (i < nodes->n && nodes->all[i].id == id)
		return &nodes->all[i];
	for (i = 1; i < nodes->n; i++)
		if (nodes->all[i].id == id)
			return &nodes->all[i];
	return NULL;
}

static uint32_t find_word(struct str s, const char *const words[WORDS])
{
	for (uint32_t i = 1; i < WORDS; i++)
		if (str_equal_nocase(s, str_of(words[i])))
			return i;
	return 0;
}

static void put_number(
	const struct layout_node *node, size_t part, unsigned depth, struct buffer *out)
{
	dattext_put(
		out, depth, "<UNSIGNED INT>%s:%" PRIu32 "\n", parts[part].key, node->part[part]);
}

static void decode_themes(
	const struct buffer *themes, const char *key, unsigned depth, struct buffer *out)
{
	if (!themes->size)
		return;
	dattext_put(out, depth, "<STRING>%s:", key);
	for (size_t i = 0; i < themes->size; i += 8) {
		buffer_text(out, i ? "," : "");
		number_put(out, NUMBER_I64, themes->data + i);
	}
	buffer_byte(out, '\n');
}

void layout_group_put_fields(const struct layout_node *node, unsigned depth, struct buffer *out)
{
	for (size_t i = 0; i < NODE_PARTS; i++)
		if (parts[i].alone && node->part[i] != 1)
			put_number(node, i, depth, out);
	if (node->part[NODE_NO_TAG_FOUND] == 1)
		dattext_put(out, depth, "<BOOL>NO TAG FOUND:true\n");
	decode_themes(&node->active, "ACTIVE THEMES", depth, out);
	decode_themes(&node->deactive, "DEACTIVE THEMES", depth, out);
}

void layout_group_decode(const struct layout_node *node, const struct layout_node *derived,
	unsigned depth, struct buffer *out)
{
	size_t begin = out->size, empty;

	dattext_put(out, depth, "[DATAGROUP]\n");
	empty = out->size;
	for (size_t i = 0; i < NODE_PARTS; i++)
		if (parts[i].key && !parts[i].alone && node->part[i] != derived->part[i])
			put_number(node, i, depth + 1, out);
	if (node->part[NODE_TAG] != derived->part[NODE_TAG])
		dattext_put(out, depth + 1, "<INTEGER>TAG:%" PRId32 "\n",
			(int32_t)node->part[NODE_TAG]);
	if (out->size == empty)
		out->size = begin;
	else
		dattext_put(out, depth, "[/DATAGROUP]\n");
}

static int encode_themes(const struct dat_field *f, struct buffer *themes, struct error *e)
{
	struct str rest = f->value, one;

	themes->size = 0;
	while (rest.n) {
		one = str_cut(&rest, ',');
		if (!number_get(one, NUMBER_I64, themes))
			return dat_field_error(
				e, f, "'%.*s' is not a 64-bit integer", STR_ARGS(one));
	}
	return themes->error ? error_set(e, -ENOMEM, "out of memory") : 0;
}

static bool is_called(const struct dat_field *f, const char *key)
{
	return str_equal_nocase(f->key, str_of(key));
}

static int encode_field(const struct dat_field *f, struct layout_node *node, struct error *e)
{
	uint32_t v;

	for (size_t i = 0; i < NODE_PARTS; i++) {
		if (!parts[i].key || !is_called(f, parts[i].key))
			continue;
		if (!number_get_u32(f->value, &v) || v > parts[i].most)
			return dat_field_error(
				e, f, "%s must be 0 to %" PRIu32, parts[i].key, parts[i].most);
		node->part[i] = v;
		return 0;
	}
	if (is_called(f, "ACTIVE THEMES"))
		return encode_themes(f, &node->active, e);
	if (is_called(f, "DEACTIVE THEMES"))
		return encode_themes(f, &node->deactive, e);
	if (!is_called(f, "TAG"))
		return dat_field_error(e, f, "unknown field %.*s in [DATAGROUP]", STR_ARGS(f->key));
	if (!number_get_i32(f->value, (int32_t *)&node->part[NODE_TAG]))
		return dat_field_error(e, f, "TAG is not a 32-bit integer");
	return 0;
}

static int encode_bool(const struct dat_field *f, uint32_t *ret, struct error *e)
{
	if (!number_get_bool(f->value, ret))
		return dat_field_error(e, f, "'%.*s' is not a BOOL", STR_ARGS(f->value));
	*ret = *ret != 0;
	return 0;
}

int layout_group_field(const struct dat_field *f, struct layout_node *node, struct error *e)
{
	if (is_called(f, "CHOICE"))
		node->part[NODE_CHOICE] = find_word(f->value, choices);
	else if (is_called(f, "GAME MODE"))
		node->part[NODE_GAME_MODE] = find_word(f->value, game_modes);
	else if (is_called(f, "LEVEL UNIQUE"))
		return encode_bool(f, &node->part[NODE_LEVEL_UNIQUE], e);
	else if (is_called(f, "NO TAG FOUND"))
		return encode_bool(f, &node->part[NODE_NO_TAG_FOUND], e);
	else if (is_called(f, "TAG") && f->value.n)
		number_get_i32(f->value, (int32_t *)&node->part[NODE_TAG]);
	else if (is_called(f, "RANDOMIZATION") || is_called(f, "NUMBER") ||
		 is_called(f, "ACTIVE THEMES") || is_called(f, "DEACTIVE THEMES"))
		return encode_field(f, node, e);
	return 0;
}

int layout_group_encode(const struct dat_block *b, struct layout_node *node, struct error *e)
{
	int r = 0;

	for (struct dat_field *f = b->fields; r == 0 && f; f = f->next) {
		f->is_read = true;
		r = encode_field(f, node, e);
	}
	return r;
}

bool layout_group_knows_tag(
	const struct layout_node *old, const struct dat_block *b, const struct dat_field *f)
{
	const struct dat_block *node = dat_find_block(b, STR("DATAGROUP"));
	int32_t tag;

	if (!is_called(f, "TAG"))
		return false;
	if (!f->value.n || number_get_i32(f->value, &tag))
		return true;
	return old && (int32_t)old->part[NODE_TAG] >= 0 &&
	       !(node && dat_find_field(node, STR("TAG")));
}
