/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/tiles.h"

#include <errno.h>
#include <string.h>

#include "base/disk/spool.h"
#include "formats/teeworlds/model/store.h"

enum { PACKED_RUN_MAX = 255 };

int tw_tiles_read(const struct tw_tiles *t, uint64_t first, size_t n, uint8_t *dst, struct error *e)
{
	if (t->packed)
		return tw_packed_read(t, first, n, dst, e);
	return blob_read(t->blob, first * t->size, dst, n * t->size, e);
}

int tw_tiles_sound(const struct tw_tiles *t, struct error *e)
{
	return t->packed ? tw_packed_sound(t, e) : blob_check(t->blob, e);
}

const uint8_t *tw_tile_next(struct tw_tile_walk *w, struct error *e)
{
	uint64_t all = (uint64_t)w->t->w * w->t->h;
	uint32_t i = w->next % TW_TILE_RUN;

	if (all > INT32_MAX / w->t->size)
		w->error = error_set(e, -EIO, "there are more tiles than a game takes");
	else if (i == 0 && w->next < all)
		w->error = tw_tiles_read(w->t, w->next,
			all - w->next < TW_TILE_RUN ? (size_t)(all - w->next) : TW_TILE_RUN, w->run,
			e);
	if (w->error < 0 || w->next == all)
		return NULL;
	w->at = w->next++;
	return w->run + i * w->t->size;
}

static uint32_t enough(uint32_t last, uint32_t all)
{
	uint32_t n = last < 1 ? 2 : last + 1;

	return n < all ? n : all;
}

int tw_tiles_needed(const struct tw_tiles *t, uint32_t *ret_w, uint32_t *ret_h, struct error *e)
{
	struct tw_tile_walk walk = {.t = t};
	uint32_t columns = 0, rows = 0; /* up to the last tile that is not air */

	for (const uint8_t *tile; (tile = tw_tile_next(&walk, e));) {
		if (!tile[0])
			continue;
		if (walk.at % t->w >= columns)
			columns = walk.at % t->w + 1;
		rows = walk.at / t->w + 1;
	}
	*ret_w = rows ? enough(columns, t->w) : 0;
	*ret_h = rows ? enough(rows, t->h) : 0;
	return walk.error;
}

struct tw_tile_writer {
	const struct tw_map *m;
	struct spool *out;
	uint8_t size;
	bool packed;
	bool any; /* run holds one: packed tiles wait until they end */
	uint8_t run[TW_TILE_MAX];
	size_t n;
	uint8_t chunk[8192];
};

struct tw_tile_writer *tw_tile_writer_create(const struct tw_map *m, uint8_t size, bool packed)
{
	struct tw_tile_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->m = m;
	w->size = size;
	w->packed = packed;
	w->out = spool_create(m->shared->store->spool_dirfd);
	if (w->out)
		return w;
	free(w);
	return NULL;
}

void tw_tile_writer_destroy(struct tw_tile_writer *w)
{
	if (!w)
		return;
	spool_destroy(w->out);
	free(w);
}

static int flush(struct tw_tile_writer *w, struct error *e)
{
	int r = w->n ? spool_append(w->out, w->chunk, w->n, e) : 0;

	w->n = 0;
	return r;
}

static int put_tile(struct tw_tile_writer *w, const uint8_t *tile, struct error *e)
{
	int r = w->n + w->size > sizeof(w->chunk) ? flush(w, e) : 0;

	memcpy(w->chunk + w->n, tile, w->size);
	w->n += w->size;
	return r;
}

/* The reserved byte too, so that it survives. */
static bool continues_run(const struct tw_tile_writer *w, const uint8_t *tile)
{
	return w->any && w->run[2] < PACKED_RUN_MAX && w->run[0] == tile[0] &&
	       w->run[1] == tile[1] && w->run[3] == tile[3];
}

static int put_packed(struct tw_tile_writer *w, const uint8_t *tile, struct error *e)
{
	int r = 0;

	if (continues_run(w, tile)) {
		w->run[2]++;
		return 0;
	}
	if (w->any)
		r = put_tile(w, w->run, e);
	memcpy(w->run, tile, w->size);
	w->run[2] = 0;
	w->any = true;
	return r;
}

int tw_tile_writer_put(struct tw_tile_writer *w, const uint8_t *tiles, size_t n, struct error *e)
{
	int r = 0;

	for (; r == 0 && n; n--, tiles += w->size)
		r = w->packed ? put_packed(w, tiles, e) : put_tile(w, tiles, e);
	return r;
}

int tw_tile_writer_finish(struct tw_tile_writer *w, struct error *e)
{
	int r = w->any ? put_tile(w, w->run, e) : 0;

	w->any = false;
	return r < 0 ? r : flush(w, e);
}

int tw_tile_writer_tail(struct tw_tile_writer *w, struct blob *b, uint64_t at, struct error *e)
{
	return tw_keep_part(b, at, b->size, w->out, e);
}

int tw_tile_writer_keep(struct tw_tile_writer *w, struct blob **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent content = EXTENT_INIT;
	int r = spool_extent(w->out, &content, e);

	return r < 0 ? r : tw_keep_extent(w->m, &content, ret, e);
}

/* Tiles [x, x + n) of row y of the new rectangle. */
static int refit_run(const struct tw_tiles *t, uint32_t x, uint32_t y, size_t n, uint8_t size,
	uint8_t *dst, struct error *e)
{
	size_t have = 0;
	int r = 0;

	if (t && y < t->h && x < t->w)
		have = t->w - x < n ? t->w - x : n;
	if (have)
		r = tw_tiles_read(t, (uint64_t)y * t->w + x, have, dst, e);
	memset(dst + have * size, 0, (n - have) * size);
	return r;
}

int tw_tiles_refit(const struct tw_map *m, const struct tw_tiles *t, uint32_t w, uint32_t h,
	uint8_t size, bool packed, struct blob **ret, struct error *e)
{
	CLEANUP(tw_tile_writer_destroy)
	struct tw_tile_writer *out = tw_tile_writer_create(m, size, packed);
	uint8_t run[TW_TILE_RUN * TW_TILE_MAX];
	uint64_t count = (uint64_t)w * h;
	int r = 0;

	if (!out)
		return error_set(e, -ENOMEM, "no memory for the tiles of a layer");
	if (count > INT32_MAX / size)
		return error_set(e, -EINVAL,
			"%u x %u tiles of %u bytes are too many (at most %d bytes)", w, h, size,
			INT32_MAX);
	for (uint32_t y = 0; r == 0 && y < h; y++) {
		for (uint32_t x = 0; r == 0 && x < w; x += TW_TILE_RUN) {
			size_t n = w - x < TW_TILE_RUN ? w - x : TW_TILE_RUN;

			r = refit_run(t, x, y, n, size, run, e);
			if (r == 0)
				r = tw_tile_writer_put(out, run, n, e);
		}
	}
	if (r == 0)
		r = tw_tile_writer_finish(out, e);
	return r < 0 ? r : tw_tile_writer_keep(out, ret, e);
}
