/* SPDX-License-Identifier: Zlib */
/*
 * finalize: the map to be written, derived from the mounted one and from where its objects stand.
 *
 * Handles stay: an item or blob of the settled map has the handle that it has in the mounted one,
 * and what settling adds comes after them. So what was written can be told apart by handles
 * afterwards (rebase), and faults that a map had before are found again (check.h).
 */
#ifndef FORMATS_TEEWORLDS_FINALIZE_FINALIZE_H
#define FORMATS_TEEWORLDS_FINALIZE_FINALIZE_H

#include <errno.h>

#include "base/array.h"
#include "formats/teeworlds/finalize/order.h"
#include "formats/teeworlds/model/change.h"

/* Items in the order of the settled map, by handle. */
struct settle_list {
	uint32_t *items;
	uint32_t n, room;
};

struct settle_object {
	enum tw_named what;
	uint32_t position; /* in `from` */
};

static inline int settle_push(struct settle_list *l, uint32_t item)
{
	if (!array_room(l->items, l->n, l->room))
		return -ENOMEM;
	l->items[l->n++] = item;
	return 0;
}

struct settling {
	const struct tw_map *from; /* the mounted map, as it is now */
	struct tw_map *to;         /* a copy, to be changed */
	struct tw_roster rosters[TW_N_NAMED];
	struct settle_list lists[TW_N_NAMED]; /* of types that changed; else empty */
	struct settle_list exts;              /* extension items of groups */
	/* references.c, of the layer at hand: it is new; what it names by number alone, or
	 * TW_N_NAMED. */
	bool new_holder;
	struct settle_object by_number;
	int32_t *moved[TW_N_NAMED]; /* where each object of `from` went, by position; -1: it is gone
				     */
	void (*say)(void *arg, const char *line);
	void *arg;
};

/* struct format's finalize. */
int tw_finalize(const struct snapshot *s, const struct placement *p, size_t n,
	struct snapshot **ret, void (*say)(void *arg, const char *line), void *arg,
	struct error *e);

/* names.c: the name of the seat's path into its item. */
int settle_name(struct settling *s, const struct tw_seat *seat, struct error *e);
/* A name in n integers as the reference writer stores it (DDNet's game/gamecore.cpp, StrToInts). */
void settle_write_name(const struct tw_place *place, int32_t *v, unsigned n);

/* tree.c: groups and layers in their order */
bool settle_tree_moves(const struct settling *s);
int settle_tree(struct settling *s, struct error *e);

/* side.c: items that belong to groups and layers by number */
int settle_side(struct settling *s, struct error *e);

/* parts.c: files that were removed from objects that stay */
bool settle_has_parts(const struct placement *p, size_t n);
int settle_parts(struct settling *s, const struct placement *p, size_t n, struct error *e);

/* uuid.c: types of which items left; did any? */
bool settle_uuids_lost(const struct tw_map *m);
int settle_uuids(struct settling *s, struct error *e);

/* needs.c: what a game needs, where the map is a new one */
int settle_needs(struct settling *s, struct error *e);

/* points.c: the points of envelopes in the order of envelopes */
int settle_points(struct settling *s, struct error *e);

/* references.c: references follow, where objects moved. */
int settle_refs(struct settling *s, struct error *e);

/* say.c: lines for the report */
void settle_say(struct settling *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* After the order is made: several game layers, one of them new. */
void settle_say_games(struct settling *s);
/* The path that an object had in the mount: "images/03_grass.png". dst has room for
 * SETTLE_PATH_MAX bytes. Layers are in no group but the first that has them. */
enum { SETTLE_PATH_MAX = 4 * NAME_MAX };
void settle_path(
	const struct settling *s, enum tw_named what, uint32_t position, char dst[SETTLE_PATH_MAX]);
/* The path that a layer has now. */
void settle_place(const struct settling *s, const struct placement *p, char dst[SETTLE_PATH_MAX]);

#endif
