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

void layout_nodes_free(struct layout_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++) {
		free(nodes->all[i].active.ids);
		free(nodes->all[i].deactive.ids);
	}
	free(nodes->all);
	*nodes = (struct layout_nodes){0};
}

struct layout_node *layout_nodes_add(struct layout_nodes *nodes, int64_t id, bool root)
{
	struct layout_node *node;

	if (!array_room(nodes->all, nodes->n, nodes->room))
		return NULL;
	node = &nodes->all[nodes->n++];
	*node = (struct layout_node){.id = id, .tag = -1};
	node->randomization = root ? 0 : 1;
	node->number = root ? 0 : 1;
	node->offset = root ? LAYOUT_GROUP_ROOT_OFFSET : 0;
	return node;
}

static int read_themes(struct cursor *c, struct themes *ret, struct error *e)
{
	uint32_t n = cursor_u32(c);

	if (n > cursor_left(c) / 8)
		return error_set(e, -EIO, "the data group has %" PRIu32 " themes (at most %zu)", n,
			cursor_left(c) / 8);
	ret->ids = calloc((size_t)n + 1, sizeof(*ret->ids));
	if (!ret->ids)
		return error_set(e, -ENOMEM, "no memory for themes");
	ret->n = n;
	for (uint32_t i = 0; i < n; i++)
		ret->ids[i] = cursor_i64(c);
	return 0;
}

