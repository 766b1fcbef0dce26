/* SPDX-License-Identifier: Zlib */
/*
 * order: which objects of one sort the finalized map has, and in which order (layout rule 5).
 */
#pragma once

#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/parse.h"

/* One object; a layer that stands in two groups has a slot in each. */
struct tw_slot {
	uint32_t item;       /* handle */
	uint32_t final_item; /* ... in the finalized map, where a layer of two groups is two */
	uint32_t mounted_position; /* position in the list of its type, in the mounted map */
	uint32_t group; /* layers: position of the group where it stands now, in the mounted map */
	uint32_t home_group;               /* ... and of the one where it was */
	bool is_removed;                   /* not in the finalized map */
	const struct placement *placement; /* new, moved or renamed; NULL: as at the mount */
	const char *chosen_name; /* the name of what was made or moved, now or before earlier saves;
				    NULL */
	bool is_unnumbered;      /* it has no number, so it goes last */
	uint64_t position;       /* that its number says */
	uint32_t final_position; /* its place in the finalized order */
	uint64_t final_group;    /* of the group in the finalized map */
	uint32_t final_index;    /* ... and of the layer in it */
};

struct tw_order {
	enum tw_sort sort;
	struct tw_slot *slots;   /* as at the mount, then those that are new */
	struct tw_slot **sorted; /* in their finalized order; those that are gone at the end */
	uint32_t n, n_kept;
	uint32_t n_mounted;               /* slots that there were at the mount */
	uint32_t *first_slots;            /* of layers: by group, the first of its slots */
	const struct tw_group_at *groups; /* ... at the mount */
	uint32_t n_groups;
	uint32_t first_made;   /* ... the position of the first layer that is new */
	bool is_changed;       /* others, or in another order, than at the mount */
	bool moves_references; /* ... or there are new ones that are in no place: references are to
				  follow */
};

/* The placements are borrowed as long as the order is used. What has no content yet (a layer, no
 * layer.json) has no slot in the map, and is marked as absent. -EINVAL: a name does not fit its
 * field. groups is for layers, else NULL. */
int tw_order_init(struct tw_order *r, const struct tw_map *m, enum tw_sort sort,
	const struct tw_order *groups, struct placement *p, size_t n, struct error *e);
void tw_order_finish(struct tw_order *r);

/* The slot of the object at a position of the mounted map; NULL: it has none. home: of a layer, the
 * group where it was; else it does not count. */
struct tw_slot *tw_order_slot(const struct tw_order *r, uint32_t at, uint32_t home);
/* How many layers the group of this rank has, of an order of layers. */
uint32_t tw_order_count_layers(const struct tw_order *r, uint32_t rank);
