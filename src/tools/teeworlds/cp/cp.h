/* SPDX-License-Identifier: Zlib */
/*
 * cp: struct cp_tool of Teeworlds and DDNet maps.
 *
 * A copy is a created object of the changed map (model/map.h), with the integers and data items of
 * the original, whose references mean objects of the changed map (names/reference.h). So
 * finalizing does the rest: names, order, points, auto-mapper and extension items.
 */
#pragma once

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/names/holder.h"
#include "formats/teeworlds/names/reference.h"
#include "tools/cp/cp.h"

extern const struct cp_tool tw_cp;

/* One run of cp.c, which frees the arrays and `change`. */
struct tw_copying {
	const struct tw_map *from, *to;
	struct tw_change *change; /* from `to` to the new map */
	const struct cp *how;
	bool from_07, to_07;
	/* By sort, and by position in `from`: is the object copied or reused? As which one? */
	struct tw_copy {
		bool is_done;
		int32_t ref; /* reference in the new map; only for images, sounds and envelopes */
	} * copies[TW_SORTS];
	uint32_t n_made[TW_SORTS]; /* copies */
	uint64_t n_points;         /* of all envelopes in the new map */
	uint32_t *n_layers;        /* numbers of layers, by position of a group in the new map */
	struct tw_copy_line {
		enum cp_event event;
		uint32_t from; /* handle in `from` */
		uint32_t to;   /* handle in the new map, if the event is not CP_LEFT_OUT */
		enum tw_sort sort;
		uint32_t group;     /* position of a layer's group in the new map */
		char *name;         /* of CP_ADDED: the file name to be placed; owned */
		const char *detail; /* of CP_LEFT_OUT: why; a constant; else NULL */
	} * lines;
	size_t n_lines, room_lines;
};

/* If a part is refused, e has its path in `from`, and why. After a failure drop `change`. */

/* objects.c: Add a copy of the object at a position in `from`, with its data, and a report line.
 * group: position of a layer's group in the new map; else 0. *ret: its handle in the new map. The
 * caller updates its references. */
int tw_cp_add(struct tw_copying *k, enum tw_sort sort, uint32_t position, uint32_t group,
	uint32_t *ret, struct error *e);
/* objects.c: Copy an image, sound or envelope, or find an equal one to reuse. Does nothing if that
 * was done before. */
int tw_cp_carry(struct tw_copying *k, enum tw_sort sort, uint32_t position, struct error *e);
/* Append a report line, which then owns l->name. -ENOMEM: the caller still owns it. */
int tw_cp_report(struct tw_copying *k, const struct tw_copy_line *l, struct error *e);
/* Refuse a part: put the path of `it`, of from->items, before the error in e. Returns r. */
int tw_cp_refuse(const struct tw_copying *k, const struct tw_item *it, int r, struct error *e);

/* reuse.c: Find an object of `to` that can be used instead of a copy. *ret: its position, or -1. */
int tw_cp_find_equal(const struct tw_copying *k, enum tw_sort sort, uint32_t position, int64_t *ret,
	struct error *e);
/* reuse.c: Has the envelope a Bezier curve? */
bool tw_cp_is_curved(const struct tw_points *p, uint32_t begin, uint32_t end);

/* tree.c: Copy a layer, with all it refers to, to a group of the new map. position: among all
 * layers of `from`; from_group: the position of its group there. */
int tw_cp_layer(struct tw_copying *k, uint32_t position, uint32_t from_group, uint32_t group,
	struct error *e);
/* tree.c: Append a copy of a group with its design layers, and report the others as left out. The
 * group of the game layer is left out if is_match (a pattern named it), else refused. */
int tw_cp_group(struct tw_copying *k, uint32_t position, bool is_match, struct error *e);

/* lower.c: Convert a copy (item: its handle) from a map of 0.7 so that the map stays one of 0.6. */
int tw_cp_lower(struct tw_copying *k, uint32_t item, struct error *e);

/* settings.c: Append the setting lines that `to` lacks. *ret_n: their number. */
int tw_cp_settings(struct tw_copying *k, size_t *ret_n, struct error *e);

/* report.c: Report all lines, with the paths that a mount of the finalized map shows. */
int tw_cp_print(const struct tw_copying *k, const struct tw_map *done, const struct cp_calls *calls,
	struct error *e);
