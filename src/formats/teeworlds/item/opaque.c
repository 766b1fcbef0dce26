/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/opaque.h"

#include <errno.h>

#include "formats/teeworlds/item/tiles_compose.h"
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

int tw_opaque_read(
	struct blob *pixels, uint32_t w, uint32_t h, struct opacity *ret, struct error *e)
{
	uint8_t *row;
	CLEANUP(bytes_unref) struct bytes *b = bytes_new(4 * (size_t)w, &row);

	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	opacity_begin(ret, w, h);
	for (uint32_t y = 0; y < h; y++) {
		int r = blob_read(pixels, (uint64_t)y * b->size, row, b->size, e);

		if (r < 0)
			return r;
		opacity_row(ret, y, row);
	}
	return 0;
}

static bool uses_image(const struct tw_item *it, uint32_t image)
{
	return !it->made_name && tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] == 0 &&
	       it->ints->v[TW_TILES_IMAGE] == (int32_t)image &&
	       it->ints->v[TW_TILES_COLOR + 3] == 255;
}

bool tw_opaque_is_used(const struct tw_map *m, uint32_t image)
{
	const struct tw_type *layers = tw_type(m, TW_LAYER);

	for (uint32_t i = 0; layers && i < layers->n; i++)
		if (uses_image(&m->items[layers->items[i]], image))
			return true;
	return false;
}

static void set_bit(uint8_t bits[32], int id)
{
	bits[id / 8] |= (uint8_t)(1 << id % 8);
}

int tw_opaque_update(const struct tw_map *m, uint32_t image, const struct opacity *before,
	const struct opacity *after, struct tw_change *c, struct error *e)
{
	const struct tw_type *layers = tw_type(m, TW_LAYER);
	struct tw_tiles_step step = {.kind = TW_TILES_OPAQUE};
	bool any = false;

	for (int i = 0; i < 256; i++) {
		if (before->opaque[i] == after->opaque[i])
			continue;
		any = true;
		set_bit(step.changed, i);
		if (after->opaque[i])
			set_bit(step.opaque, i);
	}
	for (uint32_t i = 0; any && layers && i < layers->n; i++) {
		uint32_t item = layers->items[i];
		struct blob *fresh;
		struct tw_tiles t;
		int r;

		if (!uses_image(&m->items[item], image) || !tw_get_tiles(m, &m->items[item], &t))
			continue;
		/* A layer that cannot be read keeps its tiles. */
		r = tw_tiles_check(&t, NULL);
		if (r == -EIO)
			continue;
		if (r == 0)
			r = tw_tiles_compose(
				m, &t, &step, tw_change_previous_blob(c, item, t.field), &fresh, e);
		if (r < 0)
			return r;
		tw_change_set_data(c, item, t.field, fresh);
	}
	return 0;
}
