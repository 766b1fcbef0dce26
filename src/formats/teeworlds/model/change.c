/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/change.h"

#include <errno.h>

#include "base/array.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/map.h"

/* An item or a blob as it was before an edit in place. */
struct tw_undo {
	bool is_blob;
	uint32_t at;         /* its handle */
	struct tw_item item; /* owns its ints and own_data */
	struct blob *blob;
};

void tw_change_free(struct tw_change *c)
{
	if (!c)
		return;
	snapshot_unref(&c->base->base);
	if (c->result)
		snapshot_unref(&c->result->base);
	free(c->undo);
	free(c);
}

struct tw_change *tw_change_new(const struct tw_map *m)
{
	struct tw_change *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->base = (struct tw_map *)snapshot_ref(&m->base);
	c->n_items = m->n_items;
	c->n_blobs = m->n_blobs;
	return c;
}

struct tw_map *tw_change_map(struct tw_change *c)
{
	if (!c->error && !c->result) {
		c->result = tw_map_copy(c->base);
		c->error = c->result ? 0 : -ENOMEM;
	}
	return c->error ? NULL : c->result;
}

/* Returns NULL and sets c->error if memory is exhausted. */
static struct tw_undo *add_undo(struct tw_change *c)
{
	if (!array_reserve(c->undo, c->n_undo, c->room_undo)) {
		c->error = -ENOMEM;
		return NULL;
	}
	c->undo[c->n_undo] = (struct tw_undo){0};
	return &c->undo[c->n_undo++];
}

static bool save_item(struct tw_change *c, uint32_t i)
{
	struct tw_undo *u = c->in_place && i < c->n_items ? add_undo(c) : NULL;

	if (u) {
		u->at = i;
		u->item = c->result->items[i];
		tw_ints_ref(u->item.ints);
		tw_ints_ref(u->item.own_data);
	}
	return !c->error;
}

static bool save_blob(struct tw_change *c, uint32_t i)
{
	struct tw_undo *u = c->in_place && i < c->n_blobs ? add_undo(c) : NULL;

	if (u)
		*u = (struct tw_undo){true, i, {0}, blob_ref(c->result->blobs[i])};
	return !c->error;
}

static const struct tw_item *current_item(const struct tw_change *c, uint32_t item)
{
	return &(c->result ? c->result : c->base)->items[item];
}

/* Prepare an item for an edit. Returns NULL after an error. */
static struct tw_item *edit_item(struct tw_change *c, uint32_t item)
{
	struct tw_map *m = tw_change_map(c);

	return m && save_item(c, item) ? &m->items[item] : NULL;
}

void tw_change_set_ints(struct tw_change *c, uint32_t item, struct tw_ints *take)
{
	CLEANUP(tw_ints_unref) struct tw_ints *ints = take;
	struct tw_item *it, then;

	if (!take)
		c->error = -ENOMEM;
	if (c->error || tw_ints_same(take, current_item(c, item)->ints))
		return;
	it = edit_item(c, item);
	if (!it)
		return;
	then = (struct tw_item){.ints = ints, .own_data = it->own_data};
	c->reindex |= c->in_place && tw_index_differs(c->result, it, &then);
	tw_item_replace_ints(it, TAKE(ints));
}

void tw_change_set_extra(struct tw_change *c, uint32_t item, struct tw_ints *take)
{
	CLEANUP(tw_ints_unref) struct tw_ints *ints = take;
	struct tw_item *it = edit_item(c, item), then;

	if (!it)
		return;
	then = (struct tw_item){.ints = it->ints, .own_data = ints};
	c->reindex |= c->in_place && tw_index_differs(c->result, it, &then);
	tw_ints_unref(it->own_data);
	it->own_data = TAKE(ints);
}

static void set_blob(struct tw_map *m, uint32_t i, struct blob *blob)
{
	blob_unref(m->blobs[i]);
	m->blobs[i] = blob_ref(blob);
}

void tw_change_set_data(struct tw_change *c, uint32_t item, uint32_t field, struct blob *take)
{
	CLEANUP(blob_unref) struct blob *blob = take;
	struct tw_map *m = tw_change_map(c);
	const struct tw_item *it = m ? &m->items[item] : NULL;

	if (m && tw_get_blob(m, it, field) == blob && (blob || tw_get_int(it, field, -1) == -1))
		return;
	if (m && tw_get_blob(m, it, field) && !save_blob(c, (uint32_t)it->ints->v[field]))
		return;
	if (m && save_item(c, item))
		c->error = tw_map_set_data(m, item, field, blob, NULL);
}

struct blob *tw_change_previous_blob(const struct tw_change *c, uint32_t item, uint32_t field)
{
	return c->previous && item < c->previous->n_items
		       ? tw_get_blob(c->previous, &c->previous->items[item], field)
		       : NULL;
}

void tw_change_set_blob(struct tw_change *c, uint32_t blob, struct blob *take)
{
	CLEANUP(blob_unref) struct blob *fresh = take;
	struct tw_map *m = tw_change_map(c);

	if (!take)
		c->error = -ENOMEM;
	else if (m && save_blob(c, blob))
		set_blob(m, blob, fresh);
}

uint32_t tw_change_add_item(struct tw_change *c, uint16_t type, uint16_t id, struct tw_ints *take)
{
	CLEANUP(tw_ints_unref) struct tw_ints *ints = take;
	struct tw_map *m = tw_change_map(c);
	uint32_t item = UINT32_MAX;

	if (m)
		c->error = tw_map_add_item(m, type, id, TAKE(ints), &item);
	c->reindex = true;
	return item;
}

