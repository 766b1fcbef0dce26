/* SPDX-License-Identifier: Zlib */
/* Faults for which a game refuses a map. A game ignores layers that are in no group. */
#include <errno.h>

#include "base/cleanup.h"
#include "codec/text/text.h"
#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/paths.h"

enum { GROUP_MIN = 7, NAMED_TILES_MIN = 18, KINDS = 63 };

/* The state of a check of all layers. */
struct look {
	struct tw_faults *f;
	uint32_t *used; /* by blob: 1 + the handle of the first layer whose tiles it holds, or 0 */
	uint8_t *twice; /* by position of a layer: it is in several groups, which was reported */
	uint8_t *games; /* by group, from 1: it has a game layer */
	struct tw_grouped *g;
};

/* Report items with equal ids. DDNet's tools write index items twice. */
static void check_doubles(struct tw_faults *f)
{
	const struct tw_index *x = f->m->index;

	for (size_t i = 0; i < x->n_types; i++) {
		const struct tw_type *t = &x->types[i];

		for (uint32_t k = 1; t->id != TW_UUID_INDEX && k < t->n; k++) {
			uint32_t handle = t->by_id[k];
			uint16_t id = f->m->items[handle].id;

			if (id == f->m->items[t->by_id[k - 1]].id)
				tw_fault_add(f, TW_F_DOUBLE_ID,
					(struct tw_place){.at = TW_AT_MAP, .number = handle}, "id",
					tw_digits(id).text, "once",
					"items of type %u: id %u occurs twice", t->id, id);
		}
	}
}

/* Report a type whose ids are not those of the reference writer. Programs find the info by its id
 * 0; of several infos they would find another one if the ids changed. */
static void check_order(struct tw_faults *f, uint16_t type)
{
	const struct tw_type *t = tw_type(f->m, type);
	uint32_t i = 0;

	while (t && i < t->n && f->m->items[t->items[i]].id == i)
		i++;
	if (t && i < t->n && (type != TW_INFO || t->n == 1))
		tw_fault_add(f, TW_F_IDS, (struct tw_place){.at = TW_AT_MAP, .number = type}, "id",
			tw_digits(f->m->items[t->items[i]].id).text, tw_digits(i).text,
			"items of type %u: item %u has id %u (%u)", type, i,
			f->m->items[t->items[i]].id, i);
}

static void check_name(struct tw_faults *f, uint32_t handle, const struct tw_item *it)
{
	const int32_t *v = it->ints->v + 15;
	char name[12];

	if (it->ints->v[TW_LAYER_VERSION] < 3)
		return;
	if (!tw_fault_short(f, TW_F_TILES_SHORT, handle, NAMED_TILES_MIN) &&
		((v[0] == 0 && v[1] == 0 && v[2] == 0) ||
			!utf8_valid(name, tw_name_of_ints(v, 3, name))))
		tw_fault_add(f, TW_F_TILES_NAME, tw_in_item(handle), "name", "", "UTF-8",
			"its name is not UTF-8");
}

/* The field of a layer's tiles; -1 if the item of a physics layer is too short for it. */
static int find_own_field(const struct tw_item *it, int32_t kind)
{
	int own = kind <= TW_KIND_GAME ? TW_TILES_DATA : tw_tiles_field(it);

	return kind > TW_KIND_GAME && own == TW_TILES_DATA ? -1 : own;
}

static void report_shared(struct tw_faults *f, uint32_t handle, int32_t index)
{
	tw_fault_add(f, TW_F_TILES_SHARED, tw_in_item(handle), "data", tw_digits(index).text,
		"once", "data item %d belongs to another layer, too", index);
}

static void check_data(struct look *l, uint32_t handle, const struct tw_item *it, int32_t kind)
{
	int own = find_own_field(it, kind);
	int32_t index = own < 0 ? -1 : it->ints->v[own];
	size_t last = l->f->m->n_blobs ? l->f->m->n_blobs - 1 : 0;

	if (own < 0 || !tw_get_blob(l->f->m, it, (uint32_t)own)) {
		tw_fault_add(l->f, TW_F_TILES_NO_DATA, tw_in_item(handle), "data",
			tw_digits(index).text, tw_text("0 to %zu", last).text,
			"data index is %d (0 to %zu)", index, last);
		return;
	}
	if (!l->used[index]) {
		l->used[index] = handle + 1;
		return;
	}
	report_shared(l->f, handle, index);
	if (!l->f->report) /* collect it for both layers, since their order may change */
		report_shared(l->f, l->used[index] - 1, index);
}

