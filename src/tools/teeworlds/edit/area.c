/* SPDX-License-Identifier: Zlib */
/*
 * area: copy a rectangle of another map, as DDNet's map_replace_area does.
 *
 * In a layer of parallax 100 the rectangle is a part of the layer. Of another layer it is all that
 * a camera can show in the rectangle: a camera at C shows the place p of a layer at p - offset + C
 * * (100 - parallax) / 100, if that is at most half a screen from C. Places are computed in
 * hundredths of a world unit, so nothing is rounded.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/holder.h"
#include "tools/teeworlds/edit/edit.h"

static const int64_t half_screen[2] = {1430 / 2, 1050 / 2}; /* as in map_replace_area */

struct span {
	int64_t begin, end;
};

/* One direction of a rectangle, and of a group that shows it. */
struct view {
	struct span area; /* in the world, cut by the group's clip rectangle */
	int64_t offset, parallax;
	int64_t screen; /* hundredths by which the screen widens what is shown */
};

static struct span intersect(struct span a, struct span b)
{
	return (struct span){a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

static bool is_empty(struct span s)
{
	return s.begin > s.end;
}

/* Two maps, one of which is copied to the other. */
struct copying {
	struct editing *ed;
	struct edit_model from;
	struct edit_layer *source, *target;
	struct view views[2][2]; /* of source and target, in both directions */
	int64_t move[2];         /* hundredths from a place in the source to the target */
	bool removed_references;
};

static struct view find_view(const struct edit_model *model, const struct edit_layer *l,
	uint32_t direction, int64_t at, int64_t side)
{
	const struct edit_group *g = &model->groups[l->group];
	bool physics = tw_is_physics(&model->m->items[l->item]);
	struct view v = {{at * EDIT_TILE, (at + side) * EDIT_TILE}, 0, EDIT_PERCENT, 0};
	int64_t clip;

	if (physics)
		return v;
	v.offset = edit_group_int(g, TW_GROUP_OFFSET + direction, 0);
	v.parallax = edit_group_int(g, TW_GROUP_PARALLAX + direction, EDIT_PERCENT);
	v.screen = half_screen[direction] * (v.parallax > EDIT_PERCENT ? v.parallax - EDIT_PERCENT
								       : EDIT_PERCENT - v.parallax);
	clip = edit_group_int(g, TW_GROUP_CLIP + direction, 0);
	if (v.parallax && edit_group_int(g, TW_GROUP_CLIPPING, 0))
		v.area = intersect(v.area,
			(struct span){
				clip, clip + edit_group_int(g, TW_GROUP_CLIP + 2 + direction, 0)});
	if (is_empty(v.area))
		v.area = (struct span){1, 0}; /* bounds the products of find_seen */
	return v;
}

/* The part of a layer that can be seen in an area, in hundredths of the layer's units. */
static struct span find_seen(const struct view *v, struct span area)
{
	int64_t a = area.begin * v->parallax, b = area.end * v->parallax;
	int64_t origin = v->offset * EDIT_PERCENT;

	return (struct span){
		(a < b ? a : b) + origin - v->screen, (a > b ? a : b) + origin + v->screen};
}

static struct span seen_tiles(const struct view *v, uint32_t side)
{
	return intersect(
		find_seen(v, v->area), (struct span){0, (int64_t)side * EDIT_TILE * EDIT_PERCENT});
}

/* The tiles that a span touches. */
static struct span tiles_of(struct span s)
{
	const int64_t tile = EDIT_TILE * EDIT_PERCENT;

	return (struct span){s.begin / tile, (s.end + tile - 1) / tile};
}

/* Clear the tiles of the target that can be seen in the rectangle. Returns false if there are none.
 */
static bool clear_seen(const struct copying *k)
{
	const struct edit_layer *l = k->target;
	struct span x = seen_tiles(&k->views[1][0], l->w), y = seen_tiles(&k->views[1][1], l->h);

	if (is_empty(k->views[1][0].area) || is_empty(k->views[1][1].area) || is_empty(x) ||
		is_empty(y))
		return false;
	x = tiles_of(x);
	y = tiles_of(y);
	for (int64_t row = y.begin; row < y.end && x.begin < x.end; row++)
		memset(edit_cell(l, (uint32_t)x.begin, (uint32_t)row), 0,
			(size_t)(x.end - x.begin) * l->tiles.size);
	return true;
}

/* The parts of source and target, in one direction, that are seen at the same place of the
 * rectangle. Returns false if there are none. */
static bool match_tiles(
	const struct copying *k, int direction, const uint32_t sides[2], struct span ret[2])
{
	const struct view *v[2] = {&k->views[0][direction], &k->views[1][direction]};
	int64_t move = k->move[direction], begin;
	int64_t distance = k->ed->operation->box[direction] - k->ed->operation->source[direction];
	struct span area = v[1]->area, seen[2];

	distance *= EDIT_TILE;
	area.begin -= distance;
	area.end -= distance;
	area = intersect(v[0]->area, area);
	if (is_empty(area))
		return false;
	/* Both layers, in the units of the source. */
	for (int i = 0; i < 2; i++) {
		int64_t by = i ? move : 0, end = (int64_t)sides[i] * EDIT_TILE * EDIT_PERCENT;

		seen[i] = intersect(find_seen(v[0], area), (struct span){-by, end - by});
		if (is_empty(seen[i]))
			return false;
	}
	begin = intersect(seen[0], seen[1]).begin;
	ret[0] = tiles_of((struct span){begin, seen[0].end});
	ret[1] = tiles_of((struct span){begin + move, seen[1].end + move});
	return true;
}

static void copy_tiles(const struct copying *k)
{
	const struct edit_layer *from = k->source, *to = k->target;
	struct span x[2], y[2];

	if (!match_tiles(k, 0, (const uint32_t[]){from->w, to->w}, x) ||
		!match_tiles(k, 1, (const uint32_t[]){from->h, to->h}, y))
		return;
	for (; y[0].begin < y[0].end && y[1].begin < y[1].end; y[0].begin++, y[1].begin++)
		for (int64_t i = x[0].begin, j = x[1].begin; i < x[0].end && j < x[1].end; i++, j++)
			memcpy(edit_cell(to, (uint32_t)j, (uint32_t)y[1].begin),
				edit_cell(from, (uint32_t)i, (uint32_t)y[0].begin), to->tiles.size);
}

/* Can the pivot of a quad or source, moved by hundredths, be seen in a rectangle? */
static bool is_seen(const struct view views[2], const struct edit_layer *l, const int32_t *element,
	const int64_t move[2])
{
	int first = l->form == TW_FORM_QUADS ? 8 : 0;

	for (int i = 0; i < 2; i++) {
		/* map_replace_area drops fractions of world units, too. */
		int64_t at = element[first + i] / EDIT_FIXED * EDIT_PERCENT + (move ? move[i] : 0);
		struct span seen = find_seen(&views[i], views[i].area);

		if (is_empty(views[i].area) || at < seen.begin || at > seen.end)
			return false;
	}
	return true;
}

/* Is an envelope the same one in both maps, by its number, name and channels? */
static bool is_same_envelope(const struct copying *k, int32_t ref)
{
	const struct tw_map *a = k->from.m, *b = k->ed->model.m;
	const struct tw_item *in_a = tw_item_at(a, TW_ENVELOPE, ref);
	const struct tw_item *in_b = tw_item_at(b, TW_ENVELOPE, ref);
	const struct tw_name *of_a, *of_b;

	if (!in_a || !in_b)
		return !in_a && !in_b;
	of_a = &tw_names(a, TW_SORT_ENVELOPE)->v[ref];
	of_b = &tw_names(b, TW_SORT_ENVELOPE)->v[ref];
	return tw_get_int(in_a, TW_ENV_CHANNELS, 0) == tw_get_int(in_b, TW_ENV_CHANNELS, 0) &&
	       of_a->size == of_b->size &&
	       (!of_a->size || memcmp(of_a->text, of_b->text, of_a->size) == 0);
}

static int add_element(struct copying *k, const int32_t *element, int32_t *to, struct error *e)
{
	const struct tw_list_shape *shape = tw_list_shape(k->target->form);
	int n_points = k->target->form == TW_FORM_QUADS ? 5 : 1;

	memcpy(to, element, shape->ints * sizeof(*to));
	for (int i = 0; i < 2 * n_points; i++)
		if (ckd_add(&to[i], to[i], k->move[i % 2] * EDIT_FIXED / EDIT_PERCENT))
			return error_set(e, -EINVAL, "%s: coordinates would not fit in 32 bits",
				k->target->path);
	for (unsigned i = 0; i < shape->n_refs; i++) {
		int32_t *ref = &to[shape->refs[i]];

		if (*ref < 0 || is_same_envelope(k, *ref))
			continue;
		k->removed_references = true;
		*ref = -1;
	}
	return 0;
}

/* Replace the elements that can be seen in the rectangle by those of the source. */
static int copy_list(struct copying *k, struct error *e)
{
	struct edit_layer *from = k->source, *to = k->target;
	size_t ints = tw_list_shape(to->form)->ints;
	int32_t *all;
	uint32_t n = 0;
	int r = edit_count(&k->ed->model, 4 * ints * from->n, e);

	if (r < 0)
		return r;
	all = calloc(((size_t)from->n + to->n) * ints + 1, sizeof(*all));
	if (!all)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < to->n; i++)
		if (!is_seen(k->views[1], to, to->elements + i * ints, NULL))
			memcpy(all + n++ * ints, to->elements + i * ints, ints * sizeof(*all));
	for (uint32_t i = 0; r == 0 && i < from->n; i++) {
		const int32_t *element = from->elements + i * ints;

		if (is_seen(k->views[0], from, element, NULL) &&
			is_seen(k->views[1], to, element, k->move))
			r = add_element(k, element, all + n++ * ints, e);
	}
	free(to->elements);
	to->elements = all;
	to->n = n;
	return r;
}

static int copy_layer(struct copying *k, struct error *e)
{
	struct editing *ed = k->ed;
	const struct edit_operation *o = ed->operation;
	int r = edit_load(&k->from, k->source, e);

	if (r == 0)
		r = edit_load(&ed->model, k->target, e);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < 2; i++) {
		struct view *v = k->views[0], *w = k->views[1];

		v[i] = find_view(&k->from, k->source, i, o->source[i], o->box[i + 2]);
		w[i] = find_view(&ed->model, k->target, i, o->box[i], o->box[i + 2]);
		k->move[i] = (w[i].offset - v[i].offset) * EDIT_PERCENT +
			     (o->box[i] - o->source[i]) * EDIT_TILE * w[i].parallax;
	}
	if (k->views[0][0].parallax != k->views[1][0].parallax ||
		k->views[0][1].parallax != k->views[1][1].parallax) {
		edit_left(ed, k->target->path, "the other map has another parallax");
		return 0;
	}
	edit_changed(ed, &k->target->changes, "copied");
	if (!edit_has_tiles(k->target))
		return copy_list(k, e);
	if (clear_seen(k))
		copy_tiles(k);
	return 0;
}

