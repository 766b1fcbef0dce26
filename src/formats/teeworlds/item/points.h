/* SPDX-License-Identifier: Zlib */
/*
 * points: the points of envelopes, which one item holds for all, and their Bezier tangents.
 *
 * A plain point has 6 integers (time, curve type, four values). If the version of any envelope is 3
 * or more, all points are full: 16 more integers hold the tangents. Otherwise a UUID item may hold
 * the tangents, 16 integers for each point (DDNet). It is ignored if it has another length.
 *
 * An envelope that is new or has new points keeps them as own points in tw_item.own_data. A build
 * moves them to the item of all points: tw_points_derive, or finalize_points for new envelopes.
 */
#pragma once

#include "formats/teeworlds/model/change.h"

enum { TW_POINT_PLAIN = 6, TW_POINT_TANGENTS = 16, TW_POINT_FULL = 22 };

struct tw_points {
	const struct tw_item *item;   /* the item of all points, or NULL */
	const int32_t *own;           /* an envelope's own points, full, instead of item; or NULL */
	const struct tw_item *bezier; /* the UUID item of tangents, if its length fits; or NULL */
	uint32_t n;                   /* points in item or own */
	uint32_t stride;              /* integers of a point in item or own */
};

/* Get the points in the item of all points. */
void tw_points_get_all(const struct tw_map *m, struct tw_points *ret);
/* Layout of tw_item.own_data of an envelope. */
enum {
	TW_OWN_VERSION,  /* the old version: the item of all points still has its layout */
	TW_OWN_APPENDED, /* 1: keep the old points, because other envelopes use them */
	TW_OWN_POINTS,   /* the own points, full */
};

/* Get the own points of an envelope, even if a new one has none yet. For an old envelope without
 * own points, get all points, as tw_points_get_all does. */
void tw_points_get_envelope(
	const struct tw_map *m, const struct tw_item *envelope, struct tw_points *ret);

/* Remove the first UUID items of tangents, while their length fits n points. Sets c->error. */
void tw_points_drop_tangents(const struct tw_map *m, uint32_t n, struct tw_change *c);

/* points_write.c: a list of full points, each followed by the tangents for the UUID item. Zero it
 * first; the caller frees v. */
struct tw_point_list {
	int32_t (*v)[TW_POINT_FULL + TW_POINT_TANGENTS];
	uint32_t n, room;
};

/* Append the points [begin, end) of p. -ENOMEM, also if a map cannot hold so many. */
int tw_points_append(
	struct tw_point_list *l, const struct tw_points *p, uint32_t begin, uint32_t end);
/* Append a new point. For the UUID item the list keeps the tangents that the UUID item of p has for
 * point `at`; without these, those of `point`. -ENOMEM, also if a map cannot hold so many. */
int tw_points_append_new(struct tw_point_list *l, const struct tw_points *p, uint32_t at,
	const int32_t point[TW_POINT_FULL]);
/* Write the list to the items of c, as full or plain points: the item of all points, and if
 * necessary the UUID item of tangents. Does not change envelopes. Errors are in c->error. */
void tw_points_write(const struct tw_point_list *l, bool full, struct tw_change *c);

/* Get point i < p->n, full. Tangents that are not stored are 0. */
void tw_points_get(const struct tw_points *p, uint32_t i, int32_t ret[TW_POINT_FULL]);
static inline bool tw_points_have_tangents(const struct tw_points *p)
{
	return p->stride == TW_POINT_FULL || p->bezier;
}

/* Number of points after finalizing: own points count, and not those that they replace. */
uint64_t tw_points_count(const struct tw_map *m);

/* Get the range of an envelope's existing points in p, which is from tw_points_get_envelope. */
void tw_points_range(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end);

/* Get the range of an envelope's existing points in the item of all points; p is from
 * tw_points_get_all. Ignores own points. */
void tw_points_stored(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end);

/* Set the integers (consumed, also on failure) and own points of an envelope (points_put.c). Its
 * start and count must stay. -EINVAL (unresolved): other envelopes use the old points, so new ones
 * must be appended, but an envelope refers to points past the last. -ENOMEM. */
int tw_points_set_own(struct tw_change *c, uint32_t item, struct tw_ints *take,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct error *e);

/* Has an envelope that existed at the mount own points? */
bool tw_points_have_own(const struct tw_map *m);
/* Rewrite the item of all points, full or plain as the versions of envelopes require. Does
 * nothing without tw_points_have_own. Own points replace the old ones, or come last
 * (TW_OWN_APPENDED); the starts of other envelopes are adjusted. */
int tw_points_derive(struct tw_change *c, struct error *e);
