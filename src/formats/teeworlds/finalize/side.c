/* SPDX-License-Identifier: Zlib */
/*
 * side: auto-mapper items, which name a group and a layer in it, and extension items, which
 * belong to groups by position.
 */
#include <errno.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/group.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/model/fields.h"

enum { AUTO_GROUP = 1, AUTO_LAYER = 2 };

static int add_item(
	struct settling *s, enum tw_uuid what, struct tw_ints *take, uint32_t *ret, struct error *e)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(s->to);
	struct snapshot *to = &s->to->base;
	int r;

	if (!c || !take) {
		tw_ints_unref(take);
		return error_set(e, -ENOMEM, "no memory for an item of a group");
	}
	tw_change_add_uuid(s->to, c, what, take);
	r = c->error ? error_set(e, c->error, "no memory for an item of a group")
		     : tw_change_apply(&to, c, e);
	s->to = (struct tw_map *)to;
	*ret = (uint32_t)s->to->n_items - 1;
	return r;
}

/* Where a layer of a group went: its group's position and its number there. */
static const struct tw_seat *find_seat(
	const struct settling *s, uint32_t group, uint32_t layer, uint32_t *ret_number)
{
	const struct tw_roster *r = &s->rosters[TW_N_LAYERS];
	uint32_t number = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		number = i > 0 && r->seats[i].rank == r->seats[i - 1].rank ? number + 1 : 0;
		if (r->seats[i].at != layer || r->seats[i].home != group)
			continue;
		*ret_number = number;
		return &r->seats[i];
	}
	return NULL;
}

static uint32_t count_layers(const struct settling *s, uint32_t rank)
{
	const struct tw_roster *r = &s->rosters[TW_N_LAYERS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_here; i++)
		n += r->seats[i].rank == rank;
	return n;
}

/* The seat of the layer that an auto-mapper item was for; NULL: it is for none. */
static const struct tw_seat *seat_of(
	const struct settling *s, const struct tw_ints *v, uint32_t *ret_number)
{
	const struct tw_item *group = tw_item_at(s->from, TW_GROUP, v->v[AUTO_GROUP]);
	int64_t layer;

	if (!group || group->made)
		return NULL;
	layer = (int64_t)tw_int(group, TW_GROUP_START, 0) + v->v[AUTO_LAYER];
	if (layer < 0 || layer > UINT16_MAX)
		return NULL;
	return find_seat(s, (uint32_t)v->v[AUTO_GROUP], (uint32_t)layer, ret_number);
}

static int set_auto(struct tw_item *it, int32_t group, int32_t layer)
{
	struct tw_ints *v;

	if (it->ints->v[AUTO_GROUP] == group && it->ints->v[AUTO_LAYER] == layer)
		return 0;
	v = tw_ints_copy(it->ints, it->ints->n, 0);
	if (!v)
		return -ENOMEM;
	v->v[AUTO_GROUP] = group;
	v->v[AUTO_LAYER] = layer;
	tw_ints_unref(it->ints);
	it->ints = v;
	return 0;
}

static int follow_auto(struct settling *s, struct tw_item *it)
{
	const struct tw_seat *seat;
	uint32_t number;
	int32_t group, layer;

	if (it->ints->n <= AUTO_LAYER)
		return 0;
	seat = seat_of(s, it->ints, &number);
	if (seat && seat->gone) {
		it->removed = true;
		return 0;
	}
	if (seat)
		return set_auto(it, (int32_t)seat->rank, (int32_t)number);
	/* One for no layer must not become one for a layer. */
	group = it->ints->v[AUTO_GROUP];
	layer = it->ints->v[AUTO_LAYER];
	if (group >= 0 && (uint32_t)group < s->rosters[TW_N_GROUPS].n_here && layer >= 0 &&
		(uint32_t)layer < count_layers(s, (uint32_t)group))
		return set_auto(it, -1, -1);
	return 0;
}