/* The key of a layer: its kind and its name, or the name of its image or sound if it has none. The
 * name of a physics layer does not count, since a map has one of each kind. */
struct key {
	enum tw_form form;
	int32_t kind;
	const struct tw_name *name;
	uint32_t position;
};

static struct key find_key(const struct edit_model *model, uint32_t position)
{
	const struct tw_map *m = model->m;
	const struct edit_layer *l = &model->layers[position];
	const struct tw_item *it = &m->items[l->item];
	struct key k = {l->form, 0, &tw_names(m, TW_SORT_LAYER)->v[position], position};
	struct tw_layer_ref held[TW_HELD_MAX];

	if (edit_has_tiles(l))
		k.kind = edit_kind_of(model, l);
	if (!k.name->size && tw_held_fields(it, held) &&
		tw_item_at(m, tw_sort_type(held[0].sort), it->ints->v[held[0].field]))
		k.name = &tw_names(m, held[0].sort)->v[it->ints->v[held[0].field]];
	return k;
}

static int compare_keys(const struct key *a, const struct key *b)
{
	uint16_t n = a->name->size < b->name->size ? a->name->size : b->name->size;

	return array_compare(a->form, b->form)
		       ?: array_compare(a->kind, b->kind)
		       ?: (a->kind ? 0
				   : (n ? memcmp(a->name->text, b->name->text, n) : 0)
					       ?: array_compare(a->name->size, b->name->size));
}

