/* SPDX-License-Identifier: Zlib */
/* Pixels row by row, from a PNG or the map, into a new data item; perhaps scaled to larger sides by
 * the nearest pixel. */
#include <errno.h>
#include <string.h>

#include "base/disk/spool.h"
#include "codec/image/png.h"
#include "formats/teeworlds/convert/work.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

enum { TILES = 16 /* of an image, in each direction */ };

struct scaling {
	const struct tw_map *m;
	bool grow;
	struct spool *out; /* NULL: nothing is made */
	uint32_t w, h, new_w, new_h;
	uint32_t next; /* row of the new image */
	uint8_t *row;
};

static uint32_t grown(uint32_t side, bool grow)
{
	return grow ? (side + TILES - 1) / TILES * TILES : side;
}

static int begin(void *arg, uint32_t w, uint32_t h, struct error *e)
{
	struct scaling *s = arg;
	uint64_t size;

	s->w = w;
	s->h = h;
	s->new_w = grown(w, s->grow);
	s->new_h = grown(h, s->grow);
	if (png_file_size(s->new_w, s->new_h, &size) < 0)
		return error_set(e, -EINVAL, "%u x %u pixels are too many", s->new_w, s->new_h);
	s->row = malloc(4 * (size_t)s->new_w);
	return s->row ? 0 : error_set(e, -ENOMEM, "no memory for a row of pixels");
}

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct scaling *s = arg;
	int r = 0;

	if (!s->out)
		return 0;
	for (uint32_t x = 0; x < s->new_w; x++)
		memcpy(s->row + 4 * (size_t)x, rgba + (uint64_t)x * s->w / s->new_w * 4, 4);
	for (; r == 0 && s->next < s->new_h && (uint64_t)s->next * s->h / s->new_h == y; s->next++)
		r = spool_append(s->out, s->row, 4 * (size_t)s->new_w, e);
	return r;
}

static int take_png(struct scaling *s, const void *from, struct error *e)
{
	const struct png_sink sink = {.begin = begin, .row = take_row, .arg = s};

	return png_decode(from, &sink, e);
}

static int take_embedded(struct scaling *s, const void *from, struct error *e)
{
	const struct tw_item *it = from;
	uint32_t h = (uint32_t)it->ints->v[TW_IMG_HEIGHT];
	size_t n = 4 * (size_t)it->ints->v[TW_IMG_WIDTH];
	CLEANUP(free) uint8_t *row = malloc(n);
	int r = row ? begin(s, (uint32_t)it->ints->v[TW_IMG_WIDTH], h, e)
		    : error_set(e, -ENOMEM, "no memory for a row of pixels");

	for (uint32_t y = 0; r == 0 && y < h; y++) {
		r = blob_read(tw_blob_of(s->m, it, TW_IMG_DATA), y * n, row, n, e);
		if (r == 0)
			r = take_row(s, y, row, e);
	}
	return r;
}

static int take(const struct tw_converting *k, bool grow,
	int (*from)(struct scaling *s, const void *arg, struct error *e), const void *arg,
	struct convert_pixels *ret, struct error *e)
{
	CLEANUP(spool_destroy)
	struct spool *out = k->how->dry ? NULL : spool_create(k->m->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent all = EXTENT_INIT;
	struct scaling s = {.m = k->m, .grow = grow, .out = out};
	int r = out || k->how->dry ? from(&s, arg, e)
				   : error_set(e, -ENOMEM, "no memory for the pixels");

	free(s.row);
	if (r == 0 && out)
		r = spool_extent(out, &all, e);
	if (r == 0 && out)
		r = tw_keep_extent(k->m, &all, &ret->blob, e);
	ret->w = s.new_w;
	ret->h = s.new_h;
	return r;
}

int convert_png(const struct tw_converting *k, const struct extent *png, bool grow,
	struct convert_pixels *ret, struct error *e)
{
	return take(k, grow, take_png, png, ret, e);
}

int convert_grown(const struct tw_converting *k, const struct tw_item *it,
	struct convert_pixels *ret, struct error *e)
{
	return take(k, true, take_embedded, it, ret, e);
}
