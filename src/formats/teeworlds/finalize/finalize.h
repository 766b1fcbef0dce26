/* SPDX-License-Identifier: Zlib */
/*
 * finalize: the map to be written, derived from the mounted one and from where its objects stand.
 *
 * Handles stay: an item or blob of the finalized map has the handle that it has in the mounted one,
 * and what finalizing adds comes after them. So faults that a map had before are found again
 * (check/faults.h).
 */
#pragma once

#include <errno.h>

#include "base/array.h"
#include "formats/teeworlds/finalize/order.h"
#include "formats/teeworlds/model/change.h"

/* Items in the order of the finalized map, by handle. */
struct item_list {
	uint32_t *items;
	uint32_t n, room;
};

struct finalize_object {
	enum tw_sort sort;
	uint32_t position; /* in `from` */
};

static inline int item_list_push(struct item_list *l, uint32_t item)
{
	if (!array_room(l->items, l->n, l->room))
		return -ENOMEM;
	l->items[l->n++] = item;
	return 0;
}

struct finalizer {
	const struct tw_map *mounted; /* the mounted map, as it is now */
	struct tw_change *change;     /* of it */
	struct tw_map *result;        /* ... what it becomes */
	struct tw_order orders[TW_SORTS];
	struct item_list lists[TW_SORTS]; /* of types that changed; else empty */
	struct item_list group_exts;      /* extension items of groups */
	struct tw_users users;            /* of data in `to`, while names and references change */
	/* references.c, of the layer at hand: it is new; what it names by number alone, or
	 * TW_SORTS. */
	bool is_holder_new;
	struct finalize_object unnamed_target;
	format_say report;
	void *arg;
};

/* struct format's finalize. */
int tw_finalize(const struct snapshot *s, struct placement *p, size_t n, struct snapshot **ret,
	format_say say, void *arg, struct error *e);

/* names.c: the name of the slot's path into its item. */
int finalize_name(struct finalizer *s, const struct tw_slot *slot, struct error *e);
/* The name of a group, an envelope or a layer in its integers, as the reference writer stores it
 * (DDNet's game/gamecore.cpp, StrToInts). -ENOMEM. */
int finalize_set_name(struct tw_item *it, const struct tw_numbered *parsed);

/* tree.c: groups and layers in their order */
bool finalize_tree_changed(const struct finalizer *s);
int finalize_tree(struct finalizer *s, struct error *e);

/* side.c: items that belong to groups and layers by number */
int finalize_side_items(struct finalizer *s, struct error *e);

/* uuid.c: types of which items left; did any? */
bool finalize_has_lost_uuids(const struct tw_map *m);
int finalize_uuids(struct finalizer *s, struct error *e);

/* needs.c: what a game needs, where the map is a new one */
int finalize_required(struct finalizer *s, struct error *e);

/* points.c: the points of envelopes in the order of envelopes */
int finalize_points(struct finalizer *s, struct error *e);

/* references.c: references follow, where objects moved. */
int finalize_references(struct finalizer *s, struct error *e);

/* say.c: lines for the report */
void finalize_report(struct finalizer *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Files that were removed from objects that stay, and stay with them. */
void finalize_report_parts(struct finalizer *s, const struct placement *p, size_t n);
/* The path at which an object stands in the mount, or stood: "images/03_grass.png". dst has room
 * for FINALIZE_PATH_MAX bytes. Layers are in no group but the first that has them. */
enum { FINALIZE_PATH_MAX = 4 * NAME_MAX };
void finalize_path(const struct finalizer *s, enum tw_sort sort, uint32_t position,
	char dst[FINALIZE_PATH_MAX]);
/* The path of what is no layer yet. */
void finalize_placement_path(
	const struct finalizer *s, const struct placement *p, char dst[FINALIZE_PATH_MAX]);
