/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/finalize/finalize.h"

#include <errno.h>
#include <inttypes.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/fields.h"

static void finalizer_finish(struct finalizer *s)
{
	for (int i = 0; i < TW_SORTS; i++) {
		tw_order_finish(&s->orders[i]);
		free(s->lists[i].items);
	}
	free(s->group_exts.items);
	free(s->users.counts);
	tw_change_free(s->change);
}

static int find_orders(
	struct finalizer *s, struct placement *p, size_t n, bool *ret_any, struct error *e)
{
	bool any = s->mounted->shared->is_new_map;

	for (int i = 0; i < TW_SORTS; i++) {
		struct tw_order *r = &s->orders[i];
		int ret = tw_order_init(
			r, s->mounted, (enum tw_sort)i, &s->orders[TW_SORT_GROUP], p, n, e);

		if (ret < 0)
			return ret;
		any |= r->moves_references;
		for (uint32_t k = 0; k < r->n_kept; k++)
			any |= r->sorted[k]->placement != NULL;
	}
	*ret_any = any;
	return 0;
}

/* Report new layers without a layer.json. Their files are reported by the caller. */
static void report_empty_layers(struct finalizer *s, const struct placement *p, size_t n)
{
	char path[FINALIZE_PATH_MAX];

	for (size_t i = 0; i < n; i++) {
		if (!p[i].is_absent || tw_sort_of(p[i].id) != TW_SORT_LAYER)
			continue;
		finalize_placement_path(s, &p[i], path);
		finalize_report(s, "%s is not saved: it has no valid layer.json", path);
	}
}

/* Flag removed items, and clear the members that only new items have. Go backwards, because kept
 * slots are first: a layer in several groups is removed only if all its slots are. */
static void flag_removed(struct finalizer *s, enum tw_sort sort)
{
	const struct tw_order *r = &s->orders[sort];

	for (uint32_t i = r->n; i > 0; i--) {
		const struct tw_slot *slot = r->sorted[i - 1];
		struct tw_item *it = &s->result->items[slot->item];

		it->is_removed = slot->is_removed;
		bytes_unref(TAKE(it->made_name));
		tw_ints_unref(TAKE(it->own_data));
	}
}

static int list_objects(struct finalizer *s, enum tw_sort sort)
{
	const struct tw_order *r = &s->orders[sort];
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && r->is_changed && i < r->n_kept; i++)
		ret = item_list_push(&s->lists[sort], r->sorted[i]->item);
	return ret;
}

static void renumber_items(struct finalizer *s, const struct item_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		s->result->items[l->items[i]].id = (uint16_t)i;
}

static int order_items(struct finalizer *s)
{
	int r;

	for (int i = 0; i < TW_SORTS; i++)
		renumber_items(s, &s->lists[i]);
	r = tw_map_reindex(s->result);
	for (int i = 0; r == 0 && i < TW_SORTS; i++)
		if (s->lists[i].n)
			r = tw_map_reorder(
				s->result, tw_sort_type((enum tw_sort)i), s->lists[i].items);
	if (r == 0 && s->group_exts.n)
		r = tw_map_reorder(s->result, (unsigned)tw_uuid_type(s->result, TW_GROUP_EXT),
			s->group_exts.items);
	return r;
}

/* Remove the blobs that only removed items use. */
static void drop_unused_blobs(struct finalizer *s)
{
	uint32_t fields[TW_FIELDS_MAX];
	size_t n_dropped = 0;

	for (size_t i = 0; i < s->result->n_items; i++) {
		const struct tw_item *it = &s->result->items[i];
		unsigned n = it->is_removed ? tw_data_fields(it, fields) : 0;

		for (unsigned k = 0; k < n; k++) {
			int32_t blob = it->ints->v[fields[k]];

			if (!tw_get_blob(s->result, it, fields[k]) || s->users.counts[blob])
				continue;
			blob_unref(TAKE(s->result->blobs[blob]));
			n_dropped++;
		}
	}
	if (n_dropped && !tw_all_known(s->result))
		finalize_report(s,
			"%zu removed data items become one byte each: items or layers of unknown "
			"types may refer to other data items by number",
			n_dropped);
}