static void check_side(struct tw_faults *f, uint32_t handle, int32_t w, int32_t h, int32_t kind)
{
	static const uint8_t sizes[KINDS + 1] = {[2] = 2, [4] = 6, [32] = 2};
	unsigned size = sizes[kind] ? sizes[kind] : 4;
	const struct tw_text sides = tw_text("%d x %d", w, h);

	if (w < 2 || h < 2)
		tw_fault_add(f, TW_F_TILES_SIDE, tw_in_item(handle), "size", sides.text,
			"at least 2 x 2", "is %s tiles (at least 2 x 2)", sides.text);
	else if ((uint64_t)w * (uint64_t)h * size > INT32_MAX)
		tw_fault_add(f, TW_F_TILES_COUNT, tw_in_item(handle), "size", sides.text,
			"at most 2147483647 bytes",
			"is %s tiles, of %u bytes (at most 2147483647 bytes)", sides.text, size);
}

static void check_tiles(struct look *l, uint32_t handle, const struct tw_item *it, uint32_t group)
{
	const int32_t *v = it->ints->v;
	struct tw_faults *f = l->f;
	int32_t kind;

	if (tw_fault_short(f, TW_F_TILES_SHORT, handle, TW_TILES_MIN))
		return;
	if (v[TW_LAYER_VERSION] < 2 || v[TW_LAYER_VERSION] > 4)
		tw_fault_add(f, TW_F_TILES_VERSION, tw_in_item(handle), "version",
			tw_digits(v[TW_LAYER_VERSION]).text, "2 to 4", NULL);
	kind = v[TW_TILES_KIND] & KINDS;
	if (__builtin_popcount((unsigned)kind) > 1)
		tw_fault_add(f, TW_F_TILES_KIND, tw_in_item(handle), "kind",
			tw_digits(v[TW_TILES_KIND]).text, "0, 1, 2, 4, 8, 16 or 32", NULL);
	check_side(f, handle, v[TW_TILES_WIDTH], v[TW_TILES_HEIGHT], kind);
	for (int i = 0; kind == 0 && i < 4; i++)
		if (v[TW_TILES_COLOR + i] < 0 || v[TW_TILES_COLOR + i] > 255)
			tw_fault_add(f, TW_F_TILES_COLOR, tw_in_item(handle),
				tw_text("color[%d]", i).text, tw_digits(v[TW_TILES_COLOR + i]).text,
				"0 to 255", NULL);
	check_name(f, handle, it);
	if (__builtin_popcount((unsigned)kind) <= 1)
		check_data(l, handle, it, kind);
	if (tw_is_game(it)) {
		l->g->game = it;
		l->g->game_handle = handle;
		l->g->n_games++;
		l->games[group] = 1;
	}
}

static void check_layer(struct look *l, uint32_t handle, uint32_t group)
{
	const struct tw_item *it = &l->f->m->items[handle];

	if (!tw_fault_short(l->f, TW_F_LAYER_SHORT, handle, TW_LAYER_MIN) &&
		tw_get_int(it, TW_LAYER_TYPE, -1) == TW_LAYER_TILES)
		check_tiles(l, handle, it, group);
}

/* number: position of the group + 1. */
static void check_group(struct look *l, uint32_t handle, uint32_t number)
{
	const struct tw_item *it = &l->f->m->items[handle];
	const struct tw_type *layers = tw_type(l->f->m, TW_LAYER);
	const struct tw_place place = tw_in_item(handle);
	int64_t begin = tw_get_int(it, TW_GROUP_START, 0),
		end = begin + tw_get_int(it, TW_GROUP_COUNT, 0);
	uint32_t n = layers ? layers->n : 0;

	if (tw_fault_short(l->f, TW_F_GROUP_SHORT, handle, GROUP_MIN))
		return;
	if (begin < 0 || end < begin || end > n) {
		const struct tw_text range = tw_text(
			"%d, count %d", it->ints->v[TW_GROUP_START], it->ints->v[TW_GROUP_COUNT]);

		tw_fault_add(l->f, TW_F_GROUP_RANGE, place, "layers", range.text,
			tw_text("%u layers", n).text, "layers is %s (the map has %u layers)",
			range.text, n);
		return;
	}
	for (int64_t k = begin; k < end; k++) {
		if (!l->g->home[k]) {
			l->g->home[k] = number;
			check_layer(l, layers->items[k], number);
		} else if (!l->twice[k]) {
			l->twice[k] = 1;
			tw_fault_add(l->f, TW_F_LAYER_TWICE, tw_in_item(layers->items[k]), "group",
				"2", "1", "is in two groups");
		}
	}
}

