/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/map.h"

#include <errno.h>

#include "base/array.h"
#include "base/refs.h"

DEFINE_REF(struct tw_shared, tw_shared_ref)

void tw_shared_unref(struct tw_shared *sh)
{
	if (!sh || !refs_drop(&sh->refs))
		return;
	if (sh->names)
		sh->free_names(sh->names);
	for (size_t i = 0; i < TW_PICTURES; i++)
		blob_unref(sh->pictures[i]);
	blob_unref(sh->points);
	free(sh);
}

static void free_map(struct snapshot *s)
{
	struct tw_map *m = (struct tw_map *)s;

	for (size_t i = 0; i < m->n_items; i++) {
		tw_ints_unref(m->items[i].ints);
		bytes_unref(m->items[i].made_name);
		bytes_unref(m->items[i].placed_name);
		tw_ints_unref(m->items[i].own_data);
	}
	for (size_t i = 0; i < m->n_blobs; i++)
		blob_unref(m->blobs[i]);
	tw_map_clear_put_images(m);
	free(m->put_images);
	free(m->items);
	free(m->blobs);
	tw_index_unref(m->index);
	tw_index_unref(m->mounted_index);
	file_unref(m->file);
	tw_shared_unref(m->shared);
	free(m);
}

struct tw_map *tw_map_new(struct tw_shared *sh)
{
	static atomic_uint_fast64_t serial = 1;
	struct tw_map *m = calloc(1, sizeof(*m));

	if (!m) {
		tw_shared_unref(sh);
		return NULL;
	}
	snapshot_init(&m->base, NULL, free_map);
	m->shared = sh;
	m->serial = atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed);
	return m;
}

struct tw_map *tw_map_copy(const struct tw_map *m)
{
	struct tw_map *c = tw_map_new(tw_shared_ref(m->shared));

	if (!c)
		return NULL;
	c->base.format = m->base.format;
	c->file = file_ref(m->file);
	c->trailing = m->trailing;
	c->must_rewrite = m->must_rewrite;
	c->index = tw_index_ref(m->index);
	c->mounted_index = tw_index_ref(m->mounted_index);
	c->items = calloc(m->n_items ? m->n_items : 1, sizeof(*c->items));
	c->blobs = calloc(m->n_blobs ? m->n_blobs : 1, sizeof(struct blob *));
	if (!c->items || !c->blobs) {
		snapshot_unref(&c->base);
		return NULL;
	}
	for (; c->n_items < m->n_items; c->n_items++) {
		c->items[c->n_items] = m->items[c->n_items];
		tw_ints_ref(c->items[c->n_items].ints);
		bytes_ref(c->items[c->n_items].made_name);
		bytes_ref(c->items[c->n_items].placed_name);
		tw_ints_ref(c->items[c->n_items].own_data);
	}
	for (; c->n_blobs < m->n_blobs; c->n_blobs++)
		c->blobs[c->n_blobs] = blob_ref(m->blobs[c->n_blobs]);
	for (size_t i = 0; i < m->n_put_images; i++)
		if (tw_map_put_image(c, &m->put_images[i]) < 0) {
			snapshot_unref(&c->base);
			return NULL;
		}
	return c;
}

int tw_map_put_image(struct tw_map *m, const struct tw_put_image *p)
{
	if (!array_reserve(m->put_images, m->n_put_images, m->room_put_images))
		return -ENOMEM;
	m->put_images[m->n_put_images] = *p;
	parsed_ref(p->parsed);
	blob_ref(p->old_pixels);
	m->n_put_images++;
	return 0;
}

void tw_map_clear_put_images(struct tw_map *m)
{
	while (m->n_put_images) {
		const struct tw_put_image *p = &m->put_images[--m->n_put_images];

		parsed_unref(p->parsed);
		blob_unref(p->old_pixels);
	}
}

int tw_map_add_item(
	struct tw_map *m, uint16_t type, uint16_t id, struct tw_ints *take, uint32_t *ret)
{
	struct tw_item *items = NULL;

	if (take && m->n_items < UINT32_MAX - 1)
		items = realloc(m->items, (m->n_items + 1) * sizeof(*items));
	if (!items) {
		tw_ints_unref(take);
		return -ENOMEM;
	}
	m->items = items;
	items[m->n_items] = (struct tw_item){.type = type, .id = id, .ints = take};
	*ret = (uint32_t)m->n_items++;
	return 0;
}

int tw_map_reserve_blob(struct tw_map *m, uint32_t *ret)
{
	struct blob **blobs = NULL;

	if (m->n_blobs < INT32_MAX)
		blobs = realloc(m->blobs, (m->n_blobs + 1) * sizeof(struct blob *));
	if (!blobs)
		return -ENOMEM;
	m->blobs = blobs;
	blobs[m->n_blobs] = NULL;
	*ret = (uint32_t)m->n_blobs++;
	return 0;
}

int tw_map_add_blob(struct tw_map *m, struct blob *take, uint32_t *ret)
{
	int r = take ? tw_map_reserve_blob(m, ret) : -ENOMEM;

	if (r < 0)
		blob_unref(take);
	else
		m->blobs[*ret] = take;
	return r;
}

struct blob *tw_get_blob(const struct tw_map *m, const struct tw_item *it, uint32_t field)
{
	int32_t i = tw_get_int(it, field, -1);

	return i < 0 || (size_t)i >= m->n_blobs ? NULL : m->blobs[i];
}

bool tw_is_typed(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_VERSION);
	const struct tw_item *first = t ? &m->items[t->by_id[0]] : NULL;

	return first && first->id == 0 && tw_get_int(first, 0, 0) == 1;
}
