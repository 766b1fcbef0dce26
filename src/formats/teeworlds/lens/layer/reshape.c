/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/layer/reshape.h"

#include <errno.h>

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/situation.h"

/* The tiles behind one field, as the changed item has them. */
static int refit(const struct tw_map *m, const struct tw_tiles *t, const struct tw_item *now,
	uint32_t field, struct tw_change *c, uint32_t item, struct error *e)
{
	bool packed = field == TW_TILES_DATA && now->ints->v[TW_LAYER_VERSION] >= 4;
	uint32_t w = (uint32_t)now->ints->v[TW_TILES_WIDTH];
	uint32_t h = (uint32_t)now->ints->v[TW_TILES_HEIGHT];
	struct blob *fresh = NULL;
	int r;

	if (t->w == w && t->h == h && t->packed == packed)
		return 0;
	r = tw_tiles_refit(m, t->blob ? t : NULL, w, h, t->size, packed, &fresh, e);
	if (r == 0)
		tw_change_data(c, item, field, fresh);
	return r;
}

/* Tiles that show nothing: what cannot be read of them becomes zeros. */
static void drop_unreadable(struct tw_tiles *t)
{
	uint64_t count = (uint64_t)t->w * t->h;

	if ((!t->packed && t->blob->size / t->size < count) || tw_tiles_sound(t, NULL) < 0)
		t->blob = NULL;
}

int tw_layer_reshape(const struct tw_map *m, uint32_t item, struct tw_ints *take,
	struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *own = tw_ints_ref(take);
	const struct tw_item *old = &m->items[item];
	struct tw_item now = *old;
	struct tw_tiles tiles, dummy;
	int r = 0;

	tw_change_item(c, item, take);
	tw_change_wanted(c, item, &(struct tw_wanted){0});
	now.ints = take;
	if (!tw_is_tiles(old))
		return 0;
	if (tw_tiles_of(m, old, &tiles)) {
		r = refit(m, &tiles, &now, (uint32_t)tw_tiles_field(&now), c, item, e);
		if (r == -EIO)
			return error_context(e, "the layer's tiles cannot be read");
	}
	if (r == 0 && tw_dummy_of(m, old, &dummy)) {
		drop_unreadable(&dummy);
		r = refit(m, &dummy, &now, TW_TILES_DATA, c, item, e);
	}
	return r;
}

static bool all_want(const struct tw_item *it, const struct tw_tiles *t)
{
	const struct tw_tile_form *form = tw_tile_form(t->form);
	unsigned all = 0;

	for (unsigned i = 0; i < form->n; i++)
		all |= 1U << form->planes[i].plane;
	return it->wanted.planes == all && !it->wanted.decided;
}

int tw_layer_wants(const struct tw_map *m, uint32_t item, enum tw_plane plane, uint32_t w,
	uint32_t h, struct tw_change *c, struct error *e)
{
	const struct tw_item *it = &m->items[item];
	struct tw_wanted wanted = {.w = w, .h = h, .planes = (uint8_t)(1U << plane)};
	struct tw_tiles t;
	struct tw_ints *ints;
	bool same;
	int r = 0;

	if (!tw_tiles_of(m, it, &t))
		return error_set(e, -EIO, "the layer no longer has tiles");
	same = it->wanted.w == w && it->wanted.h == h;
	if (!(same && it->wanted.planes & wanted.planes)) {
		/* At the save, two sizes are none. */
		if (same || !it->wanted.planes || !tw_situation_last(m))
			tw_change_wanted(c, item, &wanted);
	} else if (tw_situation_last(m) && all_want(it, &t)) {
		ints = tw_ints_copy(it->ints, it->ints->n, 0);
		if (!ints)
			return error_set(e, -ENOMEM, "no memory for a layer");
		ints->v[TW_TILES_WIDTH] = (int32_t)w;
		ints->v[TW_TILES_HEIGHT] = (int32_t)h;
		r = tw_layer_reshape(m, item, ints, c, e);
	}
	return r < 0 ? r
		     : error_set(e, -EAGAIN,
			       "the table has %u lines of %u columns (the layer has height %u, "
			       "width %u)",
			       h, w, t.h, t.w);
}
