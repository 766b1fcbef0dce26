/* SPDX-License-Identifier: Zlib */
/*
 * finalize: derive the map to be written from the mounted one and from the placements of objects.
 *
 * Handles are stable: an item or blob has the same handle in both maps, and new ones are appended.
 * So the check at a save can recognize faults that the map had before (check/faults.h).
 *
 * tw_finalize sorts the objects (order.h), copies the map, and calls the finalize_* functions in
 * the order of this sequence: tree, name, references, points, side_items, required, uuids. If no
 * object is new, moved or removed, it copies only for finalize_uuids, or returns the map itself.
 */
#pragma once

#include <errno.h>

#include "base/array.h"
#include "formats/teeworlds/finalize/order.h"
#include "formats/teeworlds/model/change.h"

/* Handles of items, in the order of the finalized map. */
struct item_list {
	uint32_t *items;
	uint32_t n, room;
};

/* An object of finalizer.mounted. */
struct finalize_object {
	enum tw_sort sort;
	uint32_t position;
};

static inline int item_list_push(struct item_list *l, uint32_t item)
{
	if (!array_reserve(l->items, l->n, l->room))
		return -ENOMEM;
	l->items[l->n++] = item;
	return 0;
}

/* The state of tw_finalize, which sets and frees all members. */
struct finalizer {
	const struct tw_map *mounted; /* the base with new objects, contents and derived parts */
	struct tw_change *change;     /* from `mounted` to `result` */
	struct tw_map *result;        /* the map to be written; change->result */
	struct tw_order orders[TW_SORTS];
	struct item_list lists[TW_SORTS]; /* by sort; an empty list: the order stays */
	struct item_list group_exts;      /* extension items of groups; empty if these stay */
	struct tw_users users;            /* number of users of each blob in `result` */
	/* For references.c: is the layer that it updates new? If so, the last object without a name
	 * that the layer refers to; the sort is TW_SORTS if there is none. */
	bool is_holder_new;
	struct finalize_object unnamed_target;
	format_say report; /* called during tw_finalize; may be NULL */
	void *arg;
};

/* format_tree.finalize. With FORMAT_UNPLACED as n, only derive OPAQUE bits and points. */
int tw_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	format_say report, void *arg, struct error *e);

/* names.c: set tw_item.group of a kept slot; if it is placed, its stored name and placed_name. */
int finalize_name(struct finalizer *s, const struct tw_slot *slot, struct error *e);
/* Store the name of a group, envelope or layer in its integers, as the reference writer does
 * (DDNet's game/gamecore.cpp, StrToInts). A layer of an unknown type gets none. -ENOMEM. */
int finalize_set_name(struct tw_item *it, const struct tw_parsed_name *parsed);

/* tree.c: does the order of groups or layers change? */
bool finalize_tree_changed(const struct finalizer *s);
/* If it does, list both in order, copy shared layers, and set the layer ranges of groups. */
int finalize_tree(struct finalizer *s, struct error *e);
/* side.c: then update the auto-mapper items, and the extension items of groups. */
int finalize_side_items(struct finalizer *s, struct error *e);

/* uuid.c: has the map removed items (tw_item.is_removed) of a type of enum tw_uuid? */
bool finalize_has_lost_uuids(const struct tw_map *m);
/* For each such type, remove its index items if none is left, or renumber auto-mapper items. */
int finalize_uuids(struct finalizer *s, struct error *e);

/* needs.c: add the items that a game requires, if the map is a new one. */
int finalize_required(struct finalizer *s, struct error *e);
/* points.c: if the order of envelopes changes, store the points in that order. */
int finalize_points(struct finalizer *s, struct error *e);
/* references.c: update the references from layers to moved objects; report lost references. */
int finalize_references(struct finalizer *s, struct error *e);

/* say.c: write a line to the report, if there is one. */
void finalize_report(struct finalizer *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Report the removed files that stay in the map, because their object stays. */
void finalize_report_parts(struct finalizer *s, const struct placement *p, size_t n);
enum { FINALIZE_PATH_MAX = 4 * NAME_MAX };
/* Write the path of an object, or the last path of a removed one: "images/03_grass.png". position
 * is that in the mounted map. For a layer: the path in its first group, or "layer 3" if none. */
void finalize_path(const struct finalizer *s, enum tw_sort sort, uint32_t position,
	char dst[FINALIZE_PATH_MAX]);
/* Write the path of a new layer's placement, even if the layer has no content. */
void finalize_placement_path(
	const struct finalizer *s, const struct placement *p, char dst[FINALIZE_PATH_MAX]);