static int add_autos(struct settling *s, struct error *e)
{
	const struct tw_roster *r = &s->rosters[TW_N_LAYERS];
	uint32_t number = 0, item;
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && i < r->n_here; i++) {
		const struct tw_ints *extra = s->from->items[r->seats[i].item].extra;
		struct tw_ints *v;

		number = i > 0 && r->seats[i].rank == r->seats[i - 1].rank ? number + 1 : 0;
		if (!extra)
			continue;
		v = tw_ints_copy(extra, extra->n, 0);
		if (v) {
			v->v[AUTO_GROUP] = (int32_t)r->seats[i].rank;
			v->v[AUTO_LAYER] = (int32_t)number;
		}
		ret = add_item(s, TW_AUTOMAPPER, v, &item, e);
	}
	return ret;
}

static int settle_autos(struct settling *s, struct error *e)
{
	int type = tw_uuid_type(s->from, TW_AUTOMAPPER);
	const struct tw_type *t = type < 0 ? NULL : tw_type(s->from, (unsigned)type);
	int r = 0;

	for (uint32_t i = 0; t && r == 0 && i < t->n; i++)
		r = follow_auto(s, &s->to->items[t->items[i]]);
	if (r < 0)
		return error_set(e, r, "no memory for an auto-mapper item");
	r = tw_map_reindex(s->to);
	return r < 0 ? error_set(e, r, "no memory for the map to be written") : add_autos(s, e);
}

/* The zoom that a group brings along: 1, an item's handle, 2, a number; or 0. */
static int zoom_of(
	const struct settling *s, const struct tw_seat *seat, uint32_t *ret_item, int32_t *ret_zoom)
{
	const struct tw_item *it = &s->from->items[seat->item];
	int type = tw_uuid_type(s->from, TW_GROUP_EXT);

	if (it->made) {
		*ret_zoom = it->extra ? it->extra->v[0] : 0;
		return it->extra ? 2 : 0;
	}
	return type >= 0 && tw_at(s->from, (unsigned)type, seat->at, ret_item) == 0;
}

static int add_ext(struct settling *s, int32_t zoom, uint32_t *ret, struct error *e)
{
	struct tw_ints *v = tw_ints_new(TW_EXT_LENGTH);

	if (v) {
		v->v[TW_EXT_VERSION] = 1;
		v->v[TW_EXT_ZOOM] = zoom;
	}
	return add_item(s, TW_GROUP_EXT, v, ret, e);
}

/* One for each group up to the last that has one; those of no group stay behind them, so then all
 * groups have one. */
static int settle_exts(struct settling *s, struct error *e)
{
	const struct tw_roster *groups = &s->rosters[TW_N_GROUPS];
	int type = tw_uuid_type(s->from, TW_GROUP_EXT), r = 0;
	const struct tw_type *t = type < 0 ? NULL : tw_type(s->from, (unsigned)type);
	uint32_t n = groups->n_here, mounted = tw_count_mounted(s->from, TW_GROUP), item;
	bool more = t && t->n > mounted;
	int32_t zoom;

	while (n && !more && zoom_of(s, &groups->seats[n - 1], &item, &zoom) == 0)
		n--;
	for (uint32_t i = 0; t && i < t->n; i++)
		s->to->items[t->items[i]].removed = true;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		const struct tw_seat *seat = &groups->seats[i];
		int has = zoom_of(s, seat, &item, &zoom);

		if (has == 1)
			s->to->items[item].removed = false;
		else if (has == 2)
			r = add_ext(s, zoom, &item, e);
		else
			r = add_ext(s, tw_group_default_zoom(&s->to->items[seat->item]), &item, e);
		if (r == 0)
			r = settle_push(&s->exts, item);
	}
	for (uint32_t i = mounted; more && r == 0 && i < t->n; i++) {
		s->to->items[t->items[i]].removed = false;
		r = settle_push(&s->exts, t->items[i]);
	}
	for (uint32_t i = 0; i < s->exts.n; i++)
		s->to->items[s->exts.items[i]].id = (uint16_t)i;
	return r < 0 && e && !e->code ? error_set(e, r, "no memory for the groups of the map") : r;
}

int settle_side(struct settling *s, struct error *e)
{
	int r;

	if (!settle_tree_moves(s))
		return 0;
	r = settle_autos(s, e);
	if (r == 0 && s->rosters[TW_N_GROUPS].changed)
		r = settle_exts(s, e);
	return r;
}
