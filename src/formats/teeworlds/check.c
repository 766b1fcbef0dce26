/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "codec/text.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/paths.h"

enum { GROUP_MIN = 7, LAYER_MIN = 3, NAMED_TILES_MIN = 18, GROUP_START = 5, GROUP_COUNT = 6 };

enum code {
	NO_VERSION,
	NO_GAME,
	DOUBLE_ID,
	EMPTY_DATA,
	GROUP_SHORT, /* from here on: of a group */
	GROUP_RANGE,
	LAYER_TWICE, /* from here on: of a layer */
	LAYER_SHORT,
	TILES_SHORT,
	TILES_VERSION,
	TILES_KIND,
	TILES_SIDE,
	TILES_NAME,
	TILES_COLOR,
	TILES_NO_DATA,
	TILES_SHARED,
	TILES_SMALL,
	TILES_DIFFER,
	TILES_GROUP,
};

/* One fault, told apart by what it is and by the handle of what has it. Of groups and layers the
 * text is what follows their path. */
struct fault {
	enum code code;
	uint32_t what;
	char text[160];
};

struct faults {
	const struct tw_map *m;
	struct fault *v;
	size_t n, room;
	bool failed; /* no memory */
};

static void PRINTF_LIKE(4, 5)
	add(struct faults *f, enum code code, uint32_t what, const char *fmt, ...)
{
	va_list ap;

	if (!array_room(f->v, f->n, f->room)) {
		f->failed = true;
		return;
	}
	f->v[f->n] = (struct fault){.code = code, .what = what};
	va_start(ap, fmt);
	vsnprintf(f->v[f->n].text, sizeof(f->v[f->n].text), fmt, ap);
	va_end(ap);
	f->n++;
}

static void check_ids(struct faults *f)
{
	const struct tw_index *x = f->m->index;

	for (size_t i = 0; i < x->n_types; i++) {
		const struct tw_type *t = &x->types[i];

		/* Tools of DDNet write index items twice. */
		for (uint32_t k = 1; t->id != TW_UUID_INDEX && k < t->n; k++)
			if (f->m->items[t->by_id[k]].id == f->m->items[t->by_id[k - 1]].id)
				add(f, DOUBLE_ID, t->by_id[k],
					"items of type %u: id %u occurs twice", t->id,
					f->m->items[t->by_id[k]].id);
	}
}

/* The layers [*begin, *end) of a group, as far as they are there. */
static bool group_range(
	const struct tw_item *group, uint32_t n_layers, int64_t *begin, int64_t *end)
{
	*begin = tw_int(group, GROUP_START, 0);
	*end = *begin + tw_int(group, GROUP_COUNT, 0);
	return *begin >= 0 && *end >= *begin && *end <= n_layers;
}

static void check_groups(struct faults *f)
{
	const struct tw_type *groups = tw_type(f->m, TW_GROUP);
	uint32_t n = tw_count(f->m, TW_LAYER);
	CLEANUP(free) uint8_t *seen = calloc((size_t)n + 1, sizeof(*seen));

	if (!seen)
		f->failed = true;
	for (uint32_t i = 0; seen && groups && i < groups->n; i++) {
		const struct tw_item *it = &f->m->items[groups->items[i]];
		int64_t begin, end;

		if (it->ints->n < GROUP_MIN) {
			add(f, GROUP_SHORT, groups->items[i], "has %u integers (at least %d)",
				it->ints->n, GROUP_MIN);
			continue;
		}
		if (!group_range(it, n, &begin, &end)) {
			add(f, GROUP_RANGE, groups->items[i],
				"layers %d, count %d, are out of range (%u layers)",
				it->ints->v[GROUP_START], it->ints->v[GROUP_COUNT], n);
			continue;
		}
		for (int64_t k = begin; k < end; k++) {
			if (seen[k] == 1)
				add(f, LAYER_TWICE, tw_type(f->m, TW_LAYER)->items[k],
					"is in two groups");
			if (seen[k] < 2)
				seen[k]++;
		}
	}
}

