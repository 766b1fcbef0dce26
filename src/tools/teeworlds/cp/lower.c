/* SPDX-License-Identifier: Zlib */
/* lower: convert copies from a map of 0.7. A game takes a map with any item in the form of 0.7 for
 * one of 0.7, and would draw it with other images (preview/game.h). */
#include <errno.h>

#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/cp/cp.h"

static int lower_image(struct tw_copying *k, uint32_t item, struct error *e)
{
	const struct tw_item *it = &k->change->result->items[item];
	struct tw_ints *v;

	if (tw_get_int(it, TW_IMG_EXTERNAL, 1) == 0 && !tw_image_is_png(k->change->result, it))
		return error_set(e, -EINVAL, "its pixels are not RGBA (use mapfs convert first)");
	v = tw_ints_copy(it->ints, TW_IMG_VARIANT, 0);
	if (v)
		v->v[TW_IMG_VERSION] = 1;
	tw_change_set_ints(k->change, item, v);
	return 0;
}

static int unpack_tiles(struct tw_copying *k, uint32_t item, struct error *e)
{
	const struct tw_map *m = k->change->result;
	struct tw_ints *v = tw_layer_convert(m->items[item].ints, TW_TILES_PACKED_SINCE - 1);

	return v ? tw_layer_reshape(m, item, v, k->change, e)
		 : error_set(e, -ENOMEM, "out of memory");
}

int tw_cp_lower(struct tw_copying *k, uint32_t item, struct error *e)
{
	const struct tw_item *it = &k->change->result->items[item];
	int r = 0;

	if (it->type == TW_IMAGE && tw_get_int(it, TW_IMG_VERSION, 0) > 1)
		r = lower_image(k, item, e);
	else if (it->type == TW_ENVELOPE && tw_get_int(it, 0, 0) >= TW_ENV_TANGENTS_SINCE)
		tw_change_set_ints(
			k->change, item, tw_envelope_convert(it->ints, TW_ENV_TANGENTS_SINCE - 1));
	else if (tw_is_tiles(it) && it->ints->v[TW_LAYER_VERSION] >= TW_TILES_PACKED_SINCE)
		r = unpack_tiles(k, item, e);
	return k->change->error ? error_set(e, -ENOMEM, "out of memory") : r;
}
