/* SPDX-License-Identifier: Zlib */
/*
 * layout_group: the data group at the end of a compiled layout, a tree with a node for each Group.
 *
 * Node: i64 id (-1: the root); u8 choice; u32 randomization; u8 number; u32 file offset of the
 * Group (the root's: 6); i32 tag; u8 "no tag found"; u8 level unique; u8 game mode; u32 n x i64
 * active themes; u32 n x i64 deactive themes; u16 n x node. Other objects are transparent: a
 * Group's node hangs below the nearest Group above it. So the nodes' order is that of the Groups in
 * the file.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"

enum { LAYOUT_GROUP_ROOT_OFFSET = 6 };

/* What a node holds, in the order of the file. */
enum layout_node_part {
	NODE_CHOICE,
	NODE_RANDOMIZATION,
	NODE_NUMBER,
	NODE_OFFSET,
	NODE_TAG,
	NODE_NO_TAG_FOUND, /* any byte: the kit leaves it as memory was */
	NODE_LEVEL_UNIQUE,
	NODE_GAME_MODE,
	NODE_PARTS
};

struct layout_node {
	int64_t id;
	uint32_t part[NODE_PARTS];
	struct buffer active, deactive; /* themes, as they are stored */
};

/* In the order of the file, the root first. */
struct layout_nodes {
	struct layout_node *all;
	size_t n, room;
};

void layout_node_finish(struct layout_node *node);
#define CLEANUP_NODE __attribute__((cleanup(layout_node_finish)))
void layout_nodes_free(struct layout_nodes *nodes);
#define CLEANUP_NODES __attribute__((cleanup(layout_nodes_free)))

/* Reads from offset to the file's end. -EIO. */
int layout_nodes_read(
	const uint8_t *file, size_t size, size_t offset, struct layout_nodes *ret, struct error *e);
/* The node in the place i if that is this Group's, else the first of that id, or NULL. */
const struct layout_node *layout_nodes_find(const struct layout_nodes *nodes, size_t i, int64_t id);

/* As it is for a Group that says nothing, at an offset in the file. */
struct layout_node layout_node_new(int64_t id, size_t offset);
/* Appends it with no nodes below. */
void layout_node_write(const struct layout_node *node, struct buffer *out);

/*
 * A Group says of its node: CHOICE, GAME MODE and LEVEL UNIQUE, which are properties of the object
 * too, and RANDOMIZATION, NUMBER, NO TAG FOUND, ACTIVE THEMES, DEACTIVE THEMES and TAG, which are
 * not. A TAG's name means a number that is in no file of a mod; a number may stand for it.
 *
 * Sets in node what the field says; passes over what is none of these, and over a TAG's name.
 * -EINVAL with line and column.
 */
int layout_group_field(const struct dat_field *f, struct layout_node *node, struct error *e);
/* The fields of what is said in the node alone, where it is not as that of a Group that says
 * nothing. */
void layout_group_put_fields(const struct layout_node *node, unsigned depth, struct buffer *out);

/* [DATAGROUP] with the numbers that differ from what the Group's properties say; nothing where
 * nothing does. */
void layout_group_decode(const struct layout_node *node, const struct layout_node *derived,
	unsigned depth, struct buffer *out);
/* Sets in node what the block says. -EINVAL with line and column. */
int layout_group_encode(const struct dat_block *b, struct layout_node *node, struct error *e);
/* Is f of the Group b its TAG, and its number known, since the text says it or the old file has it?
 * Then it stands in the node alone; the name of another one is kept as a property. */
bool layout_group_knows_tag(
	const struct layout_node *old, const struct dat_block *b, const struct dat_field *f);
