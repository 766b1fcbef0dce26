/* SPDX-License-Identifier: Zlib */
/* Remove layers and groups that draw nothing, and shrink layers to the tiles that they draw. */
#include <inttypes.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/item/tiles_compose.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "tools/teeworlds/tidy/tidy.h"

static int shrink(struct tidying *t, uint32_t item, const struct tw_tiles *tiles, uint32_t w,
	uint32_t h, struct error *e)
{
	CLEANUP(blob_unref) struct blob *blob = NULL;
	struct tw_item *it = &t->m->items[item];
	const struct tw_tiles_step step = {.kind = TW_TILES_REFIT,
		.w = w,
		.h = h,
		.form = tiles->form,
		.packed = tiles->packed};
	int r = tw_tiles_compose(t->m, tiles, &step, NULL, &blob, e);

	if (r < 0)
		return r;
	if (tw_map_set_data(t->m, item, tiles->field, blob, NULL) < 0 ||
		tw_item_set_int(it, TW_TILES_WIDTH, (int32_t)w) < 0 ||
		tw_item_set_int(it, TW_TILES_HEIGHT, (int32_t)h) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	tw_whole_report_item(&t->whole, WHOLE_DONE, "shrunk", item,
		"%" PRIu32 " x %" PRIu32 " tiles instead of %" PRIu32 " x %" PRIu32, w, h, tiles->w,
		tiles->h);
	return 0;
}

/* Does another layer share the data? Shrinking one of them would copy it and enlarge the map. */
static bool is_shared(const struct tw_map *m, uint32_t item, const struct tw_tiles *tiles)
{
	return tw_blob_users(m, (uint32_t)m->items[item].ints->v[tiles->field], 2) > 1;
}

static int tidy_tiles(struct tidying *t, uint32_t item, const struct tw_tiles *tiles,
	bool can_leave, struct error *e)
{
	uint32_t w, h;

	/* A layer that cannot be read stays. */
	if (tw_tiles_min_size(tiles, &w, &h, NULL) < 0)
		return 0;
	if (!h && can_leave)
		tw_whole_remove(&t->whole, item, "it has no tiles");
	if (!h || (w == tiles->w && h == tiles->h))
		return 0;
	if (!is_shared(t->m, item, tiles))
		return shrink(t, item, tiles, w, h, e);
	tw_whole_report_item(&t->whole, WHOLE_LEFT, "", item, "another layer uses its tiles, too");
	return 0;
}

static int tidy_layer(struct tidying *t, uint32_t position, struct error *e)
{
	uint32_t item = tw_type(t->m, TW_LAYER)->items[position];
	const struct tw_item *it = &t->m->items[item];
	enum tw_form form = tw_list_form(t->m, it);
	bool can_leave = t->known && tw_find_group(t->m, position) >= 0 &&
			 !tw_layer_is_shared(t->m, position);
	struct tw_tiles tiles;

	if (form != TW_FORM_NONE && it->ints->v[TW_LIST_COUNT] == 0 && can_leave)
		tw_whole_remove(&t->whole, item,
			form == TW_FORM_QUADS ? "it has no quads" : "it has no sources");
	if (tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] == 0 && tw_get_tiles(t->m, it, &tiles))
		return tidy_tiles(t, item, &tiles, can_leave, e);
	return 0;
}

static void tidy_group(struct tidying *t, uint32_t position)
{
	struct tw_layer_range at = tw_group_layers(t->m, position);
	uint32_t i = 0;

	while (i < at.n && !tidy_item(t, TW_LAYER, at.first + i))
		i++;
	if (i == at.n)
		tw_whole_remove(
			&t->whole, tw_type(t->m, TW_GROUP)->items[position], "it has no layers");
}

int tidy_layers(struct tidying *t, struct error *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < tw_count(t->m, TW_LAYER); i++)
		r = tidy_layer(t, i, e);
	for (uint32_t i = 0; r == 0 && t->known && i < tw_count(t->m, TW_GROUP); i++)
		tidy_group(t, i);
	return r;
}
