/* SPDX-License-Identifier: Zlib */
/*
 * points: the points of all envelopes, which stand in one item, and their Bezier tangents (layout
 * rules 18, 19).
 *
 * A point is 6 integers (time, curve type, four values), and 16 more for its tangents where any
 * envelope's version is 3 or more. Else tangents may stand in a UUID item of 16 integers a point
 * (DDNet); one of another length does not count.
 */
#pragma once

#include "formats/teeworlds/model/change.h"

enum { TW_POINT_PLAIN = 6, TW_POINT_TANGENTS = 16, TW_POINT_FULL = 22 };

struct tw_points {
	const struct tw_item *item;   /* NULL: there is none */
	const struct tw_ints *own;    /* of an envelope made since the mount: its points alone */
	const struct tw_item *bezier; /* NULL: there is none, or it does not count */
	uint32_t n;
	uint32_t stride; /* integers of a point in item */
};

void tw_points_of(const struct tw_map *m, struct tw_points *ret);
/* The points as one envelope has them: one that is new keeps its own, in full. */
void tw_points_for(const struct tw_map *m, const struct tw_item *envelope, struct tw_points *ret);

/* For n plain points: tangents that do not count now must not begin to, so those that would leave
 * the map. */
void tw_points_drop_tangents(const struct tw_map *m, uint32_t n, struct tw_change *c);

/* points_write.c: all points as they are to be, in full, each followed by the tangents that an item
 * of their own has for it. */
struct tw_point_list {
	int32_t (*v)[TW_POINT_FULL + TW_POINT_TANGENTS];
	uint32_t n, room;
};

/* Points [begin, end). -ENOMEM, also for more of them than a map can hold. */
int tw_points_append(
	struct tw_point_list *l, const struct tw_points *p, uint32_t begin, uint32_t end);
/* One that stands in the place of the point at `at`, which may be none. */
int tw_points_append_new(struct tw_point_list *l, const struct tw_points *p, uint32_t at,
	const int32_t point[TW_POINT_FULL]);
/* Gives them to the map, in full or plain. */
void tw_points_write(const struct tw_point_list *l, bool full, struct tw_change *c);

/* Point i < n in full: tangents that are not stored are 0. */
void tw_points_get(const struct tw_points *p, uint32_t i, int32_t ret[TW_POINT_FULL]);
static inline bool tw_points_have_tangents(const struct tw_points *p)
{
	return p->stride == TW_POINT_FULL || p->bezier;
}

/* Points in all envelopes, also of those that are new; all of them are in memory. */
uint64_t tw_points_count(const struct tw_map *m);

/* An envelope's points: [*begin, *end), as far as they are there. */
void tw_points_range(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end);

/*
 * Gives an envelope new integers and n new points: those of later
 * envelopes move, and all points take another form where the map's envelopes now ask for it. start
 * and count in `envelope` (of at least TW_ENV_COUNT + 1 integers; taken) are set here.
 */
int tw_points_replace(const struct tw_map *m, uint32_t item, struct tw_ints *envelope,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct tw_change *c, struct error *e);
