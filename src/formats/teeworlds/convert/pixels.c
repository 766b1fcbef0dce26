/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "base/disk/spool.h"
#include "codec/image/png.h"
#include "formats/teeworlds/convert/work.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

/* Rows on their way. */
struct scaling {
	bool grow;
	struct spool *out; /* NULL: nothing is made */
	uint32_t w, h, new_w, new_h;
	uint32_t next; /* row of the new image */
	uint8_t *row;
};

static uint32_t grown(uint32_t side, bool grow)
{
	return grow ? (side + TW_CELLS - 1) / TW_CELLS * TW_CELLS : side;
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

	for (uint32_t x = 0; x < s->new_w; x++)
		memcpy(s->row + 4 * (size_t)x, rgba + (uint64_t)x * s->w / s->new_w * 4, 4);
	for (; r == 0 && s->next < s->new_h && (uint64_t)s->next * s->h / s->new_h == y; s->next++)
		if (s->out)
			r = spool_append(s->out, s->row, 4 * (size_t)s->new_w, e);
	return r;
}

static int take_embedded(struct scaling *s, struct blob *b, uint32_t w, uint32_t h, struct error *e)
{
	CLEANUP(free) uint8_t *row = malloc(4 * (size_t)w);
	int r = row ? begin(s, w, h, e) : error_set(e, -ENOMEM, "no memory for a row of pixels");

	for (uint32_t y = 0; r == 0 && y < h; y++) {
		r = blob_read(b, 4 * (uint64_t)w * y, row, 4 * (size_t)w, e);
		if (r == 0)
			r = take_row(s, y, row, e);
	}
	return r;
}

int convert_pixels(const struct tw_converting *k, const struct tw_item *it,
	const struct extent *png, bool grow, struct tw_pixels *ret, struct error *e)
{
	const int32_t *v = it->ints->v;
	CLEANUP(spool_destroy)
	struct spool *out = k->how->dry ? NULL : spool_create(k->m->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent all = EXTENT_INIT;
	struct scaling s = {.grow = grow, .out = out};
	const struct png_sink sink = {.begin = begin, .row = take_row, .arg = &s};
	int r;

	if (!out && !k->how->dry)
		return error_set(e, -ENOMEM, "no memory for the pixels");
	r = png ? png_decode(png, &sink, e)
		: take_embedded(&s, tw_blob_of(k->m, it, TW_IMG_DATA), (uint32_t)v[TW_IMG_WIDTH],
			  (uint32_t)v[TW_IMG_HEIGHT], e);
	free(s.row);
	if (r == 0 && out)
		r = spool_extent(out, &all, e);
	if (r == 0 && out)
		r = tw_keep_extent(k->m, &all, &ret->blob, e);
	ret->w = s.new_w;
	ret->h = s.new_h;
	return r;
}
