/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/game.h"

#include <errno.h>
#include <stdio.h>

#include "formats/teeworlds/model/fields.h"

static const char *const ddnet[] = {"/usr/share/games/ddnet/data/mapres",
	"/usr/share/ddnet/data/mapres", "~/.local/share/ddnet/mapres", NULL};
static const char *const teeworlds[] = {"/usr/share/games/teeworlds/data/mapres",
	"/usr/share/teeworlds/data/mapres", "~/.teeworlds/mapres", NULL};

const char *const *const tw_image_dirs[] = {
	[TW_IMAGES_DDNET - 1] = ddnet, [TW_IMAGES_TEEWORLDS - 1] = teeworlds, NULL};

bool tw_is_07(const struct tw_map *m)
{
	for (uint32_t i = 0; i < tw_count(m, TW_LAYER); i++) {
		const struct tw_item *it = tw_item_at(m, TW_LAYER, i);

		if (tw_is_tiles(it) && it->ints->v[TW_LAYER_VERSION] >= TW_TILES_PACKED_SINCE)
			return true;
	}
	for (uint32_t i = 0; i < tw_count(m, TW_IMAGE); i++)
		if (tw_get_int(tw_item_at(m, TW_IMAGE, i), TW_IMG_VERSION, 0) >= 2)
			return true;
	return m->index->has_tangents;
}

int tw_find_image(const struct tw_map *m, preview_image_fn image, void *arg, const char *name,
	struct extent *ret, struct error *e)
{
	bool is_07 = tw_is_07(m);
	char of_07[NAME_MAX + 1];
	int r = image(arg, is_07 ? TW_IMAGES_TEEWORLDS : TW_IMAGES_DDNET, name, ret, NULL);

	if (r == -ENOENT && is_07 &&
		snprintf(of_07, sizeof(of_07), "%s_0.7", name) < (int)sizeof(of_07))
		r = image(arg, TW_IMAGES_DDNET, of_07, ret, NULL);
	return r == -ENOENT ? image(arg, PREVIEW_ANY_GAME, name, ret, e) : r;
}
