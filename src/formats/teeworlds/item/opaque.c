/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/opaque.h"

#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/fields.h"

void opacity_begin(struct opacity *o, uint32_t w, uint32_t h)
{
	*o = (struct opacity){.cell = w / 16 == h / 16 ? w / 16 : 0};
	for (int i = 1; o->cell && i < 256; i++)
		o->opaque[i] = true;
}

void opacity_row(struct opacity *o, uint32_t y, const uint8_t *rgba)
{
	if (o->cell == 0 || y / o->cell >= 16)
		return;
	for (uint32_t i = 0; i < 16; i++) {
		bool *opaque = &o->opaque[y / o->cell * 16 + i];
		const uint8_t *alpha = rgba + 4 * (size_t)i * o->cell + 3;

		for (uint32_t x = 0; x < o->cell && *opaque; x++)
			*opaque = alpha[4 * (size_t)x] >= TW_OPAQUE_ALPHA;
	}
}

static bool uses_image(const struct tw_item *it, uint32_t image)
{
	return tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] == 0 &&
	       it->ints->v[TW_TILES_IMAGE] == (int32_t)image &&
	       it->ints->v[TW_TILES_COLOR + 3] == 255;
}

bool opaque_matters(const struct tw_map *m, uint32_t image)
{
	const struct tw_type *layers = tw_type(m, TW_LAYER);

	for (uint32_t i = 0; layers && i < layers->n; i++)
		if (uses_image(&m->items[layers->items[i]], image))
			return true;
	return false;
}

struct following {
	const bool *changed, *opaque; /* by id */
};

static bool follow_tile(void *arg, uint8_t *tile)
{
	const struct following *f = arg;
	uint8_t flags = tile[1], set = f->opaque[tile[0]] ? TW_TILE_OPAQUE : 0;

	if (f->changed[tile[0]])
		tile[1] = (uint8_t)((flags & ~TW_TILE_OPAQUE) | set);
	return tile[1] != flags;
}

int opaque_follow(const struct tw_map *m, uint32_t image, const struct opacity *before,
	const struct opacity *after, struct tw_change *c, struct error *e)
{
	const struct tw_type *layers = tw_type(m, TW_LAYER);
	bool changed[256], any = false;

	for (int i = 0; i < 256; i++) {
		changed[i] = before->opaque[i] != after->opaque[i];
		any |= changed[i];
	}
	for (uint32_t i = 0; layers && i < layers->n; i++) {
		struct following f = {.changed = changed, .opaque = after->opaque};
		const struct tw_item *it = &m->items[layers->items[i]];
		struct tw_tiles t;
		int r;

		if (!any || !uses_image(it, image) || !tw_tiles_of(m, it, &t))
			continue;
		r = tw_tiles_edit(m, layers->items[i], &t, follow_tile, &f, c, e);
		/* One that cannot be read stays. */
		if (r < 0 && (r != -EIO || tw_tiles_sound(&t, NULL) == 0))
			return r;
	}
	return 0;
}
