/* SPDX-License-Identifier: Zlib */
/* needs: add an info item and a game layer to a new map that has none (DDNet's
 * engine/shared/map.cpp requires a game layer). The game layer joins the group of the first physics
 * layer, and has its size. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/fields.h"

enum { USUAL_SIDE = 50, TILE = 4 };

static const struct tw_parsed_name game_name = {.name = "Game", .n = sizeof("Game") - 1};

static int add_info(struct finalizer *s)
{
	struct tw_ints *v;
	uint32_t item;

	if (tw_item_at(s->result, TW_INFO, 0))
		return 0;
	v = tw_ints_copy(NULL, TW_INFO_LENGTH, -1);
	if (v)
		v->v[0] = 1;
	return tw_map_add_item(s->result, TW_INFO, 0, v, &item);
}

static int add_group(struct finalizer *s, uint32_t *ret)
{
	struct tw_ints *v = tw_initial_group();
	int r;

	if (v)
		v->v[TW_GROUP_START] = (int32_t)s->lists[TW_SORT_LAYER].n;
	r = tw_map_add_item(s->result, TW_GROUP, 0, v, ret);
	if (r == 0)
		r = finalize_set_name(&s->result->items[*ret], &game_name);
	return r < 0 ? r : item_list_push(&s->lists[TW_SORT_GROUP], *ret);
}

static int add_layer(struct finalizer *s, int32_t w, int32_t h, uint32_t *ret)
{
	struct tw_ints *v = tw_initial_tiles(3, TW_KIND_GAME, w, h);
	CLEANUP(blob_unref) struct blob *tiles = NULL;
	int r;

	r = tw_map_add_item(s->result, TW_LAYER, 0, v, ret);
	if (r == 0)
		r = finalize_set_name(&s->result->items[*ret], &game_name);
	if (r < 0)
		return r;
	tiles = blob_of_bytes(bytes_new((uint64_t)w * (uint64_t)h * TILE, NULL), NULL);
	return tiles ? tw_map_set_data(s->result, *ret, TW_TILES_DATA, tiles, &s->users) : -ENOMEM;
}

/* Insert a layer into the list as the last one of a group. */
static int insert_layer(struct finalizer *s, uint32_t group, uint32_t layer)
{
	struct item_list *layers = &s->lists[TW_SORT_LAYER], *groups = &s->lists[TW_SORT_GROUP];
	struct tw_ints *v = s->result->items[group].ints;
	int32_t at = v->v[TW_GROUP_START] + v->v[TW_GROUP_COUNT];
	int r = item_list_push(layers, layer);

	if (r < 0)
		return r;
	memmove(layers->items + at + 1, layers->items + at,
		(layers->n - 1 - (uint32_t)at) * sizeof(*layers->items));
	layers->items[at] = layer;
	v->v[TW_GROUP_COUNT]++;
	/* The groups' integers are not shared with `mounted`: finalize_tree copied them. */
	for (uint32_t i = 0; i < groups->n; i++) {
		struct tw_ints *other = s->result->items[groups->items[i]].ints;

		if (groups->items[i] != group && other->v[TW_GROUP_START] >= at)
			other->v[TW_GROUP_START]++;
	}
	return 0;
}

/* Find the group that has the layer at a position. */
static uint32_t find_group(const struct finalizer *s, uint32_t position)
{
	const struct item_list *groups = &s->lists[TW_SORT_GROUP];

	for (uint32_t i = 0; i < groups->n; i++) {
		const int32_t *v = s->result->items[groups->items[i]].ints->v;

		if (position >= (uint32_t)v[TW_GROUP_START] &&
			position - (uint32_t)v[TW_GROUP_START] < (uint32_t)v[TW_GROUP_COUNT])
			return groups->items[i];
	}
	return UINT32_MAX;
}

static int add_game_layer(struct finalizer *s)
{
	const struct item_list *layers = &s->lists[TW_SORT_LAYER];
	int32_t w = USUAL_SIDE, h = USUAL_SIDE;
	uint32_t group = UINT32_MAX, layer;
	int r = 0;

	for (uint32_t i = 0; i < layers->n; i++) {
		const struct tw_item *it = &s->result->items[layers->items[i]];
		int32_t kind = tw_is_tiles(it) ? it->ints->v[TW_TILES_KIND] : 0;

		if (kind == TW_KIND_GAME)
			return 0;
		if (!tw_is_special(kind) || group != UINT32_MAX)
			continue;
		group = find_group(s, i);
		w = it->ints->v[TW_TILES_WIDTH];
		h = it->ints->v[TW_TILES_HEIGHT];
	}
	if (group == UINT32_MAX)
		r = add_group(s, &group);
	if (r == 0)
		r = add_layer(s, w, h, &layer);
	return r < 0 ? r : insert_layer(s, group, layer);
}

int finalize_required(struct finalizer *s, struct error *e)
{
	int r = 0;

	if (!s->mounted->shared->is_new_map)
		return 0;
	r = add_info(s);
	if (r == 0)
		r = add_game_layer(s);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
