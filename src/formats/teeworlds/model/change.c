/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/change.h"

#include <errno.h>

#include "base/array.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/map.h"

void tw_change_free(struct tw_change *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_edits; i++) {
		tw_ints_unref(c->edits[i].ints);
		blob_unref(c->edits[i].blob);
	}
	free(c->edits);
	snapshot_unref(&c->base->base);
	free(c);
}

struct tw_change *tw_change_new(const struct tw_map *m)
{
	struct tw_change *c = calloc(1, sizeof(*c));

	if (c)
		c->base = (struct tw_map *)snapshot_ref(&m->base);
	return c;
}

static void add_edit(struct tw_change *c, struct tw_edit edit)
{
	if (!c->error && !array_room(c->edits, c->n_edits, c->room_edits))
		c->error = -ENOMEM;
	if (c->error) {
		tw_ints_unref(edit.ints);
		blob_unref(edit.blob);
		return;
	}
	c->edits[c->n_edits++] = edit;
}

/* The integers that an edit of the change gives the item; NULL: none does. */
static struct tw_ints *changed(const struct tw_change *c, uint32_t item)
{
	for (size_t k = 0; k < c->n_edits; k++)
		if (c->edits[k].kind == TW_SET_ITEM && c->edits[k].item == item)
			return c->edits[k].ints;
	return NULL;
}

void tw_change_item(struct tw_change *c, uint32_t item, struct tw_ints *take)
{
	if (!take)
		c->error = -ENOMEM;
	if (take && !changed(c, item) && tw_ints_same(take, c->base->items[item].ints))
		tw_ints_unref(take);
	else
		add_edit(c, (struct tw_edit){.kind = TW_SET_ITEM, .item = item, .ints = take});
}

void tw_change_extra(struct tw_change *c, uint32_t item, struct tw_ints *take)
{
	add_edit(c, (struct tw_edit){.kind = TW_SET_EXTRA, .item = item, .ints = take});
}

void tw_change_data(struct tw_change *c, uint32_t item, uint32_t field, struct blob *take)
{
	add_edit(c,
		(struct tw_edit){.kind = TW_SET_DATA, .item = item, .field = field, .blob = take});
}

void tw_change_blob(struct tw_change *c, uint32_t blob, struct blob *take)
{
	if (!take)
		c->error = -ENOMEM;
	add_edit(c, (struct tw_edit){.kind = TW_SET_BLOB, .item = blob, .blob = take});
}

void tw_change_add(struct tw_change *c, uint16_t type, uint16_t id, struct tw_ints *take)
{
	if (!take)
		c->error = -ENOMEM;
	add_edit(c, (struct tw_edit){.kind = TW_ADD_ITEM, .type = type, .id = id, .ints = take});
}

void tw_change_enter(struct tw_change *c, uint32_t item, struct tw_ints *take)
{
	if (!take)
		c->error = -ENOMEM;
	add_edit(c, (struct tw_edit){.kind = TW_ENTER_ITEM, .item = item, .ints = take});
}

void tw_change_remove(struct tw_change *c, uint32_t item)
{
	add_edit(c, (struct tw_edit){.kind = TW_REMOVE_ITEM, .item = item});
}

void tw_change_int(struct tw_change *c, uint32_t item, uint32_t i, int32_t value)
{
	const struct tw_ints *old = c->base->items[item].ints;
	struct tw_ints *v = changed(c, item), *copy;

	if (v) {
		v->v[i] = value;
		return;
	}
	copy = tw_ints_copy(old, old->n, 0);
	if (copy)
		copy->v[i] = value;
	tw_change_item(c, item, copy);
}

static void set_blob(struct tw_map *m, uint32_t i, struct blob *blob)
{
	blob_unref(m->blobs[i]);
	m->blobs[i] = blob_ref(blob);
}

int tw_users_count(const struct tw_map *m, struct tw_users *ret)
{
	uint32_t fields[TW_FIELDS_MAX];

	*ret = (struct tw_users){.v = calloc(m->n_blobs + 1, sizeof(*ret->v))};
	if (!ret->v)
		return -ENOMEM;
	ret->n = m->n_blobs;
	ret->room = m->n_blobs + 1;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];
		unsigned n = it->removed ? 0 : tw_data_fields(it, fields);

		for (unsigned k = 0; k < n; k++)
			if (tw_blob_of(m, it, fields[k]))
				ret->v[it->ints->v[fields[k]]]++;
	}
	return 0;
}

static int add_user(struct tw_users *u)
{
	if (!array_room(u->v, u->n, u->room))
		return -ENOMEM;
	u->v[u->n++] = 1;
	return 0;
}

int tw_map_set_data(
	struct tw_map *m, uint32_t item, uint32_t field, struct blob *blob, struct tw_users *users)
{
	int32_t old = tw_int(&m->items[item], field, -1);
	bool names_one = tw_blob_of(m, &m->items[item], field) != NULL;
	unsigned n = 0;
	uint32_t added;
	int r;

	if (names_one)
		n = users ? users->v[old] : tw_blob_users(m, (uint32_t)old, 2);
	if (names_one && n < 2) {
		set_blob(m, (uint32_t)old, blob);
		return blob ? 0 : tw_item_set(&m->items[item], field, -1);
	}
	if (names_one && users)
		users->v[old]--;
	if (!blob)
		return tw_item_set(&m->items[item], field, -1);
	r = tw_map_add_blob(m, blob_ref(blob), &added);
	if (r == 0 && users)
		r = add_user(users);
	return r < 0 ? r : tw_item_set(&m->items[item], field, (int32_t)added);
}

/* *reindex is set where the index follows from what changed. */
static int apply_edit(struct tw_map *m, const struct tw_edit *d, uint32_t *added, bool *reindex)
{
	uint32_t item = d->item == TW_ADDED ? *added : d->item;

	switch (d->kind) {
	case TW_SET_ITEM:
		*reindex |= tw_index_differs(m, &m->items[item], d->ints);
		tw_item_ints(&m->items[item], tw_ints_ref(d->ints));
		return 0;
	case TW_SET_EXTRA:
		tw_ints_unref(m->items[item].extra);
		m->items[item].extra = tw_ints_ref(d->ints);
		return 0;
	case TW_SET_DATA:
		return tw_map_set_data(m, item, d->field, d->blob, NULL);
	case TW_SET_BLOB:
		set_blob(m, item, d->blob);
		return 0;
	case TW_ENTER_ITEM:
		tw_item_ints(&m->items[item], tw_ints_ref(d->ints));
		m->items[item].removed = m->items[item].reserved = false;
		*reindex = true;
		return 0;
	case TW_ADD_ITEM:
		*reindex = true;
		return tw_map_add_item(m, d->type, d->id, tw_ints_ref(d->ints), added);
	case TW_REMOVE_ITEM:
		m->items[item].removed = true;
		*reindex = true;
		return 0;
	}
	return -EINVAL;
}

int tw_change_apply(struct snapshot **s, const struct tw_change *c, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	uint32_t added = 0;
	bool reindex = false;
	struct tw_map *m;
	int r = 0;

	m = tw_map_copy(tw_map_of(*s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	done = &m->base;
	for (size_t i = 0; r == 0 && i < c->n_edits; i++)
		r = apply_edit(m, &c->edits[i], &added, &reindex);
	if (r == 0 && reindex)
		r = tw_map_reindex(m);
	if (r < 0)
		return error_set(e, r, "no memory for the change");
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