void tw_change_remove_item(struct tw_change *c, uint32_t item)
{
	struct tw_item *it = edit_item(c, item);

	if (it)
		it->is_removed = true;
	c->reindex = true;
}

void tw_change_set_int(struct tw_change *c, uint32_t item, uint32_t i, int32_t value)
{
	const struct tw_ints *was = current_item(c, item)->ints;
	struct tw_ints *ints;

	if (was->v[i] == value)
		return;
	ints = tw_ints_copy(was, was->n, 0);
	if (ints)
		ints->v[i] = value;
	tw_change_set_ints(c, item, ints);
}

int tw_change_begin(struct snapshot **s, struct tw_change *ret)
{
	struct tw_map *m = (struct tw_map *)*s;

	if (atomic_load_explicit(&m->base.refs, memory_order_acquire) != 1) {
		m = tw_map_copy(m);
		if (!m)
			return -ENOMEM;
		snapshot_unref(*s);
		*s = &m->base;
	}
	*ret = (struct tw_change){.base = m,
		.result = m,
		.in_place = true,
		.n_items = m->n_items,
		.n_blobs = m->n_blobs};
	return 0;
}

static void free_undo(struct tw_undo *u)
{
	if (u->is_blob) {
		blob_unref(u->blob);
		return;
	}
	tw_ints_unref(u->item.ints);
	tw_ints_unref(u->item.own_data);
}

/* Restore the saved item or blob, and free the current one. */
static void undo_edit(struct tw_map *m, struct tw_undo *u)
{
	struct tw_undo now = {.is_blob = u->is_blob};

	if (u->is_blob) {
		now.blob = m->blobs[u->at];
		m->blobs[u->at] = u->blob;
	} else {
		now.item = m->items[u->at];
		m->items[u->at] = u->item;
	}
	free_undo(&now);
}

static void undo_edits(struct tw_change *c)
{
	struct tw_map *m = c->result;

	while (c->n_undo)
		undo_edit(m, &c->undo[--c->n_undo]);
	while (m->n_items > c->n_items) {
		struct tw_item *it = &m->items[--m->n_items];

		tw_ints_unref(it->ints);
		tw_ints_unref(it->own_data);
	}
	while (m->n_blobs > c->n_blobs)
		blob_unref(m->blobs[--m->n_blobs]);
}

int tw_change_end(struct tw_change *c, bool keep, bool *ret_changed, struct error *e)
{
	struct tw_map *m = c->result;
	int r = keep ? c->error : 0;

	*ret_changed = c->n_undo || m->n_items > c->n_items || m->n_blobs > c->n_blobs;
	if (!keep || r < 0) {
		undo_edits(c);
		*ret_changed = false;
	} else if (c->reindex) {
		r = tw_map_reindex(m);
	}
	while (c->n_undo)
		free_undo(&c->undo[--c->n_undo]);
	free(c->undo);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

int tw_users_count(const struct tw_map *m, struct tw_users *ret)
{
	uint32_t fields[TW_FIELDS_MAX];

	*ret = (struct tw_users){.counts = calloc(m->n_blobs + 1, sizeof(*ret->counts))};
	if (!ret->counts)
		return -ENOMEM;
	ret->n = m->n_blobs;
	ret->room = m->n_blobs + 1;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];
		unsigned n = it->is_removed ? 0 : tw_data_fields(it, fields);

		for (unsigned k = 0; k < n; k++)
			if (tw_get_blob(m, it, fields[k]))
				ret->counts[it->ints->v[fields[k]]]++;
	}
	return 0;
}

static int add_user(struct tw_users *u)
{
	if (!array_reserve(u->counts, u->n, u->room))
		return -ENOMEM;
	u->counts[u->n++] = 1;
	return 0;
}

int tw_map_set_data(
	struct tw_map *m, uint32_t item, uint32_t field, struct blob *blob, struct tw_users *users)
{
	int32_t old = tw_get_int(&m->items[item], field, -1);
	bool names_one = tw_get_blob(m, &m->items[item], field) != NULL;
	unsigned n = 0;
	uint32_t added;
	int r;

	if (names_one)
		n = users ? users->counts[old] : tw_blob_users(m, (uint32_t)old, 2);
	if (names_one && n < 2) {
		set_blob(m, (uint32_t)old, blob);
		return blob ? 0 : tw_item_set_int(&m->items[item], field, -1);
	}
	if (names_one && users)
		users->counts[old]--;
	if (!blob)
		return tw_item_set_int(&m->items[item], field, -1);
	r = tw_map_add_blob(m, blob_ref(blob), &added);
	if (r == 0 && users)
		r = add_user(users);
	return r < 0 ? r : tw_item_set_int(&m->items[item], field, (int32_t)added);
}

static bool needs_reindex(const struct tw_map *before, const struct tw_map *after)
{
	if (after->n_items != before->n_items)
		return true;
	for (size_t i = 0; i < after->n_items; i++) {
		const struct tw_item *was = &before->items[i], *is = &after->items[i];

		if (was->is_removed != is->is_removed || was->id != is->id ||
			(was->ints != is->ints && tw_index_differs(before, was, is)))
			return true;
	}
	return false;
}

int tw_change_apply(struct snapshot **s, struct tw_change *c, struct error *e)
{
	struct tw_map *m = tw_change_map(c);
	int r = c->error;

	if (r == 0 && needs_reindex(c->base, m))
		r = tw_map_reindex(m);
	if (r < 0)
		return error_set(e, r, "out of memory");
	snapshot_unref(*s);
	*s = &TAKE(c->result)->base;
	return 0;
}
