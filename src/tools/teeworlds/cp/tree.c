/* SPDX-License-Identifier: Zlib */
/* Copies of groups and layers. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "tools/teeworlds/cp/cp.h"

enum { X_OFFSET = 1, Y_OFFSET, X_PARALLAX, Y_PARALLAX, CLIP_X = 8, CLIP_Y /* of a group */ };
enum { TILE = 32 /* units of a group's integers */ };

/* The references of one layer while they are copied. */
struct carrying {
	struct tw_copying *k;
	struct error *e;
	int r;
};

static bool is_object(const struct tw_copying *k, enum tw_sort sort, int32_t ref)
{
	return ref >= 0 && (uint32_t)ref < tw_names(k->from, sort)->n;
}

static int carry_reference(struct tw_copying *k, enum tw_sort sort, int32_t ref, struct error *e)
{
	return !k->how->no_references && is_object(k, sort, ref)
		       ? tw_cp_carry(k, sort, (uint32_t)ref, e)
		       : 0;
}

static int32_t carry_element(void *arg, int32_t ref)
{
	struct carrying *c = arg;

	if (c->r == 0)
		c->r = carry_reference(c->k, TW_SORT_ENVELOPE, ref, c->e);
	return ref;
}

/* Copy the objects that a layer refers to. */
static int carry_references(struct tw_copying *k, const struct tw_item *it, struct error *e)
{
	CLEANUP(blob_unref) struct blob *none = NULL;
	struct carrying c = {.k = k, .e = e};
	struct tw_layer_ref held[TW_HELD_MAX];
	unsigned n = tw_held_fields(it, held);
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++)
		r = carry_reference(k, held[i].sort, it->ints->v[held[i].field], e);
	if (r < 0)
		return r;
	r = tw_map_held_elements(k->from, it, carry_element, &c, &none);
	return r < 0 ? tw_cp_refuse(k, it, error_set(e, r, "%s", strerror(-r)), e) : c.r;
}

/* The reference of a copy. A number that refers to nothing must not refer to an object. */
static int32_t new_reference(const struct tw_copying *k, enum tw_sort sort, int32_t ref)
{
	int64_t made = (int64_t)ref - TW_MADE;

	if (is_object(k, sort, ref))
		return k->how->no_references ? -1 : k->copies[sort][ref].ref;
	return ref >= 0 || (made >= 0 && made <= UINT16_MAX) ? -1 : ref;
}

static int32_t new_element(void *arg, int32_t ref)
{
	return new_reference(arg, TW_SORT_ENVELOPE, ref);
}

static int set_references(struct tw_copying *k, uint32_t copy, struct error *e)
{
	const struct tw_map *m = k->change->result;
	struct tw_layer_ref held[TW_HELD_MAX];
	unsigned n = tw_held_fields(&m->items[copy], held);
	struct blob *list = NULL;
	int r;

	for (unsigned i = 0; i < n; i++)
		tw_change_set_int(k->change, copy, held[i].field,
			new_reference(k, held[i].sort, m->items[copy].ints->v[held[i].field]));
	r = tw_map_held_elements(m, &m->items[copy], new_element, k, &list);
	if (r == 0 && list)
		tw_change_set_data(k->change, copy, TW_LIST_DATA, list);
	r = r < 0 ? r : k->change->error;
	return r < 0 ? error_set(e, r, "%s", strerror(-r)) : 0;
}

static int check_layer(const struct tw_copying *k, const struct tw_item *it, struct error *e)
{
	int32_t type = tw_get_int(it, TW_LAYER_TYPE, -1);
	int r;

	if (tw_is_physics(it))
		return error_set(e, -EINVAL, "is a physics layer");
	r = tw_layer_check(k->from, it, e);
	if (r < 0)
		return r;
	if (tw_layer_form(k->from, it) == TW_FORM_NONE)
		return error_set(e, -EINVAL, "its type is unknown (type %d, 2, 3, 9 or 10)", type);
	if (k->to_07 && (type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS))
		return error_set(e, -EINVAL, "Teeworlds 0.7 has no sounds");
	return 0;
}

int tw_cp_layer(struct tw_copying *k, uint32_t position, uint32_t from_group, uint32_t group,
	struct error *e)
{
	const struct tw_item *it = tw_item_at(k->from, TW_LAYER, position);
	const uint32_t *autos;
	uint32_t copy;
	int r = check_layer(k, it, e);

	if (r < 0)
		return tw_cp_refuse(k, it, r, e);
	r = carry_references(k, it, e);
	if (r == 0)
		r = tw_cp_add(k, TW_SORT_LAYER, position, group, &copy, e);
	if (r == 0)
		r = set_references(k, copy, e);
	if (r == 0 && tw_find_autos(k->from, from_group,
			      tw_layer_in_group(k->from, from_group, position), &autos))
		tw_change_set_extra(k->change, copy, tw_ints_ref(k->from->items[autos[0]].ints));
	return r;
}

