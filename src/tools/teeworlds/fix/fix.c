/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/fix/fix.h"

#include <errno.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/mounted.h"

/* Writing the map again repairs its tables. */
static bool fix_tables(struct tw_fixing *k, const struct tw_place *)
{
	return fixing_done(k, "the tables of the file");
}

/* Are the ranges of all groups valid? A group without layers has no range. */
static bool are_groups_valid(const struct tw_map *m)
{
	uint32_t n = tw_count(m, TW_LAYER);

	for (uint32_t i = 0; i < tw_count(m, TW_GROUP); i++) {
		const struct tw_item *it = tw_item_at(m, TW_GROUP, i);
		int64_t start = tw_get_int(it, TW_GROUP_START, 0);
		int64_t count = tw_get_int(it, TW_GROUP_COUNT, -1);

		if (count > 0 && (start < 0 || start + count > n))
			return false;
	}
	return true;
}

/* A game uses only one physics layer of a kind, so nothing tells which group should have it. */
static bool is_physics_shared(const struct tw_map *m)
{
	for (uint32_t i = 0; i < tw_count(m, TW_LAYER); i++)
		if (tw_is_physics(tw_item_at(m, TW_LAYER, i)) && tw_layer_is_shared(m, i))
			return true;
	return false;
}

/* Finalizing copies all shared layers, for every group that has them. It also sets the ranges of
 * all groups, so they must be valid. */
static bool fix_shared(struct tw_fixing *k, const struct tw_place *at)
{
	int64_t position = tw_position(k->m, at->number);

	if (!tw_layer_is_shared(k->m, position) ||
		(k->shared_layer < 0 && (!are_groups_valid(k->m) || is_physics_shared(k->m))))
		return false;
	k->shared_layer = position;
	return fixing_done(k, "each of its groups has a copy now");
}

/* The faults that can be repaired. A fault that is not listed here has no repair. */
static const struct repair {
	enum tw_fault_code code;
	fixing_repair repair;
	bool is_last; /* finalizes the map, which cannot be edited any more then */
} repairs[] = {
	{TW_F_DOUBLE_ID, fix_double_id, false},
	{TW_F_GROUP_RANGE, fix_group, false},
	{TW_F_LAYER_TWICE, fix_shared, true},
	{TW_F_TILES_VERSION, fix_version, false},
	{TW_F_FILE, fix_tables, false},
	{TW_F_GAME_DATA, fix_data, false},
	{TW_F_GAME_UNUSED, fix_unused, false},
	{TW_F_TILES_PACKED, fix_version, false},
	{TW_F_DATA, fix_data, false},
	{TW_F_DATA_EMPTY, fix_empty_data, false},
	{TW_F_UNUSED, fix_unused, false},
	{TW_F_IDS, fix_ids, false},
	{TW_F_SETTINGS_END, fix_settings_end, false},
	{TW_F_IMAGE_SIZE, fix_image_size, false},
	{TW_F_FILE_LENGTH, fix_tables, false},
};

static const struct repair *find_repair(const struct tw_fault_key *fault)
{
	for (size_t i = 0; fault && i < sizeof(repairs) / sizeof(*repairs); i++)
		if (repairs[i].code == fault->code)
			return &repairs[i];
	return NULL;
}

/* Repair a fault, and say so. The last repairs have a run of their own. */
static void repair_fault(void *arg, const struct format_fault *f)
{
	struct tw_fixing *k = arg;
	const struct tw_fault_key *fault = f->record;
	const struct repair *r = find_repair(fault);
	bool done =
		r && !k->is_final && !(k->is_last && !r->is_last) && r->repair(k, &fault->place);

	if (done && r->is_last)
		k->any_last = true;
	else
		k->any |= done;
	if (done && r->is_last && !k->is_last && !k->is_check)
		done = false;
	if (done || !k->is_last)
		k->say(k->arg, f, done ? k->done : NULL);
}

static int find_faults(struct tw_fixing *k, struct error *e)
{
	int r = tw_check(NULL, &k->m->base, repair_fault, k, e);

	if (r == -EINVAL) {
		error_clear(e);
		r = 0;
	}
	return r == 0 && k->change->error ? error_set(e, k->change->error, "out of memory") : r;
}

static void ignore_line(void *, enum format_line_kind, const char *)
{
}

/* Finalize a map with a shared layer. It is copied because it seems to be renamed in its second
 * group: "00_x" is the same name as "0_x". */
static int finalize(
	const struct snapshot *s, uint32_t layer, struct snapshot **ret, struct error *e)
{
	const struct tw_map *m = tw_map_of(s);
	uint32_t group = (uint32_t)tw_find_group(m, layer) + 1;
	char name[NAME_MAX + 2] = "0";
	struct placement p = {.dir = ENTRY_ROOT, .name = name};

	while (layer - tw_group_layers(m, group).first >= tw_group_layers(m, group).n)
		group++;
	tw_mounted_stem(m, TW_SORT_LAYER, group, layer - tw_group_layers(m, group).first, name + 1);
	p.dir = tw_id2(TW_K_LAYERS, group, 0, 0);
	p.id = tw_object_id(TW_SORT_LAYER, p.dir, layer, false);
	return tw_finalize(s, &p, 1, ret, ignore_line, NULL, e);
}

/* The map with the repairs. */
static int finish(struct tw_fixing *k, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *now = snapshot_ref(&k->m->base);
	struct tw_map *m = tw_change_map(k->change);
	int r;

	if (m)
		m->must_rewrite = true;
	r = tw_change_apply(&now, k->change, e);
	if (r == 0 && k->is_last)
		r = finalize(now, (uint32_t)k->shared_layer, ret, e);
	else if (r == 0)
		*ret = TAKE(now);
	return r;
}

static int fix_map(const struct snapshot *s, const struct fix *how, fix_say say, void *arg,
	struct snapshot **ret, struct error *e)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(tw_map_of(s));
	struct tw_fixing k = {.m = tw_map_of(s),
		.change = c,
		.say = say,
		.arg = arg,
		.is_check = !ret,
		.shared_layer = -1};
	int r;

	if (!c)
		return error_set(e, -ENOMEM, "out of memory");
	k.is_final = k.m->mounted_index;
	if (ret)
		*ret = NULL;
	r = find_faults(&k, e);
	if (r == 0 && how->settings && !k.is_final)
		fix_settings(&k);
	if (r < 0 || !ret)
		return r;
	k.is_last = !k.any && k.any_last;
	if (k.is_last)
		r = find_faults(&k, e);
	return r == 0 && (k.any || k.is_last) ? finish(&k, ret, e) : r;
}

const struct fix_tool tw_fix = {.fix = fix_map};
