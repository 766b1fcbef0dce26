/* SPDX-License-Identifier: Zlib */
/*
 * order: which objects of one sort the settled map has, and in which order (layout rule 5).
 */
#ifndef FORMATS_TEEWORLDS_FINALIZE_ORDER_H
#define FORMATS_TEEWORLDS_FINALIZE_ORDER_H

#include "formats/teeworlds/names/parse.h"

/* One object; a layer that stands in two groups has a seat in each. */
struct tw_seat {
	uint32_t item;  /* handle */
	uint32_t at;    /* position in the list of its type, in the mounted map */
	uint32_t order; /* among the seats, before they were sorted */
	uint32_t group; /* layers: position of the group where it stands now, in the mounted map */
	uint32_t home;  /* ... and of the one where it was */
	bool gone;      /* not in the settled map */
	const struct placement *placed; /* new, moved or renamed; NULL: as at the mount */
	size_t time;                    /* of that; 0: none */
	bool last;                      /* it has no number, so it goes last */
	uint64_t position;              /* that its number says */
	uint64_t rank;                  /* of the group in the settled map */
};

struct tw_roster {
	enum tw_named what;
	struct tw_seat *seats; /* in their settled order; those that are gone at the end */
	uint32_t n, n_here;
	uint32_t n_mounted; /* seats that there were at the mount */
	bool changed;       /* others, or in another order, than at the mount */
	bool moves; /* ... or there are new ones that are in no place: references are to follow */
};

/* The placements are borrowed as long as the roster is used. What has no content yet (a layer, no
 * layer.json) has no seat in the map. -EINVAL: a name does not fit its field. groups is for layers,
 * else NULL. */
int tw_roster_init(struct tw_roster *r, const struct tw_map *m, enum tw_named what,
	const struct tw_roster *groups, const struct placement *p, size_t n, struct error *e);
void tw_roster_finish(struct tw_roster *r);

#endif
