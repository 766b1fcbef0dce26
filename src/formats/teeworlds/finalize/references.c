/* SPDX-License-Identifier: Zlib */
/* references: update the references to moved objects, and remove those to removed objects. A number
 * that pointed at nothing must not point at an object afterwards. */
#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/holder.h"
#include "formats/teeworlds/names/reference.h"

/* Returns the final reference. If its object is removed, sets *ret_lost to its position. */
static int32_t follow_reference(
	struct finalizer *s, enum tw_sort sort, int32_t ref, int64_t *ret_lost)
{
	const struct tw_order *r = &s->orders[sort];
	uint32_t position;
	int32_t final;

	if (tw_ref_position(s->mounted, sort, ref, &position) < 0)
		return ref >= 0 && (uint32_t)ref < r->n_kept ? -1 : ref;
	final = r->slots[position].is_removed ? -1 : (int32_t)r->slots[position].final_position;
	if (s->is_holder_new && position < tw_names(s->mounted, sort)->n &&
		tw_names(s->mounted, sort)->v[position].size == 0)
		s->unnamed_target = (struct finalize_object){sort, position};
	if (final < 0)
		*ret_lost = position;
	return final;
}

static bool has_moved_targets(const struct finalizer *s)
{
	return s->orders[TW_SORT_IMAGE].moves_references ||
	       s->orders[TW_SORT_SOUND].moves_references ||
	       s->orders[TW_SORT_ENVELOPE].moves_references;
}

static void report_lost(
	struct finalizer *s, int64_t layer, enum tw_sort sort, int64_t lost, size_t n)
{
	char path[FINALIZE_PATH_MAX], target[FINALIZE_PATH_MAX];

	/* Copies of a layer have no position: report a layer of two groups once. */
	if (layer < 0)
		return;
	finalize_path(s, TW_SORT_LAYER, (uint32_t)layer, path);
	finalize_path(s, sort, (uint32_t)lost, target);
	if (n > 1)
		finalize_report(s, "%s lost %zu references to %ss: %s was removed", path, n,
			tw_sorts[sort].noun, target);
	else
		finalize_report(
			s, "%s lost its %s: %s was removed", path, tw_sorts[sort].noun, target);
}

static int update_reference(
	struct finalizer *s, uint32_t item, int64_t layer, uint32_t field, enum tw_sort sort)
{
	struct tw_item *it = &s->result->items[item];
	int32_t old = tw_get_int(it, field, -1), fresh;
	int64_t lost = -1;

	fresh = follow_reference(s, sort, old, &lost);
	if (lost >= 0)
		report_lost(s, layer, sort, lost, 1);
	return fresh == old ? 0 : tw_item_set_int(it, field, fresh);
}

struct list_references {
	struct finalizer *s;
	int64_t last_lost; /* position of the last removed object that an element refers to */
	size_t n_lost;     /* number of references to removed objects */
};

static int32_t follow_element(void *arg, int32_t ref)
{
	struct list_references *f = arg;
	int64_t lost = -1;
	int32_t final = follow_reference(f->s, TW_SORT_ENVELOPE, ref, &lost);

	f->n_lost += lost >= 0;
	f->last_lost = lost >= 0 ? lost : f->last_lost;
	return final;
}

static int update_list(struct finalizer *s, uint32_t item, int64_t layer)
{
	struct list_references f = {.s = s};
	CLEANUP(blob_unref) struct blob *blob = NULL;
	int r = tw_map_held_elements(s->result, &s->result->items[item], follow_element, &f, &blob);

	if (f.n_lost)
		report_lost(s, layer, TW_SORT_ENVELOPE, f.last_lost, f.n_lost);
	/* Leave unreadable data as it is. */
	if (r < 0)
		return r == -EIO ? 0 : r;
	return blob ? tw_map_set_data(s->result, item, TW_LIST_DATA, blob, &s->users) : 0;
}

static int update_layer(struct finalizer *s, uint32_t item, int64_t layer)
{
	struct tw_layer_ref held[TW_HELD_MAX];
	unsigned n = tw_held_fields(&s->result->items[item], held);
	int r = 0;

	for (unsigned k = 0; r == 0 && k < n; k++)
		r = update_reference(s, item, layer, held[k].field, held[k].sort);
	if (r == 0 && (s->is_holder_new || s->orders[TW_SORT_ENVELOPE].moves_references))
		r = update_list(s, item, layer);
	return r;
}

/* Warn about a new layer that refers to an object by number alone. It may come from another map,
 * where the number means another object. */
static void report_unnamed_target(struct finalizer *s, int64_t layer)
{
	char path[FINALIZE_PATH_MAX], target[FINALIZE_PATH_MAX];

	if (s->unnamed_target.sort == TW_SORTS)
		return;
	finalize_path(s, TW_SORT_LAYER, (uint32_t)layer, path);
	finalize_path(s, s->unnamed_target.sort, s->unnamed_target.position, target);
	finalize_report(s, "%s refers to %s only by number, because it has no name", path, target);
}

int finalize_references(struct finalizer *s, struct error *e)
{
	bool all = has_moved_targets(s);

	for (uint32_t i = 0; i < s->result->n_items; i++) {
		const struct tw_item *it = &s->result->items[i];
		int64_t layer = i < s->mounted->n_items ? tw_position(s->mounted, i) : -1;
		int r = 0;

		if (it->type != TW_LAYER || it->is_removed)
			continue;
		s->is_holder_new = i < s->mounted->n_items && s->mounted->items[i].made_name;
		s->unnamed_target.sort = TW_SORTS;
		if (all || s->is_holder_new)
			r = update_layer(s, i, layer);
		report_unnamed_target(s, layer);
		if (r < 0)
			return error_set(e, r, "cannot update the references of a layer");
	}
	return 0;
}
