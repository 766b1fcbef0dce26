/* SPDX-License-Identifier: Zlib */
/* tiles_pack: random access to packed tiles, in bounded memory. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/item/tiles.h"

enum { STORED = 4 /* bytes of a stored tile */, SKIP = 2, CHUNK = 1024 /* stored tiles */ };

/* Key under which a blob caches struct firsts. The lower bits are the number of tiles, which is
 * less than 2^63; no other cache of blobs of tiles has the upper bit. */
#define KEY_PACKED ((uint64_t)1 << 63)

struct firsts {
	uint64_t key;
	uint64_t tile[]; /* by chunk of stored tiles: number of the first tile in it */
};

struct counting {
	uint64_t pos, tiles;
	struct firsts *f;
};

static int count_chunk(void *arg, const uint8_t *data, size_t n, struct error *)
{
	struct counting *c = arg;

	for (size_t i = 0; i < n; i++, c->pos++) {
		if (c->pos % (CHUNK * STORED) == 0)
			c->f->tile[c->pos / (CHUNK * STORED)] = c->tiles;
		if (c->pos % STORED == SKIP)
			c->tiles += 1 + (uint64_t)data[i];
	}
	return 0;
}

static int count_all(void *arg, struct bytes **ret, struct error *e)
{
	const struct tw_tiles *t = arg;
	uint64_t count = (uint64_t)t->w * t->h;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct counting c = {0};
	uint8_t *data;
	int r;

	b = bytes_new(sizeof(*c.f) + (size_t)(t->blob->size / (CHUNK * STORED) + 1) * 8, &data);
	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	c.f = (struct firsts *)data;
	c.f->key = KEY_PACKED | count;
	r = blob_for_each_chunk(t->blob, count_chunk, &c, e);
	if (r < 0)
		return r;
	if (c.tiles != count || c.pos % STORED != 0)
		return error_set(e, -EIO,
			"%" PRIu64 " bytes of packed tiles hold %" PRIu64
			" tiles (must be %u x %u)",
			c.pos, c.tiles, t->w, t->h);
	*ret = TAKE(b);
	return 0;
}

static int get_firsts(const struct tw_tiles *t, struct bytes **ret, struct error *e)
{
	int r = blob_materialize(t->blob, e);

	return r < 0 ? r
		     : blob_derive(t->blob, KEY_PACKED | (uint64_t)t->w * t->h, count_all,
			       (void *)(uintptr_t)t, ret, e);
}

int tw_packed_check(const struct tw_tiles *t, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *firsts = NULL;

	return get_firsts(t, &firsts, e);
}

/* The number of a stored tile, and of its first decoded tile. */
struct start {
	uint64_t stored, tile;
};

static struct start find_chunk(const struct tw_tiles *t, const struct firsts *f, uint64_t tile)
{
	/* Number of chunks after the first one, which starts at tile 0. */
	size_t n = t->blob->size ? (size_t)((t->blob->size - 1) / (CHUNK * STORED)) : 0;
	size_t at = array_bisect(i, n, f->tile[i + 1] > tile);

	return (struct start){(uint64_t)at * CHUNK, f->tile[at]};
}

/* Write those tiles of a run to dst that are in [first, first + n). tile: the first of the run. */
static void expand_tile(
	const uint8_t *stored, uint64_t tile, uint64_t first, size_t n, uint8_t *dst)
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
	CLEANUP(bytes_unref) struct bytes *firsts = NULL;
	uint8_t chunk[CHUNK * STORED];
	uint64_t n_stored;
	struct start p;
	int r = get_firsts(t, &firsts, e);

	if (r < 0)
		return r;
	n_stored = t->blob->size / STORED;
	p = find_chunk(t, (const struct firsts *)firsts->data, first);
	while (p.tile < first + n && p.stored < n_stored) {
		size_t k = n_stored - p.stored < CHUNK ? (size_t)(n_stored - p.stored) : CHUNK;

		r = blob_read(t->blob, p.stored * STORED, chunk, k * STORED, e);
		if (r < 0)
			return r;
		for (size_t i = 0; i < k && p.tile < first + n; i++, p.stored++) {
			expand_tile(chunk + i * STORED, p.tile, first, n, dst);
			p.tile += 1 + (uint64_t)chunk[i * STORED + SKIP];
		}
	}
	return 0;
}
