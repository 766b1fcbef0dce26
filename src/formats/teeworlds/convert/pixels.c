/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "base/disk/spool.h"
#include "codec/image/png.h"
#include "formats/teeworlds/convert/convert.h"
#include "formats/teeworlds/model/store.h"

static uint32_t grown(uint32_t side)
{
	return (side + TW_CELLS - 1) / TW_CELLS * TW_CELLS;
}

/* Row by row, each of the old ones read once. */
static int scale(
	const struct tw_pixels *p, uint32_t w, uint32_t h, struct spool *out, struct error *e)
{
	size_t n = 4 * (size_t)p->w, new_n = 4 * (size_t)w;
	CLEANUP(free) uint8_t *old = malloc(n), *row = malloc(new_n);
	uint64_t last = UINT64_MAX;
	int r = old && row && out ? 0 : error_set(e, -ENOMEM, "no memory for the pixels");

	for (uint32_t y = 0; r == 0 && y < h; y++) {
		uint64_t from = (uint64_t)y * p->h / h;

		if (from != last)
			r = blob_read(p->blob, from * n, old, n, e);
		last = from;
		for (uint32_t x = 0; r == 0 && x < w; x++)
			memcpy(row + 4 * (size_t)x, old + (uint64_t)x * p->w / w * 4, 4);
		if (r == 0)
			r = spool_append(out, row, new_n, e);
	}
	return r;
}

int convert_scale(const struct tw_converting *k, struct tw_pixels *p, struct error *e)
{
	CLEANUP(spool_destroy)
	struct spool *out = spool_create(k->m->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent all = EXTENT_INIT;
	uint32_t w = grown(p->w), h = grown(p->h);
	struct blob *blob;
	uint64_t size;
	int r;

	if (png_file_size(w, h, &size) < 0)
		return error_set(e, -EINVAL, "%u x %u pixels are too many", w, h);
	r = scale(p, w, h, out, e);
	if (r == 0)
		r = spool_extent(out, &all, e);
	if (r == 0)
		r = tw_keep_extent(k->m, &all, &blob, e);
	if (r < 0)
		return r;
	blob_unref(p->blob);
	*p = (struct tw_pixels){blob, w, h};
	return 0;
}
