/* SPDX-License-Identifier: Zlib */
/*
 * layout_group: the data group at the end of a compiled layout, a tree with a node for each Group.
 *
 * Node: i64 id (-1: the root); u8 choice; u32 randomization; u8 number; u32 file offset of the
 * Group (the root's: 6); i32 tag; u8 "no tag found"; u8 level unique; u8 game mode; u32 n x i64
 * active themes; u32 n x i64 deactive themes; u16 n x node. The parent of a node is the nearest
 * Group above, whatever objects are between them. So nodes have the same order as the Groups in the
 * file.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"

enum { LAYOUT_GROUP_ROOT_OFFSET = 6 };

/* The numbers of a node, in the order of the file. */
enum layout_node_part {
	NODE_CHOICE,
	NODE_RANDOMIZATION,
	NODE_NUMBER,
	NODE_OFFSET,
	NODE_TAG,
	NODE_NO_TAG_FOUND, /* any byte: the kit does not initialize it */
	NODE_LEVEL_UNIQUE,
	NODE_GAME_MODE,
	NODE_PARTS
};

struct layout_node {
	int64_t id;
	uint32_t part[NODE_PARTS];      /* by enum layout_node_part */
	struct buffer active, deactive; /* themes, i64 each, without their number */
};

/* All nodes in the order of the file; the root is the first. */
struct layout_nodes {
	struct layout_node *all;
	size_t n, room;
};

void layout_node_finish(struct layout_node *node);
#define CLEANUP_NODE __attribute__((cleanup(layout_node_finish)))
void layout_nodes_finish(struct layout_nodes *nodes); /* empties *nodes; not NULL */
#define CLEANUP_NODES __attribute__((cleanup(layout_nodes_finish)))

/* Read the data group from offset to the end of the file. -EIO: it is invalid. */
int layout_nodes_read(
	const uint8_t *file, size_t size, size_t offset, struct layout_nodes *ret, struct error *e);
/* Find the node with the id of a Group: node i (may be too large), else the first; or NULL. */
const struct layout_node *layout_nodes_find(const struct layout_nodes *nodes, size_t i, int64_t id);

/* The node of a Group without fields, at an offset in the file: with the default values. */
struct layout_node layout_node_new(int64_t id, size_t offset);
/* Append a node. Its last two bytes, the number of children, are 0: the caller counts there. */
void layout_node_write(const struct layout_node *node, struct buffer *out);

/*
 * Set the part of a node that a field of its Group gives. CHOICE, GAME MODE and LEVEL UNIQUE are
 * properties of the object, too; RANDOMIZATION, NUMBER, NO TAG FOUND, ACTIVE THEMES, DEACTIVE
 * THEMES and TAG are not. A TAG is a name for a number that no file of a mod has; the number itself
 * can be given instead.
 *
 * Ignores other fields, and a TAG that is a name. Keeps is_read. -EINVAL with line and column.
 */
int layout_group_field(const struct dat_field *f, struct layout_node *node, struct error *e);
/* Append fields for the parts that only a node has, except TAG, unless they have default values. NO
 * TAG FOUND has a field only if it is 1. */
void layout_group_put_fields(const struct layout_node *node, unsigned depth, struct buffer *out);

/* Append a [DATAGROUP] with the numbers that differ from those that the Group's properties give
 * (derived). Appends nothing if none differs. */
void layout_group_decode(const struct layout_node *node, const struct layout_node *derived,
	unsigned depth, struct buffer *out);
/* Set the parts of a node that a [DATAGROUP] gives, and is_read. -EINVAL with line and column. */
int layout_group_encode(const struct dat_block *b, struct layout_node *node, struct error *e);
/* Is f the TAG of the Group b, and stored in the node only? True if its value is empty or a number,
 * or if old (may be NULL) has a number and b has no [DATAGROUP] with a TAG. Else a property. */
bool layout_group_knows_tag(
	const struct layout_node *old, const struct dat_block *b, const struct dat_field *f);
