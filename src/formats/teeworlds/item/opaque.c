/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/opaque.h"

#include <errno.h>
#include <string.h>

#include "base/disk/spool.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

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

/* One layer's stored tiles on their way into a spool. Each is 4 bytes (id, flags, skip, reserved),
 * also where version 4 has folded runs of equal tiles: their bit changes alike, so they stay
 * folded. */
struct following {
	const bool *changed, *opaque; /* by id */
	uint64_t tiles;               /* that the layer has */
	uint64_t at;                  /* tiles seen, unfolded */
	bool folded, differs;
	uint8_t rest[4]; /* of a tile whose bytes came in two chunks */
	unsigned n_rest;
	struct spool *out;
	uint8_t chunk[4096];
	size_t n_chunk;
};

static int flush(struct following *f, struct error *e)
{
	int r = spool_append(f->out, f->chunk, f->n_chunk, e);

	f->n_chunk = 0;
	return r;
}

static int put_tile(struct following *f, struct error *e)
{
	uint8_t *tile = f->rest;

	if (f->at < f->tiles && f->changed[tile[0]]) {
		uint8_t flags = (uint8_t)(tile[1] & ~TW_TILE_OPAQUE);

		if (f->opaque[tile[0]])
			flags |= TW_TILE_OPAQUE;
		f->differs |= flags != tile[1];
		tile[1] = flags;
	}
	f->at += f->folded ? 1 + (uint64_t)tile[2] : 1;
	memcpy(f->chunk + f->n_chunk, tile, f->n_rest);
	f->n_chunk += f->n_rest;
	f->n_rest = 0;
	return f->n_chunk + 4 > sizeof(f->chunk) ? flush(f, e) : 0;
}

static int put_bytes(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	struct following *f = arg;

	for (size_t i = 0; i < n; i++) {
		f->rest[f->n_rest++] = data[i];
		if (f->n_rest == 4) {
			int r = put_tile(f, e);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Bytes that are no whole tile go through as they are. */
static int put_end(struct following *f, struct error *e)
{
	memcpy(f->chunk + f->n_chunk, f->rest, f->n_rest);
	f->n_chunk += f->n_rest;
	return flush(f, e);
}

static int follow_layer(const struct tw_map *m, uint32_t item, struct following *f,
	struct tw_change *c, struct error *e)
{
	const struct tw_item *it = &m->items[item];
	int32_t w = it->ints->v[TW_TILES_WIDTH], h = it->ints->v[TW_TILES_HEIGHT];
	CLEANUP(spool_destroy) struct spool *out = spool_create(m->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent content = EXTENT_INIT;
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	struct blob *b = tw_blob_of(m, it, TW_TILES_DATA);
	int r;

	if (!out)
		return error_set(e, -ENOMEM, "no memory for the tiles of a layer");
	if (w <= 0 || h <= 0 || !b)
		return 0;
	f->tiles = (uint64_t)w * (uint64_t)h;
	f->folded = it->ints->v[TW_LAYER_VERSION] >= 4;
	if (!f->folded && b->size / 4 < f->tiles)
		return 0;
	f->out = out;
	r = blob_each(b, put_bytes, f, e);
	if (r == 0)
		r = put_end(f, e);
	if (r < 0)
		return r == -EIO ? 0 : r;
	/* Version 4 must unfold to the layer's tiles exactly, else it is not ours to touch. */
	if (!f->differs || (f->folded && (f->at != f->tiles || b->size % 4 != 0)))
		return 0;
	r = spool_extent(out, &content, e);
	if (r == 0)
		r = tw_keep_extent(m, &content, &fresh, e);
	if (r == 0)
		tw_change_data(c, item, TW_TILES_DATA, TAKE(fresh));
	return r;
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
		uint32_t item = layers->items[i];
		int r;

		if (!any || !uses_image(&m->items[item], image))
			continue;
		r = follow_layer(m, item, &f, c, e);
		if (r < 0)
			return r;
	}
	return 0;
}
