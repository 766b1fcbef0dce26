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
	const int32_t *own;           /* NULL, or one envelope's own points, in full */
	const struct tw_item *bezier; /* NULL: there is none, or it does not count */
	uint32_t n;
	uint32_t stride; /* integers of a point in item */
};

void tw_points_of(const struct tw_map *m, struct tw_points *ret);
/*
 * What an envelope that is new, or that has new points, keeps in its item's `extra` until the map
 * is finalized: two integers, then its own points, in full. So many envelopes can change, and the
 * item of all points is written once (tw_points_derive).
 */
enum {
	TW_OWN_VERSION,  /* the envelope's version before: the points in the item have its form */
	TW_OWN_APPENDED, /* 1: the old points stay, because other envelopes use them */
	TW_OWN_POINTS,
};

/* The points of one envelope: its own, or those of all. */
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

/* An envelope's points in p, which tw_points_for gave: [*begin, *end), as far as they are there. */
void tw_points_range(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end);

/* The same in the item of all points, also if the envelope has own points by now. */
void tw_points_stored(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end);

/* points_put.c: gives an envelope new integers (taken; without start and count, which stay) and n
 * new points, which are its own until tw_points_derive. */
int tw_points_put(struct tw_change *c, uint32_t item, struct tw_ints *take,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct error *e);

/*
 * points_derive.c: writes the item of all points anew, if any envelope of the file has new ones
 * (tw_points_are_new), in the form that the envelopes now ask for. New points stand in place of the
 * old ones, or behind all others; the starts of the other envelopes move along.
 */
bool tw_points_are_new(const struct tw_map *m);
int tw_points_derive(struct tw_change *c, struct error *e);
