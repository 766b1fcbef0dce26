/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/raster.h"

#include <errno.h>
#include <math.h>

enum { SAMPLES_MAX = 4 /* of a pixel, in each direction */, TILE = 32 };

uint8_t tw_color(int32_t v, double envelope)
{
	double c = v * fmin(fmax(envelope / 1024, 0), 1);

	return c <= 0 ? 0 : c >= 255 ? 255 : (uint8_t)(c + 0.5);
}

/* Where a sample lies: the tile, and the place in it (of 65536). Beyond the layer its border goes
 * on. */
struct place {
	uint32_t tile, in;
};

static struct place place_of(double world, uint32_t n)
{
	double t = world / TILE, whole = floor(t);
	struct place p = {0, (uint32_t)((t - whole) * 65536) & 65535};

	p.tile = whole < 0 ? 0 : whole >= n ? n - 1 : (uint32_t)whole;
	return p;
}

struct raster {
	struct tw_painter *p;
	const struct tw_tiles *tiles;
	tw_show_tile show;
	void *arg;
	uint32_t samples;      /* of a pixel, in each direction */
	struct place *columns; /* for each sample of a row */
	uint8_t *row;          /* the tiles of the row at hand */
	int64_t row_at;        /* -1: none */
	bool empty;            /* there is nothing in it */
	uint32_t *sums;        /* four for each pixel of a row */
};

static int load_row(struct raster *r, uint32_t y, struct error *e)
{
	size_t n = (size_t)r->tiles->w * r->tiles->size, i = 0;
	int result = 0;

	if (r->row_at == y)
		return 0;
	result = tw_tiles_read(r->tiles, (uint64_t)y * r->tiles->w, r->tiles->w, r->row, e);
	while (result == 0 && i < n && !r->row[i])
		i++;
	r->empty = i == n;
	r->row_at = y;
	return result;
}

/* One line of samples. A tile of number 0 is nothing in every layer; show need not be asked. */
static void add_line(struct raster *r, uint32_t v)
{
	size_t n = (size_t)(r->p->clip.x1 - r->p->clip.x0) * r->samples;
	uint8_t rgba[4];

	for (size_t i = 0; i < n; i++) {
		uint32_t *sum = r->sums + i / r->samples * 4;

		r->show(r->arg, r->row + (size_t)r->columns[i].tile * r->tiles->size,
			r->columns[i].in, v, rgba);
		for (int k = 0; k < 4; k++)
			sum[k] += rgba[k];
	}
}

static void blend_line(struct raster *r, int64_t y)
{
	const struct tw_clip *clip = &r->p->clip;
	uint32_t n = r->samples * r->samples;
	uint8_t *pixel = r->p->canvas->rgba + ((size_t)y * r->p->canvas->w + (size_t)clip->x0) * 4;

	for (int64_t x = 0; x < clip->x1 - clip->x0; x++, pixel += 4) {
		uint32_t *sum = r->sums + 4 * x;
		uint8_t rgba[4];

		for (int k = 0; k < 4; k++) {
			rgba[k] = (uint8_t)((sum[k] + n / 2) / n);
			sum[k] = 0;
		}
		tw_blend(pixel, rgba);
	}
}

static int draw(struct raster *r, struct error *e)
{
	const struct tw_view *view = &r->p->view;
	const struct tw_clip *clip = &r->p->clip;
	int result = 0;

	for (size_t i = 0; i < (size_t)(clip->x1 - clip->x0) * r->samples; i++)
		r->columns[i] = place_of(
			view->x +
				view->step_x * ((double)clip->x0 + ((double)i + 0.5) / r->samples),
			r->tiles->w);
	for (int64_t y = clip->y0; result == 0 && y < clip->y1; y++) {
		bool any = false;

		for (uint32_t i = 0; result == 0 && i < r->samples; i++) {
			struct place row = place_of(
				view->y + view->step_y * ((double)y + (i + 0.5) / r->samples),
				r->tiles->h);

			result = load_row(r, row.tile, e);
			if (result < 0 || r->empty)
				continue;
			result = tw_canvas_spend(
				r->p->canvas, (uint64_t)(clip->x1 - clip->x0) * r->samples, e);
			add_line(r, row.in);
			any = true;
		}
		if (result == 0 && any)
			blend_line(r, y);
	}
	return result;
}

int tw_raster_tiles(struct tw_painter *p, const struct tw_tiles *tiles, tw_show_tile show,
	void *arg, struct error *e)
{
	double step = fmax(p->view.step_x, p->view.step_y) / TILE;
	size_t w = (size_t)(p->clip.x1 - p->clip.x0);
	struct raster r = {.p = p, .tiles = tiles, .show = show, .arg = arg, .row_at = -1};
	int result;

	r.samples = step <= 1 ? 1 : step >= SAMPLES_MAX ? SAMPLES_MAX : (uint32_t)ceil(step);
	r.columns = calloc(w * r.samples, sizeof(*r.columns));
	r.row = malloc((size_t)tiles->w * tiles->size);
	r.sums = calloc(4 * w, sizeof(*r.sums));
	if (r.columns && r.row && r.sums)
		result = draw(&r, e);
	else
		result = error_set(e, -ENOMEM, "no memory for a layer's row");
	free(r.columns);
	free(r.row);
	free(r.sums);
	return result == -EIO ? 0 : result;
}
