/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>

#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/media/image.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/preview/game.h"
#include "tools/teeworlds/edit/edit.h"

/* Read the pixels of an image of the game. */
static int read_games(const struct editing *ed, uint32_t position, struct opacity *ret)
{
	const struct tw_map *m = ed->model.m;
	const struct tw_name *n = &tw_names(m, TW_SORT_IMAGE)->v[position];
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	CLEANUP(blob_unref) struct blob *pixels = NULL;
	char name[NAME_MAX + 1];
	uint32_t w, h;
	int r;

	snprintf(name, sizeof(name), "%.*s", n->size, n->text ? n->text : "");
	r = tw_find_image(m, images_find, ed->how->images, name, &file, NULL);
	if (r == 0)
		r = tw_image_pixels(m, &file, &pixels, &w, &h, NULL);
	return r < 0 ? r : tw_opaque_read(pixels, w, h, ret, NULL);
}

static int read_image(const struct editing *ed, uint32_t position, struct opacity *ret)
{
	const struct tw_map *m = ed->model.m;
	const struct tw_item *it = tw_item_at(m, TW_IMAGE, position);

	if (tw_image_is_png(m, it))
		return tw_opaque_read(tw_get_blob(m, it, TW_IMG_DATA),
			(uint32_t)it->ints->v[TW_IMG_WIDTH], (uint32_t)it->ints->v[TW_IMG_HEIGHT],
			ret, NULL);
	return tw_get_int(it, TW_IMG_EXTERNAL, 0) ? read_games(ed, position, ret) : -EIO;
}

int edit_find_opacity(const struct editing *ed, const struct edit_layer *l,
	const struct edit_opacity **ret, struct error *e)
{
	static const struct edit_opacity none = {.is_searched = true, .is_known = true};
	const int32_t *v = ed->model.m->items[l->item].ints->v;
	struct edit_opacity *o;
	uint32_t position;
	int r;

	/* No id is opaque without an image, or with a transparent one. */
	*ret = &none;
	if (v[TW_TILES_KIND] != 0 || v[TW_TILES_COLOR + 3] != 255 ||
		tw_ref_position(ed->model.m, TW_SORT_IMAGE, v[TW_TILES_IMAGE], &position) < 0)
		return 0;
	*ret = o = &ed->model.opacities[position];
	if (o->is_searched)
		return 0;
	r = read_image(ed, position, &o->ids);
	o->is_searched = true;
	o->is_known = r == 0;
	return r == -ENOMEM ? error_set(e, r, "out of memory") : 0;
}
