/* SPDX-License-Identifier: Zlib */
/* merge_node: the three maps as one tree. Each merge node refers to the item of the base (the
 * common ancestor), of ours and of theirs, and says what the steps (steps.h) do with it. */
#pragma once

#include "base/disk/file.h"
#include "base/error.h"
#include "tools/merge/merge_item.h"
#include "tools/merge/schema.h"

struct merge_node {
	size_t number; /* index in merge.nodes */
	struct merge_node *parent, **children;
	size_t n, room;
	struct merge_item *items[SIDES]; /* NULL on a side that does not have it */
	bool is_ambiguous;               /* the match of its items is a guess */
	bool changed_by_both;            /* ambiguous, and both sides changed it: a conflict */
	bool changed_dir;                /* ours or theirs moved it to another directory */

	bool is_kept;      /* in the merged map; initially true for all that ours or theirs has */
	bool takes_theirs; /* has the content of theirs, although ours has the file */
	/* `content` is to be written: both changes joined (JSON in memory, with CONTENT_NUMBERS),
	 * or a file of a mark (schema.h: mark_file). */
	bool has_content;
	struct extent content;
	const char *bare; /* of an object: the decided bare name, borrowed; NULL: merged_item's */
	/* Names of an object without ending, if it is in `order`. The merge uses old_name while it
	 * changes ours; new_name is the one in the merged map. NULL: the name is merged_item's. */
	char *old_name, *new_name;
	bool is_decided; /* a plane that file_decide_planes has decided (file.h) */
	bool is_placed;  /* in parent->order */
	/* apply.c: the entry in the overlay of ours, if apply_all wrote the file; or NULL */
	const struct oentry *oentry;
	bool is_rescued;           /* the file of theirs was copied beside the map */
	bool is_moved;             /* ours must move the object, or number or name it otherwise */
	struct merge_node **order; /* of a directory: its kept objects in the order to be written */
	size_t n_order;
	struct merge_node *predecessor; /* of a mark: the object to place it behind; else NULL */
};

/* A conflict between the changes of both sides. */
struct conflict {
	struct merge_node *node; /* NULL if `reason` names the file itself */
	char *reason;            /* "changed by both: 3 cells, ..." */
	bool copies_theirs;      /* copy the file of theirs beside the map (rescue.h) */
};

struct merge {
	struct side sides[SIDES];
	const struct merge_schema *schema; /* never NULL */
	bool numbered;                     /* objects have numbers in their names (merge_item.h) */
	bool nocase;                       /* names that differ in case only are equal */
	/* The base is the game's archive (schema.h). It counts only for files on both sides. */
	bool base_is_archive;
	bool adds_mark; /* add a layer that marks the cells that both sides changed */
	struct merge_node *root;
	struct merge_node **nodes; /* by number */
	size_t n, room;
	struct conflict *conflicts;
	size_t n_conflicts, room_conflicts;
};

/* Create a merge node of matched items (NULL where a side has none), whose `node` it sets, as the
 * last child of parent, which may be NULL. m owns it. Returns NULL if memory is exhausted. */
struct merge_node *merged_new(
	struct merge *m, struct merge_node *parent, struct merge_item *const at[SIDES]);
void merged_finish(struct merge *m); /* the caller finishes the sides */
/* Append a conflict; the arguments are those of struct conflict. -ENOMEM. */
int conflict_add(struct merge *m, struct merge_node *x, bool copies_theirs, const char *why, ...)
	PRINTF_LIKE(4, 5);
/* Append a conflict without a copy: `from` changed the node, and the other side removed it. */
int conflict_removed(struct merge *m, struct merge_node *x, enum which from);
/* Drop the content that was to be written. */
static inline void merged_drop_content(struct merge_node *x)
{
	extent_finish(&x->content);
	x->has_content = false;
}
/* The item of ours, or else of theirs, or else of the base. */
static inline const struct merge_item *merged_item(const struct merge_node *x)
{
	return x->items[OURS]     ? x->items[OURS]
	       : x->items[THEIRS] ? x->items[THEIRS]
				  : x->items[BASE];
}
/* Set old_name of each object to its name in ours, or else base; instead of order_all. -ENOMEM. */
int merged_set_old_names(struct merge *m);
/* Path of a merge node by old_name, while changes are applied to ours; new_names: by new_name, in
 * the map to be written. as: the item that gives the ending, or the name if it is no object; NULL:
 * merged_source's ending, merged_item's name. The caller frees it. NULL if memory is exhausted. */
char *merged_path(const struct merge_node *x, bool new_names, const struct merge_item *as);
/* The side whose content the merged map gets, if has_content is false. */
static inline enum which merged_source(const struct merge_node *x)
{
	return x->takes_theirs || !x->items[OURS] ? THEIRS : OURS;
}
/* Is it a directory of objects that other files refer to (schema.h: references)? */
bool merged_is_referenced(const struct merge *m, const struct merge_node *x);
/* Is the match of the node, or of a directory above it, ambiguous? */
static inline bool merged_is_ambiguous(const struct merge_node *x)
{
	while (x && !x->is_ambiguous)
		x = x->parent;
	return x;
}
/* Is changed_by_both set for the node, or for a directory above it? */
static inline bool merged_is_changed_by_both(const struct merge_node *x)
{
	while (x && !x->changed_by_both)
		x = x->parent;
	return x;
}
