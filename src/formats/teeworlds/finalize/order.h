/* SPDX-License-Identifier: Zlib */
/*
 * order: which objects of one sort the finalized map has, and in which order (layout rule 5).
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
	uint32_t final_item;       /* handle in the finalized map, where shared layers are copied */
	uint32_t mounted_position; /* position among the items of its type */
	/* Layers: mounted positions of the group that has the layer now, and at the mount. */
	uint32_t group, home_group;
	bool is_removed;                   /* the finalized map does not have it */
	const struct placement *placement; /* of a made or moved object; NULL if it is unmoved */
	/* The name of an object made or moved since the mount or before an earlier save; NULL. */
	const char *chosen_name;
	bool is_unnumbered;      /* the name has no number, so the object comes last */
	uint64_t position;       /* the number in the name */
	uint32_t final_position; /* index in tw_order.sorted */
	uint64_t final_group;    /* layers: position of the group in the finalized map */
	uint32_t final_index;    /* index of the layer in that group */
};

/* All objects of one sort. */
struct tw_order {
	enum tw_sort sort;
	struct tw_slot *slots;   /* in mounted order; made objects are last */
	struct tw_slot **sorted; /* in finalized order; removed ones are last */
	uint32_t n, n_kept;      /* number of slots; of those in the finalized map */
	uint32_t n_mounted;      /* number of slots that existed at the mount */
	/* For layers: first slot of each group; groups at the mount; position of the first made. */
	uint32_t *first_slots;
	const struct tw_layer_range *groups;
	uint32_t n_groups;
	uint32_t first_made;
	bool is_changed;       /* the finalized map has other objects or another order */
	bool moves_references; /* is_changed, or a made object has no place: update references */
};

/*
 * Compute the order of one sort. `groups` is the order of groups if sort is TW_SORT_LAYER. The
 * placements are borrowed as long as the order is used. New objects without content (a layer
 * without layer.json) get placement.is_absent and are removed. -EINVAL: a name is too long.
 */
int tw_order_init(struct tw_order *r, const struct tw_map *m, enum tw_sort sort,
	const struct tw_order *groups, struct placement *p, size_t n, struct error *e);
void tw_order_finish(struct tw_order *r);

/* The slot of the object at a mounted position; NULL if it has none. home_group is used for layers
 * of the base only. */
struct tw_slot *tw_order_slot(const struct tw_order *r, uint32_t position, uint32_t home_group);
/* Number of layers that a group of the finalized map has. r is the order of layers. */
uint32_t tw_order_count_layers(const struct tw_order *r, uint32_t final_group);