static int take_objects(struct finalizer *s, struct error *e)
{
	int r = 0;

	for (int i = 0; r == 0 && i < TW_SORTS; i++) {
		flag_removed(s, (enum tw_sort)i);
		if (i < TW_SORT_GROUP)
			r = list_objects(s, (enum tw_sort)i);
	}
	if (r == 0)
		r = tw_map_reindex(s->result);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

static int name_objects(struct finalizer *s, struct error *e)
{
	int r = 0;

	for (int i = 0; i < TW_SORTS; i++)
		for (uint32_t k = 0; r == 0 && k < s->orders[i].n_kept; k++)
			r = finalize_name(s, s->orders[i].sorted[k], e);
	return r;
}

static int rebuild_map(struct finalizer *s, struct error *e)
{
	int r;

	s->result->mounted_index = tw_index_ref(s->mounted->index);
	r = take_objects(s, e);
	/* First copy the layers that are in two groups, because each copy may change. */
	if (r == 0)
		r = finalize_tree(s, e);
	if (r == 0 && tw_users_count(s->result, &s->users) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = name_objects(s, e);
	if (r == 0)
		r = finalize_references(s, e);
	if (r == 0)
		r = finalize_points(s, e);
	if (r == 0)
		r = finalize_side_items(s, e);
	if (r == 0)
		r = finalize_required(s, e);
	if (r < 0)
		return r;
	drop_unused_blobs(s);
	r = finalize_uuids(s, e);
	if (r < 0)
		return r;
	r = order_items(s);
	if (r < 0)
		return error_set(e, r, "out of memory");
	return 0;
}

static bool has_made_objects(const struct tw_map *m)
{
	for (int i = 0; i < TW_SORTS; i++)
		if (tw_count(m, tw_sort_type((enum tw_sort)i)) !=
			tw_count_mounted(m, tw_sort_type((enum tw_sort)i)))
			return true;
	return false;
}

static int place_objects(const struct snapshot *snap, struct placement *p, size_t n,
	struct snapshot **ret, format_say report, void *arg, struct error *e)
{
	__attribute__((cleanup(finalizer_finish))) struct finalizer s = {
		.mounted = tw_map_of(snap), .report = report, .arg = arg};
	bool any = false;
	int r = 0;

	if (s.mounted->trailing)
		finalize_report(&s, "%" PRIu64 " bytes after the end of the datafile are not saved",
			s.mounted->trailing);
	if (s.mounted->shared->is_typed &&
		(n || s.mounted->shared->is_new_map || has_made_objects(s.mounted))) {
		r = find_orders(&s, p, n, &any, e);
		if (r < 0)
			return r;
		report_empty_layers(&s, p, n);
		finalize_report_parts(&s, p, n);
	}
	if (!any && !finalize_has_lost_uuids(s.mounted)) {
		*ret = snapshot_ref(snap);
		return 0;
	}
	s.change = tw_change_new(s.mounted);
	s.result = s.change ? tw_change_map(s.change) : NULL;
	if (!s.result)
		return error_set(e, -ENOMEM, "out of memory");
	r = any ? rebuild_map(&s, e) : finalize_uuids(&s, e);
	if (r < 0)
		return r;
	*ret = &TAKE(s.change->result)->base;
	return 0;
}

/* Change the derived parts that follow from the applied contents: OPAQUE bits and points. */
static int derive_parts(const struct snapshot *s, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *derived = snapshot_ref(s);
	struct tw_change c;
	bool changed;
	int r = 0, end;

	if (tw_map_of(s)->n_put_images || tw_points_have_own(tw_map_of(s))) {
		if (tw_change_begin(&derived, &c) < 0)
			return error_set(e, -ENOMEM, "out of memory");
		r = tw_images_derive(&c, e);
		if (r == 0)
			r = tw_points_derive(&c, e);
		end = tw_change_end(&c, r == 0, &changed, r < 0 ? NULL : e);
		r = r < 0 ? r : end;
		tw_map_clear_put_images((struct tw_map *)derived);
	}
	if (r == 0)
		*ret = TAKE(derived);
	return r;
}

int tw_finalize(const struct snapshot *applied, struct placement *p, size_t n,
	struct snapshot **ret, format_say report, void *arg, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *snap = NULL;
	int r = derive_parts(applied, &snap, e);

	if (r < 0)
		return r;
	if (n != FORMAT_UNPLACED)
		return place_objects(snap, p, n, ret, report, arg, e);
	*ret = TAKE(snap);
	return 0;
}
