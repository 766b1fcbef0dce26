/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/layer/reshape.h"

#include <errno.h>

#include "formats/teeworlds/item/tiles_compose.h"
#include "formats/teeworlds/model/fields.h"

static bool is_packed(const struct tw_item *it, uint32_t field)
{
	return field == TW_TILES_DATA && it->ints->v[TW_LAYER_VERSION] >= TW_TILES_PACKED_SINCE;
}

/* Do the tiles in a field have the size and packing that the item has? */
static bool is_fitting(const struct tw_tiles *t, const struct tw_item *it, uint32_t field)
{
	return t->w == (uint32_t)it->ints->v[TW_TILES_WIDTH] &&
	       t->h == (uint32_t)it->ints->v[TW_TILES_HEIGHT] && t->packed == is_packed(it, field);
}

/* Convert the tiles in one field to the size and packing of the changed item. */
static int refit_tiles(const struct tw_map *m, const struct tw_tiles *t,
	const struct tw_item *changed, uint32_t field, struct tw_change *c, uint32_t item,
	struct error *e)
{
	const struct tw_tiles_step step = {.kind = TW_TILES_REFIT,
		.w = (uint32_t)changed->ints->v[TW_TILES_WIDTH],
		.h = (uint32_t)changed->ints->v[TW_TILES_HEIGHT],
		.form = t->form,
		.packed = is_packed(changed, field)};
	struct blob *fresh = NULL;
	int r;

	if (is_fitting(t, changed, field))
		return 0;
	r = t->blob ? tw_tiles_check(t, e) : 0;
	if (r == 0)
		r = tw_tiles_compose(
			m, t, &step, tw_change_previous_blob(c, item, field), &fresh, e);
	if (r == 0)
		tw_change_set_data(c, item, field, fresh);
	return r;
}

/* Replace unreadable tiles by zeros. Only for tiles that no file shows. */
static void drop_unreadable(struct tw_tiles *t)
{
	uint64_t count = (uint64_t)t->w * t->h;

	if ((!t->packed && blob_size(t->blob) / t->size < count) || tw_tiles_check(t, NULL) < 0)
		t->blob = NULL;
}

int tw_layer_reshape(const struct tw_map *m, uint32_t item, struct tw_ints *take,
	struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *own = tw_ints_ref(take);
	CLEANUP(tw_ints_unref) struct tw_ints *old_ints = tw_ints_ref(m->items[item].ints);
	struct tw_item old = m->items[item], changed = old;
	struct tw_tiles tiles, unused;
	bool has_tiles, has_unused;
	int r = 0;

	changed.ints = own;
	old.ints = old_ints;
	has_tiles = tw_is_tiles(&old) && tw_get_tiles(m, &old, &tiles);
	has_unused = tw_is_tiles(&old) && tw_get_unused_tiles(m, &old, &unused);
	tw_change_set_ints(c, item, take);
	if (has_tiles) {
		r = refit_tiles(
			m, &tiles, &changed, (uint32_t)tw_tiles_field(&changed), c, item, e);
		if (r == -EIO)
			return error_context(e, "cannot read the tiles of the layer"), r;
	}
	if (r == 0 && has_unused) {
		drop_unreadable(&unused);
		r = refit_tiles(m, &unused, &changed, TW_TILES_DATA, c, item, e);
	}
	return r;
}

int tw_layer_can_reshape(const struct tw_map *m, const struct tw_item *it,
	const struct tw_ints *fresh, struct error *e)
{
	struct tw_item changed = *it;
	struct tw_tiles t;
	uint64_t count;
	int r;

	changed.ints = (struct tw_ints *)(uintptr_t)fresh;
	if (!tw_is_tiles(it) || !tw_is_tiles(&changed) || !tw_get_tiles(m, it, &t))
		return 0;
	count = (uint64_t)fresh->v[TW_TILES_WIDTH] * (uint64_t)fresh->v[TW_TILES_HEIGHT];
	if (count > INT32_MAX / t.size)
		return error_set(e, -EINVAL,
			"%d x %d tiles of %u bytes are too many (at most %d bytes)",
			fresh->v[TW_TILES_WIDTH], fresh->v[TW_TILES_HEIGHT], t.size, INT32_MAX);
	if (is_fitting(&t, &changed, t.field))
		return 0;
	r = tw_tiles_check(&t, e);
	if (r == -EIO)
		error_context(e, "cannot read the tiles of the layer");
	return r;
}

const struct written_file *tw_layer_written(const struct tw_map *m, uint32_t item,
	const struct build_context *others, enum tw_kind_id kind, unsigned c)
{
	int64_t layer = tw_position(m, item);

	for (size_t i = others ? others->n_files : 0; i > 0; i--) {
		const struct written_file *w = &others->files[i - 1];

		if (tw_id_kind(w->id) == kind && tw_id_b(w->id) == layer && tw_id_c(w->id) == c)
			return w;
	}
	return NULL;
}

/* Were all tables of the layer written in this size? One of them must not have been refused by an
 * earlier save or close: refused tables alone do not change the size. */
static bool all_tables_have(const struct tw_map *m, uint32_t item, const struct csv_shape *size,
	const struct build_context *others, const struct tw_tile_form *form)
{
	bool any_new = false;

	for (unsigned i = 0; i < form->n; i++) {
		const struct tw_plane_at *at = &form->planes[i];
		const struct written_file *w =
			tw_layer_written(m, item, others, TW_K_PLANE, at->plane);
		const struct csv_shape *own =
			w && !w->parsed->refusal_errno
				? &((const struct tw_parsed_plane *)w->parsed)->size
				: NULL;

		if (!own || own->width != size->width || own->height != size->height)
			return false;
		any_new |= !w->is_refused;
	}
	return any_new;
}

int tw_layer_take_size(const struct tw_map *m, uint32_t item, const struct csv_shape *size,
	struct tw_change *c, struct error *e)
{
	const struct tw_item *it = &m->items[item];
	struct tw_ints *ints;
	struct tw_tiles t;

	if (!tw_get_tiles(m, it, &t))
		return error_set(e, -EIO, "the layer no longer has tiles");
	if (tw_layer_written(m, item, c->others, TW_K_LAYER_JSON, 0) ||
		!all_tables_have(m, item, size, c->others, tw_tile_form(t.form)))
		return 0;
	ints = tw_ints_copy(it->ints, it->ints->n, 0);
	if (!ints)
		return error_set(e, -ENOMEM, "out of memory");
	ints->v[TW_TILES_WIDTH] = (int32_t)size->width;
	ints->v[TW_TILES_HEIGHT] = (int32_t)size->height;
	return tw_layer_reshape(m, item, ints, c, e);
}
