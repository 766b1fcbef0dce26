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

int tw_tiles_check(const struct tw_tiles *t, struct error *e)
{
	if (!blob_is_materialized(t->blob))
		return 0;
	return t->packed ? tw_packed_check(t, e) : blob_check(t->blob, e);
}

struct garbage_scan {
	const struct tw_tile_form *form;
	uint64_t pos, end;
	struct tw_garbage *found;
};

static int scan_garbage(void *arg, const uint8_t *data, size_t n, struct error *)
{
	struct garbage_scan *l = arg;
	unsigned at = (unsigned)(l->pos % l->form->size);

	for (size_t i = 0; i < n && l->pos + i < l->end && !l->found->value; i++) {
		if (data[i] && l->form->unused_bytes & 1 << at)
			*l->found = (struct tw_garbage){l->pos + i, data[i]};
		at = at + 1 == l->form->size ? 0 : at + 1;
	}
	l->pos += n;
	return 0;
}

int tw_tiles_find_garbage(const struct tw_tiles *t, struct tw_garbage *ret, struct error *e)
{
	struct garbage_scan l = {.form = tw_tile_form(t->form),
		.end = t->packed ? 0 : (uint64_t)t->w * t->h * t->size,
		.found = ret};

	*ret = (struct tw_garbage){0};
	return blob_for_each_chunk(t->blob, scan_garbage, &l, e);
}

const uint8_t *tw_tile_next(struct tw_tile_walk *w, struct error *e)
{
	uint64_t all = (uint64_t)w->t->w * w->t->h;
	uint32_t i = w->next % TW_TILE_RUN;

	if (all > INT32_MAX / w->t->size)
		w->error = error_set(e, -EIO,
			"%u x %u tiles of %u bytes are too many (at most %d bytes)", w->t->w,
			w->t->h, w->t->size, INT32_MAX);
	else if (i == 0 && w->next < all)
		w->error = tw_tiles_read(w->t, w->next,
			all - w->next < TW_TILE_RUN ? (size_t)(all - w->next) : TW_TILE_RUN, w->run,
			e);
	if (w->error < 0 || w->next == all)
		return NULL;
	w->position = w->next++;
	return w->run + i * w->t->size;
}

static uint32_t crop_side(uint32_t last, uint32_t all)
{
	uint32_t n = last < 1 ? 2 : last + 1;

	return n < all ? n : all;
}

int tw_tiles_min_size(const struct tw_tiles *t, uint32_t *ret_w, uint32_t *ret_h, struct error *e)
{
	struct tw_tile_walk walk = {.t = t};
	uint32_t columns = 0, rows = 0; /* up to the last tile that is not air */

	for (const uint8_t *tile; (tile = tw_tile_next(&walk, e));) {
		if (!tile[0])
			continue;
		if (walk.position % t->w >= columns)
			columns = walk.position % t->w + 1;
		rows = walk.position / t->w + 1;
	}
	*ret_w = rows ? crop_side(columns, t->w) : 0;
	*ret_h = rows ? crop_side(rows, t->h) : 0;
	return walk.error;
}

static void clear_unused(const struct tw_tile_form *form, uint8_t *tiles, size_t n)
{
	for (; form->unused_bytes && n; n--, tiles += form->size)
		for (unsigned i = 0; i < form->size; i++)
			if (form->unused_bytes & 1 << i)
				tiles[i] = 0;
}

/* Does the tile equal the run? Compares the reserved byte, too, so that packing preserves it. */
static bool continues_run(const struct tw_tile_writer *w, const uint8_t *tile)
{
	return w->has_run && w->run[2] < PACKED_RUN_MAX && w->run[0] == tile[0] &&
	       w->run[1] == tile[1] && w->run[3] == tile[3];
}

int tw_tile_writer_put(struct tw_tile_writer *w, uint8_t *tiles, size_t n, struct error *e)
{
	uint8_t stored[TW_TILE_RUN * TW_TILE_MAX], each = w->form->size;
	size_t size = 0;
	int r = 0;

	if (!w->packed) {
		clear_unused(w->form, tiles, n);
		return spool_append(w->out, tiles, n * each, e);
	}
	for (; r == 0 && n; n--, tiles += each) {
		if (continues_run(w, tiles)) {
			w->run[2]++;
			continue;
		}
		if (w->has_run) {
			memcpy(stored + size, w->run, each);
			size += each;
		}
		memcpy(w->run, tiles, each);
		w->run[2] = 0;
		w->has_run = true;
		if (size + each > sizeof(stored)) {
			r = spool_append(w->out, stored, size, e);
			size = 0;
		}
	}
	return r < 0 ? r : spool_append(w->out, stored, size, e);
}

int tw_tile_writer_end(struct tw_tile_writer *w, const struct tw_tiles *old, struct error *e)
{
	int r = w->has_run ? spool_append(w->out, w->run, w->form->size, e) : 0;

	if (r == 0 && old && !w->packed)
		r = tw_append_part(old->blob, (uint64_t)old->w * old->h * old->size,
			old->blob->size, w->out, e);
	return r;
}
