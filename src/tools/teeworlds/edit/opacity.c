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

int edit_find_opacity(const struct editing *ed, struct edit_layer *l, struct error *e)
{
	const int32_t *v = ed->model.m->items[l->item].ints->v;
	uint32_t position;
	int r = 0;

	if (l->opacity.is_searched)
		return 0;
	/* No id is opaque without an image, or with a transparent one. */
	if (v[TW_TILES_KIND] == 0 && v[TW_TILES_COLOR + 3] == 255 &&
		tw_ref_position(ed->model.m, TW_SORT_IMAGE, v[TW_TILES_IMAGE], &position) == 0)
		r = read_image(ed, position, &l->opacity.ids);
	if (r == -ENOMEM)
		return error_set(e, r, "out of memory");
	l->opacity.is_searched = true;
	l->opacity.is_known = r == 0;
	return 0;
}
