/* SPDX-License-Identifier: Zlib */
/* Repairs of tile layers. */
#include <errno.h>

#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/fix/fix.h"
#include "tools/teeworlds/whole/repair.h"

enum { NAMED_TILES = 18 /* integers of a tile layer of version 3 or 4 */, TILE = 4 /* bytes */ };

bool fix_unused(struct tw_fixing *k, const struct tw_place *at)
{
	int r = tw_repair_tiles(k->change, at->number, NULL);

	return r < 0 ? fixing_failed(k, r)
		     : r && fixing_done(k, "set unused bytes of its tiles to 0");
}

/* Old editors number the tiles of such a game layer in another way (Teeworlds' game/editor/io.cpp).
 */
static bool is_numbered_otherwise(const struct tw_item *it)
{
	return tw_is_game(it) && it->ints->v[TW_LAYER_VERSION] >> 16 == 1;
}

/* The version that fits the tiles in TW_TILES_DATA; 0 if none does. If both 3 and 4 fit, the tiles
 * are the same. */
static int32_t find_version(const struct tw_map *m, const struct tw_item *it)
{
	const struct blob *b = tw_get_blob(m, it, TW_TILES_DATA);
	int32_t w = it->ints->v[TW_TILES_WIDTH], h = it->ints->v[TW_TILES_HEIGHT];
	bool is_named = it->ints->n >= NAMED_TILES;
	struct tw_tiles t;

	if (!b || w < 1 || h < 1)
		return 0;
	if (b->size / TILE >= (uint64_t)w * (uint64_t)h)
		return is_named && it->ints->v[TW_LAYER_VERSION] > 2 ? 3 : 2;
	return is_named && tw_get_tiles(m, it, &t) && t.packed && tw_tiles_check(&t, NULL) == 0
		       ? TW_TILES_PACKED_SINCE
		       : 0;
}

/* Move a physics layer to version 3. Its own tiles are never packed, only the unused ones are. */
static bool unpack_physics(struct tw_fixing *k, uint32_t item)
{
	struct tw_ints *v = tw_layer_convert(k->m->items[item].ints, TW_TILES_PACKED_SINCE - 1);
	int r = v ? tw_layer_reshape(k->m, item, v, k->change, NULL) : -ENOMEM;

	return r < 0 ? fixing_failed(k, r) : fixing_done(k, "its version is 3 now");
}

bool fix_version(struct tw_fixing *k, const struct tw_place *at)
{
	const struct tw_item *it = &k->m->items[at->number];
	int32_t version = it->ints->v[TW_LAYER_VERSION];
	bool is_special = tw_is_special(it->ints->v[TW_TILES_KIND]);
	struct tw_tiles t;

	if (is_special && !tw_get_tiles(k->m, it, &t))
		return false;
	if (is_special && version >= TW_TILES_PACKED_SINCE)
		return unpack_physics(k, at->number);
	version = is_special ? 2 : is_numbered_otherwise(it) ? 0 : find_version(k->m, it);
	if (!version)
		return false;
	tw_change_set_int(k->change, at->number, TW_LAYER_VERSION, version);
	return fixing_done(k, "its version is %d now", version);
}