/* Move a number of a group by so many hundredths of a tile. */
static int move(struct tw_ints *v, uint32_t field, int64_t hundredths, struct error *e)
{
	int64_t moved;

	if (field >= v->n)
		return 0;
	moved = v->v[field] + TILE * hundredths / 100;
	if (moved < INT32_MIN || moved > INT32_MAX)
		return error_set(e, -EINVAL, "--at moves it too far (32 bits)");
	v->v[field] = (int32_t)moved;
	return 0;
}

/* A group's offset is what the game adds to the camera, so it moves the group to the other side.
 * The clip rectangle is a part of the world, whatever the parallax. */
static int move_group(struct tw_copying *k, uint32_t copy, struct error *e)
{
	const struct tw_ints *old = k->change->result->items[copy].ints;
	struct tw_ints *v = tw_ints_copy(old, old->n, 0);
	int64_t x = k->how->x, y = k->how->y;
	int r = v ? 0 : error_set(e, -ENOMEM, "out of memory");

	if (r == 0 && v->n > Y_PARALLAX)
		r = move(v, X_OFFSET, -x * v->v[X_PARALLAX], e);
	if (r == 0 && v->n > Y_PARALLAX)
		r = move(v, Y_OFFSET, -y * v->v[Y_PARALLAX], e);
	if (r == 0)
		r = move(v, CLIP_X, 100 * x, e);
	if (r == 0)
		r = move(v, CLIP_Y, 100 * y, e);
	tw_change_set_ints(k->change, copy, v);
	return r;
}

/* Keep the zoom of a group. The default needs no item: an item would make all groups before the
 * copy have one. */
static void copy_zoom(
	struct tw_copying *k, const struct tw_item *it, uint32_t position, uint32_t copy)
{
	const struct tw_item *ext = tw_uuid_item(k->from, TW_GROUP_EXT, position);
	int32_t usual = tw_group_default_zoom(it);
	int32_t zoom = ext ? tw_get_int(ext, TW_EXT_ZOOM, usual) : usual;
	struct tw_ints *v;

	if (zoom == usual)
		return;
	v = tw_ints_new(1);
	if (v) {
		v->v[0] = zoom;
		tw_change_set_extra(k->change, copy, v);
	} else {
		k->change->error = -ENOMEM;
	}
}

static bool has_game_layer(const struct tw_map *m, struct tw_layer_range layers)
{
	for (uint32_t i = 0; i < layers.n; i++)
		if (tw_is_game(tw_item_at(m, TW_LAYER, layers.first + i)))
			return true;
	return false;
}

static int copy_layers(struct tw_copying *k, struct tw_layer_range layers, uint32_t from,
	uint32_t to, struct error *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < layers.n; i++) {
		uint32_t at = layers.first + i, item = tw_type(k->from, TW_LAYER)->items[at];
		struct tw_copy_line l = {.event = CP_LEFT_OUT, .from = item};

		if (tw_is_physics(&k->from->items[item]))
			l.detail = "is a physics layer";
		else if (k->copies[TW_SORT_LAYER][at].is_done)
			l.detail = "was copied before";
		r = l.detail ? tw_cp_report(k, &l, e) : tw_cp_layer(k, at, from, to, e);
	}
	return r;
}

int tw_cp_group(struct tw_copying *k, uint32_t position, bool is_match, struct error *e)
{
	const struct tw_item *it = tw_item_at(k->from, TW_GROUP, position);
	struct tw_layer_range layers = tw_group_layers(k->from, position);
	const struct tw_copy_line l = {CP_LEFT_OUT, .from = (uint32_t)(it - k->from->items),
		.detail = "has the game layer"};
	uint32_t group = tw_count(k->to, TW_GROUP) + k->n_made[TW_SORT_GROUP], copy;
	int r;

	if (has_game_layer(k->from, layers))
		return is_match ? tw_cp_report(k, &l, e)
				: tw_cp_refuse(
					  k, it, error_set(e, -EINVAL, "has the game layer"), e);
	r = tw_cp_add(k, TW_SORT_GROUP, position, 0, &copy, e);
	if (r == 0 && (k->how->x || k->how->y)) {
		r = move_group(k, copy, e);
		r = r < 0 ? tw_cp_refuse(k, it, r, e) : 0;
	}
	if (r < 0)
		return r;
	copy_zoom(k, it, position, copy);
	return copy_layers(k, layers, position, group, e);
}