/* For each physics layer the game reads as many tiles as the game layer has, ignoring the width. */
static void check_size(struct look *l, uint32_t handle)
{
	const int32_t *v = l->f->m->items[handle].ints->v, *g = l->g->game->ints->v;
	int32_t w = v[TW_TILES_WIDTH], h = v[TW_TILES_HEIGHT];
	int32_t game_w = g[TW_TILES_WIDTH], game_h = g[TW_TILES_HEIGHT];
	bool few = (int64_t)w * h < (int64_t)game_w * game_h;
	char game[TW_PATH_MAX];

	if (w == game_w && h == game_h)
		return;
	tw_path_layer(l->f->m, l->g->game_handle, game);
	tw_fault_add(l->f, few ? TW_F_TILES_SMALL : TW_F_TILES_LARGE, tw_in_item(handle), "size",
		tw_text("%d x %d", w, h).text, tw_text("%d x %d", game_w, game_h).text,
		"is %d x %d tiles (%d x %d like the %sgame layer %s)%s", w, h, game_w, game_h,
		l->g->n_games > 1 ? "last " : "", game,
		few           ? ""
		: w == game_w ? ": the other rows are not used"
			      : ": the game moves its tiles to other places");
}

static void check_physics(struct look *l)
{
	const struct tw_type *layers = tw_type(l->f->m, TW_LAYER);

	if (!l->g->game)
		tw_fault_add(l->f, TW_F_NO_GAME, tw_in_map(), "game layer", "0", "at least 1",
			"the map has no game layer");
	for (uint32_t i = 0; l->g->game && i < layers->n; i++) {
		const struct tw_item *it = &l->f->m->items[layers->items[i]];
		int32_t kind = tw_is_tiles(it) ? it->ints->v[TW_TILES_KIND] : 0;

		if (!l->g->home[i] || (kind & KINDS) <= TW_KIND_GAME)
			continue;
		check_size(l, layers->items[i]);
		/* A game draws all physics layers with the game layer's group, and ignores their
		 * own group (DDNet's game/layers.cpp). */
		if (!l->games[l->g->home[i]])
			tw_fault_add(l->f, TW_F_TILES_GROUP, tw_in_item(layers->items[i]), "kind",
				tw_digits(kind).text, "in the group of the game layer",
				"kind is %d (must be in the group of the game layer)", kind);
	}
}

/* The caller frees ret->home, which is NULL if memory is exhausted. */
static void check_refused(struct tw_faults *f, struct tw_grouped *ret)
{
	const struct tw_type *groups = tw_type(f->m, TW_GROUP);
	size_t n_groups = tw_count(f->m, TW_GROUP), n = tw_count(f->m, TW_LAYER);
	CLEANUP(free) uint32_t *used = calloc(f->m->n_blobs + 1, sizeof(*used));
	CLEANUP(free) uint8_t *twice = calloc(n + 1, 1);
	CLEANUP(free) uint8_t *games = calloc(n_groups + 1, 1);
	struct look l = {f, used, twice, games, ret};

	*ret = (struct tw_grouped){.home = calloc(n + 1, sizeof(*ret->home))};
	if (!used || !twice || !games || !ret->home) {
		f->out_of_memory = true;
		return;
	}
	if (!tw_is_typed(f->m))
		tw_fault_add(f, TW_F_NO_VERSION, tw_in_map(), "version", "", "1",
			"the map has no version item of value 1");
	check_doubles(f);
	for (uint32_t i = 0; i < n_groups; i++)
		check_group(&l, groups->items[i], i + 1);
	check_physics(&l);
}

/* Find all faults that a save does not correct. Only raw/ can write data that a game cannot read,
 * so at a save data is checked only if raw/ is writable. */
static void check_map(struct tw_faults *f, const struct tw_map *other)
{
	struct tw_grouped g = {0};

	check_refused(f, &g);
	if (g.home && (!other || f->m->shared->raw == TW_RAW_RW))
		tw_check_data(f, &g, other);
	if (g.home)
		tw_check_parts(f, &g);
	free(g.home);
}

int tw_check(const struct snapshot *before, const struct snapshot *s,
	void (*report)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	struct tw_faults old = {.m = before ? tw_map_of(before) : NULL};
	struct tw_faults now = {.m = tw_map_of(s), .report = report, .arg = arg, .before = &old};
	int r = 0;

	if (before) {
		check_map(&old, now.m);
		tw_faults_settle(&old);
	} else if (!now.m->must_rewrite) {
		tw_check_file(&now);
	}
	check_map(&now, old.m);
	for (uint16_t type = TW_INFO; !before && tw_is_typed(now.m) && type <= TW_SOUND; type++)
		check_order(&now, type);
	if (old.out_of_memory || now.out_of_memory)
		r = error_set(e, -ENOMEM, "out of memory");
	else if (now.refused)
		r = error_set(e, -EINVAL, "a game would refuse the map");
	tw_faults_finish(&old);
	tw_faults_finish(&now);
	return r;
}
