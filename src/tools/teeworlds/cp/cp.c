/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/cp/cp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/preview/game.h"

static void finish_copying(struct tw_copying *k)
{
	for (size_t i = 0; i < k->n_lines; i++)
		free(k->lines[i].name);
	for (int sort = 0; sort < TW_SORTS; sort++)
		free(k->copies[sort]);
	free(k->lines);
	free(k->n_layers);
	tw_change_free(k->change);
}

static int init_copying(struct tw_copying *k, struct error *e)
{
	uint32_t n_to = tw_count(k->to, TW_GROUP), n_from = tw_count(k->from, TW_GROUP);

	if (!k->from->shared->is_typed || !k->to->shared->is_typed)
		return error_set(e, -EINVAL, "only raw/ is shown, so no parts are known");
	k->from_07 = tw_is_07(k->from);
	k->to_07 = tw_is_07(k->to);
	k->n_points = tw_points_count(k->to);
	k->change = tw_change_new(k->to);
	k->n_layers = calloc((size_t)n_to + n_from + 1, sizeof(*k->n_layers));
	if (!k->change || !tw_change_map(k->change) || !k->n_layers)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < n_to; i++)
		k->n_layers[i] = tw_group_layers(k->to, i).n;
	for (int sort = 0; sort < TW_SORTS; sort++) {
		k->copies[sort] = calloc((size_t)tw_names(k->from, (enum tw_sort)sort)->n + 1,
			sizeof(*k->copies[sort]));
		if (!k->copies[sort])
			return error_set(e, -ENOMEM, "out of memory");
	}
	return 0;
}

/* Find the group of `to` that has the name of a group of `from`. */
static int find_namesake(const struct tw_copying *k, uint32_t group, uint32_t *ret, struct error *e)
{
	const struct tw_name *name = &tw_names(k->from, TW_SORT_GROUP)->v[group];
	const struct tw_name_list *list = tw_names(k->to, TW_SORT_GROUP);
	uint32_t n = 0;

	for (uint32_t i = 0; name->size && i < list->n; i++)
		if (list->v[i].size == name->size &&
			memcmp(list->v[i].text, name->text, name->size) == 0 && n++ == 0)
			*ret = i;
	if (n != 1)
		return error_set(
			e, -EINVAL, "%" PRIu32 " groups have the name of its group (use -t)", n);
	return 0;
}

/* Check that -t is a directory for objects of the part's sort. */
static int check_target(const struct tw_copying *k, enum tw_sort sort, struct error *e)
{
	entry_id target = k->how->target;
	bool group = target != ENTRY_NONE && tw_id_kind(target) == TW_K_GROUP;

	if (target == ENTRY_NONE || (group ? TW_SORT_LAYER : tw_sort_in(target)) == sort)
		return 0;
	return error_set(e, -EINVAL, "the directory of -t does not take a%s %s",
		strchr("aeiou", tw_sorts[sort].noun[0]) ? "n" : "", tw_sorts[sort].noun);
}

static int copy_layer(struct tw_copying *k, const struct cp_part *p, struct error *e)
{
	uint32_t at = tw_object_position(p->id), from_group = tw_id_a(p->id), group = 0;
	uint32_t item = tw_type(k->from, TW_LAYER)->items[at];
	const struct tw_copy_line l = {CP_LEFT_OUT, .from = item, .detail = "is a physics layer"};
	int r = 0;

	if (p->is_match && tw_is_physics(&k->from->items[item]))
		return tw_cp_report(k, &l, e);
	if (k->how->x || k->how->y)
		r = error_set(e, -EINVAL, "--at moves groups, not layers");
	else if (k->how->target != ENTRY_NONE)
		group = tw_id_a(k->how->target);
	else
		r = find_namesake(k, from_group, &group, e);
	return r < 0 ? tw_cp_refuse(k, &k->from->items[item], r, e)
		     : tw_cp_layer(k, at, from_group, group, e);
}

static int copy_part(struct tw_copying *k, const struct cp_part *p, struct error *e)
{
	enum tw_sort sort = tw_sort_of(p->id);
	uint32_t position;
	int r = sort == TW_SORTS
			? error_set(e, -EINVAL, "is no group, layer, image, sound or envelope")
			: check_target(k, sort, e);

	if (r < 0)
		return error_context(e, "%s", p->path), r;
	position = tw_object_position(p->id);
	if (k->copies[sort][position].is_done)
		return 0;
	switch (sort) {
	case TW_SORT_GROUP:
		return tw_cp_group(k, position, p->is_match, e);
	case TW_SORT_LAYER:
		return copy_layer(k, p, e);
	default:
		return tw_cp_carry(k, sort, position, e);
	}
}

/* Finalize the new map. The names of copies are their placements. */
static int finalize_map(
	struct tw_copying *k, const struct cp_calls *calls, struct snapshot **ret, struct error *e)
{
	CLEANUP(free) struct placement *p = calloc(k->n_lines + 1, sizeof(*p));
	CLEANUP(snapshot_unref) struct snapshot *s = snapshot_ref(&k->to->base);
	size_t n = 0;
	int r = p ? tw_change_apply(&s, k->change, e) : error_set(e, -ENOMEM, "out of memory");

	for (size_t i = 0; r == 0 && i < k->n_lines; i++) {
		const struct tw_copy_line *l = &k->lines[i];
		entry_id dir = tw_id2(tw_sorts[l->sort].dir, l->group, 0, 0);

		if (l->event != CP_ADDED)
			continue;
		p[n] = (struct placement){.dir = dir, .name = l->name, .order = (uint32_t)n};
		p[n++].id = tw_object_id(
			l->sort, dir, (uint32_t)tw_position(tw_map_of(s), l->to), false);
	}
	return r < 0 ? r : tw_finalize(s, p, n, ret, calls->note, calls->arg, e);
}

static int copy_all(
	struct tw_copying *k, const struct cp_calls *calls, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	size_t n_settings = 0, n_copies = 0;
	char lines[40];
	int r = init_copying(k, e);

	for (size_t i = 0; r == 0 && i < k->how->n_parts; i++)
		r = copy_part(k, &k->how->parts[i], e);
	if (r == 0 && k->how->settings)
		r = tw_cp_settings(k, &n_settings, e);
	for (int sort = 0; sort < TW_SORTS; sort++)
		n_copies += k->n_made[sort];
	if (r == 0 && k->change->error)
		r = error_set(e, k->change->error, "out of memory");
	if (r == 0 && n_settings + n_copies)
		r = finalize_map(k, calls, &done, e);
	else if (r == 0)
		done = snapshot_ref(&k->to->base);
	if (r == 0)
		r = tw_cp_print(k, tw_map_of(done), calls, e);
	if (r < 0)
		return r;
	snprintf(lines, sizeof(lines), "%zu line%s", n_settings, n_settings == 1 ? "" : "s");
	if (n_settings)
		calls->report(calls->arg, &(struct cp_line){CP_ADDED, "info/settings.cfg",
						  "info/settings.cfg", lines});
	if (n_settings + n_copies)
		*ret = TAKE(done);
	return 0;
}

static int copy_parts(const struct snapshot *from, const struct snapshot *to, const struct cp *how,
	const struct cp_calls *calls, struct snapshot **ret, struct error *e)
{
	__attribute__((cleanup(finish_copying))) struct tw_copying k = {
		.from = tw_map_of(from), .to = tw_map_of(to), .how = how};

	*ret = NULL;
	return copy_all(&k, calls, ret, e);
}

const struct cp_tool tw_cp = {.copy = copy_parts};