static void check_tiles_name(struct faults *f, uint32_t handle, const struct tw_item *it)
{
	const int32_t *v = it->ints->v + 15;
	char name[12];

	if (it->ints->v[TW_LAYER_VERSION] < 3)
		return;
	if (it->ints->n < NAMED_TILES_MIN)
		add(f, TILES_SHORT, handle, "has %u integers (at least %d)", it->ints->n,
			NAMED_TILES_MIN);
	else if ((v[0] == 0 && v[1] == 0 && v[2] == 0) ||
		 !utf8_valid(name, tw_name_of_ints(v, 3, name)))
		add(f, TILES_NAME, handle, "its name is not UTF-8");
}

static void check_tiles_data(
	struct faults *f, uint32_t handle, const struct tw_item *it, uint8_t *used)
{
	int own = tw_tiles_field(it);
	int32_t index = own < 0 ? -1 : it->ints->v[own];

	if (own < 0)
		return;
	if (!tw_blob_of(f->m, it, (uint32_t)own)) {
		add(f, TILES_NO_DATA, handle, "data index is %d (0 to %zu)", index,
			f->m->n_blobs ? f->m->n_blobs - 1 : 0);
		return;
	}
	if (used[index])
		add(f, TILES_SHARED, handle, "data item %d is another layer's too", index);
	used[index] = 1;
}

static void check_tiles(struct faults *f, uint32_t handle, uint8_t *used)
{
	const struct tw_item *it = &f->m->items[handle];
	const int32_t *v = it->ints->v;

	if (it->ints->n < TW_TILES_MIN) {
		add(f, TILES_SHORT, handle, "has %u integers (at least %d)", it->ints->n,
			TW_TILES_MIN);
		return;
	}
	if (v[TW_LAYER_VERSION] < 2 || v[TW_LAYER_VERSION] > 4)
		add(f, TILES_VERSION, handle, "version is %d (2 to 4)", v[TW_LAYER_VERSION]);
	if (__builtin_popcount((unsigned)v[TW_TILES_KIND] & 63) > 1)
		add(f, TILES_KIND, handle, "kind is %d (0, 1, 2, 4, 8, 16 or 32)",
			v[TW_TILES_KIND]);
	if (v[TW_TILES_WIDTH] < 2 || v[TW_TILES_HEIGHT] < 2)
		add(f, TILES_SIDE, handle, "is %d x %d tiles (at least 2 x 2)", v[TW_TILES_WIDTH],
			v[TW_TILES_HEIGHT]);
	for (int i = 0; v[TW_TILES_KIND] == 0 && i < 4; i++)
		if (v[TW_TILES_COLOR + i] < 0 || v[TW_TILES_COLOR + i] > 255)
			add(f, TILES_COLOR, handle, "color[%d] is %d (0 to 255)", i,
				v[TW_TILES_COLOR + i]);
	check_tiles_name(f, handle, it);
	check_tiles_data(f, handle, it, used);
}

static bool is_tiles(const struct tw_item *it)
{
	return tw_int(it, TW_LAYER_TYPE, -1) == TW_LAYER_TILES;
}

static int64_t tile_count(const struct tw_item *it)
{
	return (int64_t)it->ints->v[TW_TILES_WIDTH] * it->ints->v[TW_TILES_HEIGHT];
}

/* Physics layers are of the game layer's size. Fewer tiles than it has are worse than other rows.
 */
static void check_size(struct faults *f, uint32_t handle, const struct tw_item *game)
{
	const struct tw_item *it = &f->m->items[handle];
	const int32_t *v = it->ints->v, *g = game->ints->v;

	if (v[TW_TILES_WIDTH] != g[TW_TILES_WIDTH] || v[TW_TILES_HEIGHT] != g[TW_TILES_HEIGHT])
		add(f, tile_count(it) < tile_count(game) ? TILES_SMALL : TILES_DIFFER, handle,
			"is %d x %d tiles; width %d and height %d would fit the game layer",
			v[TW_TILES_WIDTH], v[TW_TILES_HEIGHT], g[TW_TILES_WIDTH],
			g[TW_TILES_HEIGHT]);
}

/* A game draws and moves all physics layers as it does the game layer, whatever their own group
 * says (DDNet's game/layers.cpp): they stand beside one. */
