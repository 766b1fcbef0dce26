/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/holder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

enum { ELEMENTS = 64 /* read at a time */ };

unsigned tw_held_fields(const struct tw_item *it, struct tw_layer_ref ret[TW_HELD_MAX])
{
	int32_t type = tw_get_int(it, TW_LAYER_TYPE, -1);
	enum tw_sort source = type == TW_LAYER_QUADS ? TW_SORT_IMAGE : TW_SORT_SOUND;

	if (tw_is_tiles(it)) {
		ret[0] = (struct tw_layer_ref){TW_SORT_IMAGE, TW_TILES_IMAGE};
		ret[1] = (struct tw_layer_ref){TW_SORT_ENVELOPE, TW_TILES_ENVELOPE};
		return 2;
	}
	ret[0] = (struct tw_layer_ref){source, TW_LIST_SOURCE};
	return (type == TW_LAYER_QUADS || type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS) &&
	       TW_LIST_SOURCE < it->ints->n;
}

/* The replacement of references in a list. out: the new list; NULL until a reference changes. */
struct rewriting {
	const struct tw_map *m;
	struct blob *list;
	const struct tw_list_shape *shape;
	struct spool *out;
	int32_t (*fn)(void *arg, int32_t ref);
	void *arg;
};

/* Replace the references of one element. Returns true if any changed. */
static bool rewrite_element(const struct rewriting *p, uint8_t *element)
{
	bool differs = false;

	for (unsigned k = 0; k < p->shape->n_refs; k++) {
		int32_t old = load_i32(element + 4 * p->shape->refs[k]), ref = p->fn(p->arg, old);

		differs |= ref != old;
		store_u32(element + 4 * p->shape->refs[k], (uint32_t)ref);
	}
	return differs;
}

static int rewrite_list(struct rewriting *p, uint64_t end)
{
	uint64_t size = 4 * (uint64_t)p->shape->ints, n;
	uint8_t piece[ELEMENTS * 4 * TW_ELEMENT_MAX];
	int r = 0;

	for (uint64_t at = 0; r == 0 && at < end; at += n) {
		bool differs = false;

		n = end - at < ELEMENTS * size ? end - at : ELEMENTS * size;
		r = blob_read(p->list, at, piece, (size_t)n, NULL);
		for (uint64_t i = 0; r == 0 && i < n; i += size)
			differs |= rewrite_element(p, piece + i);
		if (r == 0 && differs && !p->out) {
			p->out = spool_create(p->m->shared->store->spool_dirfd);
			r = p->out ? tw_append_part(p->list, 0, at, p->out, NULL) : -ENOMEM;
		}
		if (r == 0 && p->out)
			r = spool_append(p->out, piece, (size_t)n, NULL);
	}
	return r < 0 || !p->out ? r : tw_append_part(p->list, end, p->list->size, p->out, NULL);
}

int tw_map_held_elements(const struct tw_map *m, const struct tw_item *it,
	int32_t (*fn)(void *arg, int32_t ref), void *arg, struct blob **ret)
{
	const struct tw_list_shape *shape = tw_list_shape(tw_list_form(m, it));
	uint64_t count = shape ? (uint32_t)it->ints->v[TW_LIST_COUNT] : 0;
	struct rewriting p = {m, tw_get_blob(m, it, TW_LIST_DATA), shape, NULL, fn, arg};
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	int r;

	*ret = NULL;
	if (!count)
		return 0;
	r = rewrite_list(&p, 4 * shape->ints * count);
	if (r == 0 && p.out)
		r = spool_extent(p.out, &x, NULL);
	if (r == 0 && p.out) {
		*ret = blob_new(&x, BLOB_RAW, p.list->size, m->shared->budget);
		r = *ret ? 0 : -ENOMEM;
	}
	spool_destroy(p.out);
	return r;
}

static void mark_used(const struct tw_used_objects *u, enum tw_sort sort, int32_t ref)
{
	if (ref >= 0 && (uint32_t)ref < u->n[sort])
		u->is_used[sort][ref] = true;
}

static int32_t mark_envelope(void *arg, int32_t ref)
{
	mark_used(arg, TW_SORT_ENVELOPE, ref);
	return ref;
}

static int mark_layer(const struct tw_map *m, const struct tw_item *it, struct tw_used_objects *u)
{
	CLEANUP(blob_unref) struct blob *changed = NULL; /* remains NULL: nothing changes */
	struct tw_layer_ref held[TW_HELD_MAX];
	unsigned n = tw_held_fields(it, held);
	int r;

	for (unsigned k = 0; k < n; k++)
		mark_used(u, held[k].sort, it->ints->v[held[k].field]);
	if (tw_is_tiles(it))
		return 0;
	if (tw_list_form(m, it) == TW_FORM_NONE)
		return -ENODATA;
	r = tw_map_held_elements(m, it, mark_envelope, u, &changed);
	return r == -EIO ? -ENODATA : r;
}

int tw_uses_collect(const struct tw_map *m, const bool *gone, struct tw_used_objects *ret)
{
	const struct tw_type *layers = tw_type(m, TW_LAYER);
	int r = 0;

	*ret = (struct tw_used_objects){0};
	for (int sort = 0; sort < TW_USABLE; sort++) {
		ret->n[sort] = tw_count(m, tw_sort_type((enum tw_sort)sort));
		ret->is_used[sort] = calloc((size_t)ret->n[sort] + 1, sizeof(bool));
		if (!ret->is_used[sort])
			return -ENOMEM;
	}
	for (uint32_t i = 0; r == 0 && layers && i < layers->n; i++)
		if (!gone || !gone[layers->items[i]])
			r = mark_layer(m, &m->items[layers->items[i]], ret);
	return r;
}

void tw_uses_finish(struct tw_used_objects *u)
{
	for (int sort = 0; sort < TW_USABLE; sort++)
		free(u->is_used[sort]);
}
