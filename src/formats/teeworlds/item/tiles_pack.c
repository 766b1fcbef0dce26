/* SPDX-License-Identifier: Zlib */
/* tiles_pack: reading packed tiles from any place, in bounded memory. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/teeworlds/item/tiles.h"

enum { STORED = 4 /* bytes of a stored tile */, SKIP = 2, CHUNK = 1024 /* stored tiles */ };

/* Keys of what a blob remembers: that it is sound for a count, and where reading went last. */
#define KEY_SOUND ((uint64_t)1 << 63)
#define KEY_PLACE ((uint64_t)1 << 62)
/* A place in 64 bits: the stored tile's number above, the tile's it stands for below. */
#define PLACE_BITS 36

struct counting {
	uint64_t pos, tiles;
};

static int count_chunk(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	struct counting *c = arg;

	(void)e;
	for (size_t i = 0; i < n; i++, c->pos++)
		if (c->pos % STORED == SKIP)
			c->tiles += 1 + (uint64_t)data[i];
	return 0;
}

int tw_packed_sound(const struct tw_tiles *t, struct error *e)
{
	uint64_t count = (uint64_t)t->w * t->h, known;
	struct counting c = {0};
	int r;

	if (blob_recall(t->blob, KEY_SOUND | count, &known))
		return 0;
	r = blob_each(t->blob, count_chunk, &c, e);
	if (r < 0)
		return r;
	if (c.tiles != count || c.pos % STORED != 0)
		return error_set(e, -EIO,
			"%" PRIu64 " bytes of packed tiles stand for %" PRIu64
			" tiles (must be %u x %u)",
			c.pos, c.tiles, t->w, t->h);
	blob_remember(t->blob, KEY_SOUND | count, 1);
	return 0;
}

/* A stored tile and the first of the tiles it stands for. */
struct place {
	uint64_t stored, tile;
};

static struct place recall(const struct tw_tiles *t, uint64_t first)
{
	uint64_t v;

	if (blob_recall(t->blob, KEY_PLACE, &v) && (v & (((uint64_t)1 << PLACE_BITS) - 1)) <= first)
		return (struct place){v >> PLACE_BITS, v & (((uint64_t)1 << PLACE_BITS) - 1)};
	return (struct place){0, 0};
}

static void remember(const struct tw_tiles *t, struct place p)
{
	if (p.tile >> PLACE_BITS == 0 && p.stored >> (64 - PLACE_BITS) == 0)
		blob_remember(t->blob, KEY_PLACE, p.stored << PLACE_BITS | p.tile);
}

/* Copies a stored tile to where [first, first + n) wants it. */
static void spread(const uint8_t *stored, uint64_t tile, uint64_t first, size_t n, uint8_t *dst)
{
	uint64_t end = tile + 1 + stored[SKIP];
	uint64_t from = tile > first ? tile : first;

	if (end > first + n)
		end = first + n;
	for (; from < end; from++) {
		uint8_t *to = dst + (from - first) * STORED;

		memcpy(to, stored, STORED);
		to[SKIP] = 0;
	}
}

int tw_packed_read(
	const struct tw_tiles *t, uint64_t first, size_t n, uint8_t *dst, struct error *e)
{
	uint8_t chunk[CHUNK * STORED];
	uint64_t n_stored = t->blob->size / STORED;
	struct place p, last;
	int r = tw_packed_sound(t, e);

	if (r < 0)
		return r;
	p = last = recall(t, first);
	while (p.tile < first + n && p.stored < n_stored) {
		size_t k = n_stored - p.stored < CHUNK ? (size_t)(n_stored - p.stored) : CHUNK;

		r = blob_read(t->blob, p.stored * STORED, chunk, k * STORED, e);
		if (r < 0)
			return r;
		for (size_t i = 0; i < k && p.tile < first + n; i++, p.stored++) {
			last = p;
			spread(chunk + i * STORED, p.tile, first, n, dst);
			p.tile += 1 + (uint64_t)chunk[i * STORED + SKIP];
		}
	}
	remember(t, last);
	return 0;
}