static void check_group(struct faults *f, uint32_t handle, int64_t position)
{
	int64_t g = tw_group_of(f->m, position), begin = 0, end = 0;
	const struct tw_item *it;

	if (g < 0 ||
		!group_range(tw_item_at(f->m, TW_GROUP, g), tw_count(f->m, TW_LAYER), &begin, &end))
		return;
	for (; begin < end; begin++) {
		it = tw_item_at(f->m, TW_LAYER, begin);
		if (tw_is_game(it))
			return;
	}
	add(f, TILES_GROUP, handle, "kind is %d, in a group that has no game layer",
		f->m->items[handle].ints->v[TW_TILES_KIND]);
}

static void check_physics(struct faults *f, const struct tw_type *layers)
{
	const struct tw_item *game = tw_game_layer(f->m, NULL);

	if (!game)
		add(f, NO_GAME, 0, "there is no game layer");
	for (uint32_t i = 0; game && i < layers->n; i++) {
		const struct tw_item *it = &f->m->items[layers->items[i]];

		if (!tw_is_tiles(it) || it->ints->v[TW_TILES_KIND] <= TW_KIND_GAME)
			continue;
		check_size(f, layers->items[i], game);
		check_group(f, layers->items[i], i);
	}
}

static void check_layers(struct faults *f)
{
	const struct tw_type *layers = tw_type(f->m, TW_LAYER);
	CLEANUP(free) uint8_t *used = calloc(f->m->n_blobs + 1, 1);

	if (!used)
		f->failed = true;
	for (uint32_t i = 0; used && layers && i < layers->n; i++) {
		const struct tw_item *it = &f->m->items[layers->items[i]];

		if (it->ints->n < LAYER_MIN)
			add(f, LAYER_SHORT, layers->items[i], "has %u integers (at least %d)",
				it->ints->n, LAYER_MIN);
		else if (is_tiles(it))
			check_tiles(f, layers->items[i], used);
	}
	check_physics(f, layers);
}

static void find_faults(struct faults *f)
{
	if (!tw_is_typed(f->m))
		add(f, NO_VERSION, 0, "there is no version item of value 1");
	check_ids(f);
	check_groups(f);
	check_layers(f);
	for (uint32_t i = 0; i < f->m->n_blobs; i++)
		if (f->m->blobs[i] && f->m->blobs[i]->size == 0)
			add(f, EMPTY_DATA, i, "data item %u: is empty (at least 1 byte)", i);
}

static int fault_cmp(const void *pa, const void *pb)
{
	const struct fault *a = pa, *b = pb;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->what < b->what ? -1 : a->what > b->what;
}

static void tell(const struct faults *f, const struct fault *fault,
	void (*why)(void *arg, const char *line), void *arg)
{
	char path[TW_PATH_MAX], line[2 * TW_PATH_MAX + sizeof(fault->text) + 64], game[TW_PATH_MAX];
	unsigned n;

	if (fault->code < GROUP_SHORT) {
		why(arg, fault->text);
		return;
	}
	if (fault->code < LAYER_TWICE)
		tw_path_group(f->m, fault->what, path);
	else
		tw_path_layer(f->m, fault->what, path);
	if (fault->code == TILES_SMALL || fault->code == TILES_DIFFER) {
		tw_path_layer(f->m, (uint32_t)(tw_game_layer(f->m, &n) - f->m->items), game);
		snprintf(line, sizeof(line), "%s: %s %s%s", path, fault->text, game,
			n > 1 ? ", the last of several, which counts" : "");
	} else {
		snprintf(line, sizeof(line), "%s: %s", path, fault->text);
	}
	why(arg, line);
}

int tw_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const char *line), void *arg, struct error *e)
{
	struct faults old = {.m = before ? tw_map_of(before) : NULL}, now = {.m = tw_map_of(s)};
	int r = 0;

	if (before)
		find_faults(&old);
	find_faults(&now);
	if (old.n)
		qsort(old.v, old.n, sizeof(*old.v), fault_cmp);
	for (size_t i = 0; i < now.n; i++) {
		if (old.n && bsearch(&now.v[i], old.v, old.n, sizeof(*old.v), fault_cmp))
			continue;
		tell(&now, &now.v[i], why, arg);
		r = error_set(e, -EINVAL, "a game would refuse the map");
	}
	if (old.failed || now.failed)
		r = error_set(e, -ENOMEM, "no memory to check the map");
	free(old.v);
	free(now.v);
	return r;
}