static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return compare_keys(x, y) ?: array_compare(x->position, y->position);
}

/* List the keys of all layers that can be copied, in order. Returns NULL if memory is exhausted. */
static struct key *sort_keys(const struct edit_model *model, uint32_t *ret_n)
{
	struct key *keys = calloc((size_t)model->n_layers + 1, sizeof(*keys));

	*ret_n = 0;
	for (uint32_t i = 0; keys && i < model->n_layers; i++)
		if (model->layers[i].group >= 0 && model->layers[i].form != TW_FORM_NONE)
			keys[(*ret_n)++] = find_key(model, i);
	if (*ret_n)
		qsort(keys, *ret_n, sizeof(*keys), by_key);
	return keys;
}

/* Copy all pairs of layers with one key; of several, in their order. List the others. */
static int copy_pairs(struct copying *k, const struct key *from, uint32_t n_from,
	const struct key *to, uint32_t n_to, struct error *e)
{
	int r = 0;

	for (uint32_t i = 0, j = 0; r == 0 && (i < n_from || j < n_to);) {
		int c = i == n_from ? 1 : j == n_to ? -1 : compare_keys(&from[i], &to[j]);

		k->source = c <= 0 ? &k->from.layers[from[i++].position] : NULL;
		k->target = c >= 0 ? &k->ed->model.layers[to[j++].position] : NULL;
		if (k->target ? !k->target->is_selected : k->ed->how->layers != NULL)
			continue;
		if (!k->target)
			edit_left(k->ed, k->source->path, "only the other map has it");
		else if (!k->source)
			edit_left(k->ed, k->target->path, "only this map has such a layer");
		else
			r = copy_layer(k, e);
	}
	return r;
}

static int copy_layers(struct copying *k, struct error *e)
{
	uint32_t n_from, n_to;
	CLEANUP(free) struct key *from = sort_keys(&k->from, &n_from);
	CLEANUP(free) struct key *to = sort_keys(&k->ed->model, &n_to);
	int r = from && to ? copy_pairs(k, from, n_from, to, n_to, e)
			   : error_set(e, -ENOMEM, "out of memory");

	if (r == 0 && k->removed_references)
		edit_left(k->ed, k->ed->operation->name,
			"some envelopes of its quads or sources are not in this map");
	return r;
}

int edit_area(struct editing *ed, struct error *e)
{
	struct copying k = {.ed = ed};
	int r = edit_model_open(&k.from, tw_map_of(ed->operation->other), NULL, e);

	if (r == 0)
		r = copy_layers(&k, e);
	edit_model_finish(&k.from);
	return r;
}
