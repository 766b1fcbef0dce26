/* SPDX-License-Identifier: Zlib */
/* Tile layers: packed tiles, which only 0.7 has, and images whose size 0.7 refuses for tiles. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/convert/convert.h"

static int unpack(struct tw_converting *k, const struct tw_item *it, struct error *e)
{
	uint32_t handle = (uint32_t)(it - k->m->items);
	struct tw_ints *v = tw_layer_convert(it->ints, TW_TILES_PACKED_SINCE - 1);
	int r = 0;

	if (v)
		r = tw_layer_reshape(k->m, handle, v, k->change, e);
	return v ? r : error_set(e, -ENOMEM, "out of memory");
}

static int check_packed(struct tw_converting *k, const struct tw_item *it, struct error *e)
{
	const struct tw_place place = tw_in_item((uint32_t)(it - k->m->items));
	int32_t version = it->ints->v[TW_LAYER_VERSION];
	int r;

	if (version < TW_TILES_PACKED_SINCE)
		return 0;
	if (!k->how) {
		convert_report(k, place, "version", tw_digits(version).text, "at most 3",
			"its tiles are packed (only in 0.7)");
		return 0;
	}
	r = unpack(k, it, e);
	if (r < 0)
		return convert_handle_error(k, place, r, e);
	tw_whole_report_item(
		&k->whole, WHOLE_DONE, "unpacked", place.number, "its version is 3 now");
	return 0;
}

static void check_image(struct tw_converting *k, const struct tw_item *it)
{
	int32_t i = it->ints->v[TW_TILES_IMAGE];
	const struct tw_converted_image *image =
		i >= 0 && i < TW_IMAGES_SHOWN ? &k->images[i] : NULL;
	char path[TW_PATH_MAX], sides[64];

	if (!image || !image->known || convert_fits(image))
		return;
	tw_path_object(k->m, tw_type(k->m, TW_IMAGE)->items[i], path);
	snprintf(sides, sizeof(sides), "%" PRId64 " x %" PRId64, image->w, image->h);
	convert_report(k, tw_in_item((uint32_t)(it - k->m->items)), "image", sides,
		"multiples of 16", "%s has %s pixels (multiples of 16 in %s)", path, sides,
		k->game);
}

int convert_layers(struct tw_converting *k, struct error *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < tw_count(k->m, TW_LAYER); i++) {
		const struct tw_item *it = tw_item_at(k->m, TW_LAYER, i);

		if (!tw_is_tiles(it))
			continue;
		if (k->to == TW_GAME_07)
			check_image(k, it);
		else
			r = check_packed(k, it, e);
	}
	return r;
}
