/* SPDX-License-Identifier: Zlib */
/*
 * order: which objects of one sort the finalized map has, and in which order.
 *
 * Each object of the mounted map has a slot; a layer has one in each group that shows it. Slots are
 * sorted by the group, then by the number at the beginning of the name. Objects without a number
 * come last. At equal numbers, a made or moved object comes before one that was there.
 */
#pragma once

#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/parse.h"

/* One object, or one layer in one group. "Mounted" and "final" say which map a number refers to. */
struct tw_slot {
	uint32_t item;             /* handle of the item */
	uint32_t final_item;       /* `item`, or the handle of its copy, set by finalize_tree */
	uint32_t mounted_position; /* position among the items of its type */
	/* Layers: mounted positions of the group that has the layer now, and of the group at the
	 * mount or, for a made layer, at its creation. Else 0. */
	uint32_t group, home_group;
	bool is_removed;                   /* the finalized map does not have it */
	const struct placement *placement; /* of a made or moved object; NULL for others */
	/* Name of an object made or moved since the mount or before an earlier save; else NULL. */
	const char *chosen_name;
	bool is_unnumbered;      /* the name has no number, so the object comes last */
	uint64_t position;       /* the number in the name */
	uint32_t final_position; /* index in tw_order.sorted */
	uint64_t final_group;    /* layers: position of the group in the finalized map */
	uint32_t final_index;    /* layers: index in that group */
};

/* All objects of one sort. */
struct tw_order {
	enum tw_sort sort;
	struct tw_slot *slots;   /* in mounted order; made objects are last */
	struct tw_slot **sorted; /* in finalized order; removed ones are last */
	uint32_t n, n_kept;      /* number of slots; of those in the finalized map */
	uint32_t n_mounted;      /* number of slots that existed at the mount */
	/* For layers: */
	uint32_t *first_slots;               /* by mounted group: index of its first slot */
	const struct tw_layer_range *groups; /* by mounted group; borrowed */
	uint32_t n_groups;                   /* mounted groups */
	uint32_t first_made;                 /* mounted position of the first made layer */
	bool is_changed;       /* the finalized map has other objects or another order */
	bool moves_references; /* is_changed, or a made object is not kept: update references */
};

/* Set *r to the order of one sort. `groups` is the order of groups, for layers only. m and the
 * placements are borrowed as long as the order is used. New objects without content (a layer
 * without layer.json) get placement.is_absent and are removed. -ENAMETOOLONG, -EINVAL: a name is
 * invalid (tw_numbered_parse). Call tw_order_finish in any case. */
int tw_order_init(struct tw_order *r, const struct tw_map *m, enum tw_sort sort,
	const struct tw_order *groups, struct placement *p, size_t n, struct error *e);
void tw_order_finish(struct tw_order *r);

/* The slot of the object at a mounted position; NULL if it has none. home_group: for layers that
 * existed at the mount, as a layer has a slot in each group; others ignore it. */
struct tw_slot *tw_order_slot(const struct tw_order *r, uint32_t position, uint32_t home_group);
/* Number of layers that a group of the finalized map has. r is the order of layers. */
uint32_t tw_order_count_layers(const struct tw_order *r, uint32_t final_group);