static int read_node(struct cursor *c, unsigned depth, struct layout_nodes *nodes, struct error *e)
{
	struct layout_node *node = layout_nodes_add(nodes, 0, false);
	uint16_t children;
	int r;

	if (!node)
		return error_set(e, -ENOMEM, "no memory for the data group");
	if (depth > BINLAYOUT_DEPTH_MAX)
		return error_set(
			e, -EIO, "the data group is nested more than %d deep", BINLAYOUT_DEPTH_MAX);
	node->id = cursor_i64(c);
	node->choice = cursor_u8(c);
	node->randomization = cursor_u32(c);
	node->number = cursor_u8(c);
	node->offset = cursor_u32(c);
	node->tag = cursor_i32(c);
	node->no_tag_found = cursor_u8(c);
	node->level_unique = cursor_u8(c);
	node->game_mode = cursor_u8(c);
	r = read_themes(c, &node->active, e);
	if (r == 0)
		r = read_themes(c, &node->deactive, e);
	children = node->n_children = cursor_u16(c);
	if (r == 0 && c->bad)
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

static void write_themes(const struct themes *t, struct buffer *out)
{
	buffer_u32(out, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		buffer_u64(out, (uint64_t)t->ids[i]);
}

void layout_nodes_write(const struct layout_nodes *nodes, struct buffer *out)
{
	for (size_t i = 0; i < nodes->n; i++) {
		const struct layout_node *node = &nodes->all[i];

		buffer_u64(out, (uint64_t)node->id);
		buffer_byte(out, (uint8_t)node->choice);
		buffer_u32(out, node->randomization);
		buffer_byte(out, (uint8_t)node->number);
		buffer_u32(out, node->offset);
		buffer_u32(out, (uint32_t)node->tag);
		buffer_byte(out, (uint8_t)node->no_tag_found);
		buffer_byte(out, (uint8_t)node->level_unique);
		buffer_byte(out, (uint8_t)node->game_mode);
		write_themes(&node->active, out);
		write_themes(&node->deactive, out);
		buffer_u16(out, node->n_children);
	}
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

static uint32_t word(struct str s, const char *const words[WORDS])
{
	for (uint32_t i = 1; i < WORDS; i++)
		if (str_equal_nocase(s, str_of(words[i])))
			return i;
	return 0;
}

/* The numbers of a node that a [DATAGROUP] can set, in the order of the file. */
static const struct {
	const char *key;
	size_t at;
	uint32_t most;
	bool alone; /* no property says it too: a field of the Group does */
} numbers[] = {
	{"CHOICE", offsetof(struct layout_node, choice), UINT8_MAX, false},
	{"RANDOMIZATION", offsetof(struct layout_node, randomization), UINT32_MAX, true},
	{"NUMBER", offsetof(struct layout_node, number), UINT8_MAX, true},
	{"LEVEL UNIQUE", offsetof(struct layout_node, level_unique), UINT8_MAX, false},
	{"GAME MODE", offsetof(struct layout_node, game_mode), UINT8_MAX, false},
};
enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static uint32_t get_number(const struct layout_node *node, size_t i)
{
	uint32_t v;

	memcpy(&v, (const char *)node + numbers[i].at, sizeof(v));
	return v;
}

static void put_number(const struct layout_node *node, size_t i, unsigned depth, struct buffer *out)
{
	dattext_field(out, depth, "UNSIGNED INT", numbers[i].key);
	buffer_printf(out, "%" PRIu32 "\n", get_number(node, i));
}

static void decode_themes(
	const struct themes *t, const char *key, unsigned depth, struct buffer *out)
{
	if (!t->n)
		return;
	dattext_field(out, depth, "STRING", key);
	for (uint32_t i = 0; i < t->n; i++)
		buffer_printf(out, "%s%" PRId64, i ? "," : "", t->ids[i]);
	buffer_byte(out, '\n');
}

void layout_group_put_fields(const struct layout_node *node, unsigned depth, struct buffer *out)
{
	for (size_t i = 0; i < NUMBERS; i++)
		if (numbers[i].alone && get_number(node, i) != 1)
			put_number(node, i, depth, out);
	if (node->no_tag_found == 1) {
		dattext_field(out, depth, "BOOL", "NO TAG FOUND");
		buffer_text(out, "true\n");
	}
	decode_themes(&node->active, "ACTIVE THEMES", depth, out);
	decode_themes(&node->deactive, "DEACTIVE THEMES", depth, out);
}

void layout_group_decode(const struct layout_node *node, const struct layout_node *derived,
	unsigned depth, struct buffer *out)
{
	size_t begin = out->size, empty;

	dattext_open(out, depth, "DATAGROUP");
	empty = out->size;
	for (size_t i = 0; i < NUMBERS; i++) {
		if (!numbers[i].alone && get_number(node, i) != get_number(derived, i))
			put_number(node, i, depth + 1, out);
	}
	if (node->tag != derived->tag) {
		dattext_field(out, depth + 1, "INTEGER", "TAG");
		buffer_printf(out, "%" PRId32 "\n", node->tag);
	}
	if (out->size == empty)
		out->size = begin;
	else
		dattext_close(out, depth, "DATAGROUP");
}

static int encode_themes(const struct dat_field *f, struct themes *t, struct error *e)
{
	struct str rest = f->value, one;
	uint32_t n = 1;
	int64_t *ids;

	for (size_t i = 0; i < rest.n; i++)
		n += rest.s[i] == ',';
	ids = calloc(n, sizeof(*ids));
	if (!ids)
		return error_set(e, -ENOMEM, "no memory for themes");
	free(t->ids);
	t->ids = ids;
	t->n = 0;
	while (rest.n) {
		one = str_cut(&rest, ',');
		if (!number_get_i64(one, &ids[t->n++]))
			return dat_field_error(e, f, "'%.*s' is no 64-bit integer", STR_ARGS(one));
	}
	return 0;
}

static int encode_field(const struct dat_field *f, struct layout_node *node, struct error *e)
{
	uint32_t v;

	for (size_t i = 0; i < NUMBERS; i++) {
		if (!str_equal_nocase(f->key, str_of(numbers[i].key)))
			continue;
		if (!number_get_u32(f->value, &v) || v > numbers[i].most)
			return dat_field_error(
				e, f, "%s is not 0..%" PRIu32, numbers[i].key, numbers[i].most);
		memcpy((char *)node + numbers[i].at, &v, sizeof(v));
		return 0;
	}
	if (str_equal_nocase(f->key, STR("ACTIVE THEMES")))
		return encode_themes(f, &node->active, e);
	if (str_equal_nocase(f->key, STR("DEACTIVE THEMES")))
		return encode_themes(f, &node->deactive, e);
	if (!str_equal_nocase(f->key, STR("TAG")))
		return dat_field_error(e, f, "a [DATAGROUP] has no %.*s", STR_ARGS(f->key));
	if (!number_get_i32(f->value, &node->tag))
		return dat_field_error(e, f, "TAG is no 32-bit integer");
	return 0;
}

static int encode_bool(const struct dat_field *f, uint32_t *ret, struct error *e)
{
	if (!number_get_bool(f->value, ret))
		return dat_field_error(e, f, "'%.*s' is no BOOL", STR_ARGS(f->value));
	*ret = *ret != 0;
	return 0;
}

int layout_group_field(const struct dat_field *f, struct layout_node *node, struct error *e)
{
	static const char *const others[] = {
		"RANDOMIZATION", "NUMBER", "ACTIVE THEMES", "DEACTIVE THEMES"};

	if (str_equal_nocase(f->key, STR("CHOICE")))
		node->choice = word(f->value, choices);
	else if (str_equal_nocase(f->key, STR("GAME MODE")))
		node->game_mode = word(f->value, game_modes);
	else if (str_equal_nocase(f->key, STR("LEVEL UNIQUE")))
		return encode_bool(f, &node->level_unique, e);
	else if (str_equal_nocase(f->key, STR("NO TAG FOUND")))
		return encode_bool(f, &node->no_tag_found, e);
	else if (str_equal_nocase(f->key, STR("TAG")) && f->value.n)
		number_get_i32(f->value, &node->tag);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (str_equal_nocase(f->key, str_of(others[i])))
			return encode_field(f, node, e);
	return 0;
}

int layout_group_encode(const struct dat_block *b, struct layout_node *node, struct error *e)
{
	int r = 0;

	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next)
		r = encode_field(f, node, e);
	return r;
}
