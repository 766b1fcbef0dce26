/* SPDX-License-Identifier: Zlib */
#include "cli/merging/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/disk/spool.h"
#include "cli/offline/reader.h"

enum { PIECE = 1 << 20, CELL_MAX = 16 };

/* One of the three, and a row of it. */
struct grid {
	struct reader reader; /* of zeros: all cells are 0 */
	uint32_t width, height;
	const char *row;
};

/* Cells are compared as they are written: they have one form, and one width in all three. */
struct grids {
	struct grid of[SIDES];
	uint32_t width, height; /* of the result */
	uint32_t all_width, all_height;
	bool size;   /* both changed it */
	size_t cell; /* bytes of one, and what stands behind it */
	char zero[CELL_MAX];
	uint32_t y; /* of the rows */
};

static void grids_finish(struct grids *g)
{
	for (int w = 0; w < SIDES; w++)
		reader_close(&g->of[w].reader);
}
#define CLEANUP_GRIDS __attribute__((cleanup(grids_finish)))

static int grid_open(struct merge *m, enum which w, const struct item *i, struct grids *gs)
{
	struct grid *g = &gs->of[w];
	struct shape shape;
	int r = reader_open(&m->sides[w].tree, i->path, &g->reader);

	if (r == 0)
		r = reader_grid(&g->reader, &shape);
	if (r <= 0)
		return r < 0 ? r : -ENOTSUP;
	if (shape.width > UINT32_MAX || shape.height > UINT32_MAX || shape.cell > CELL_MAX ||
		(gs->cell && gs->cell != shape.cell))
		return -ENOTSUP;
	g->width = (uint32_t)shape.width;
	g->height = (uint32_t)shape.height;
	gs->cell = shape.cell;
	reader_rewind(&g->reader);
	return 0;
}

static uint32_t side(uint32_t b, uint32_t o, uint32_t t, bool *clash)
{
	*clash |= o != b && t != b && o != t;
	return o == b ? t : o;
}

static uint32_t most(uint32_t a, uint32_t b, uint32_t c)
{
	return a > b ? a > c ? a : c : b > c ? b : c;
}

static int grids_open(struct merge *m, const struct merged *x, struct grids *g)
{
	struct grid *b = &g->of[BASE], *o = &g->of[OURS], *t = &g->of[THEIRS];
	int r = grid_open(m, OURS, x->at[OURS], g);

	if (r == 0)
		r = grid_open(m, THEIRS, x->at[THEIRS], g);
	if (r == 0 && x->at[BASE])
		r = grid_open(m, BASE, x->at[BASE], g);
	if (r < 0)
		return r;
	/* Without a base as if ours had been added empty. */
	if (!x->at[BASE]) {
		b->width = o->width;
		b->height = o->height;
	}
	memset(g->zero, ' ', sizeof(g->zero));
	g->zero[g->cell - 2] = '0';
	g->size = !x->at[BASE] && (o->width != t->width || o->height != t->height);
	g->width = side(b->width, o->width, t->width, &g->size);
	g->height = side(b->height, o->height, t->height, &g->size);
	g->all_width = most(b->width, o->width, t->width);
	g->all_height = most(b->height, o->height, t->height);
	return 0;
}

static int next_rows(struct grids *g, uint32_t y)
{
	int r = 0;

	g->y = y;
	for (int w = 0; r == 0 && w < SIDES; w++) {
		struct grid *one = &g->of[w];
		size_t n;

		if (y >= one->height || !one->reader.t)
			continue;
		r = reader_line(&one->reader, &one->row, &n);
		r = r < 0 ? r : r && n + 1 == one->width * g->cell ? 0 : -ENOTSUP;
	}
	return r;
}

/* NULL: outside of the table. */
static const char *at(const struct grids *g, enum which w, uint32_t x)
{
	const struct grid *one = &g->of[w];

	if (x >= one->width || g->y >= one->height)
		return NULL;
	return one->reader.t ? one->row + x * g->cell : g->zero;
}

static bool same(const struct grids *g, const char *a, const char *b)
{
	return a && b ? memcmp(a, b, g->cell - 1) == 0 : a == b;
}

static int mask_begin(const struct grids *g, struct cells_mask *mask)
{
	if (mask->cells)
		return mask->width == g->width && mask->height == g->height ? 0 : -ENOTSUP;
	mask->width = g->width;
	mask->height = g->height;
	mask->cells = calloc((uint64_t)g->width * g->height / 8 + 1, 1);
	return mask->cells ? 0 : -ENOMEM;
}

int cells_mark(struct merge *m, const struct merged *x, struct cells_mask *mask)
{
	CLEANUP_GRIDS struct grids g = {0};
	int r = grids_open(m, x, &g);

	if (r == 0)
		r = mask_begin(&g, mask);
	for (uint32_t y = 0; r == 0 && y < g.height; y++) {
		r = next_rows(&g, y);
		for (uint32_t i = 0; r == 0 && i < g.width; i++) {
			const char *b = at(&g, BASE, i), *o = at(&g, OURS, i);
			const char *t = at(&g, THEIRS, i);
			uint64_t bit = (uint64_t)y * g.width + i;

			if (!same(&g, o, b) && !same(&g, t, b) && !same(&g, o, t))
				mask->cells[bit / 8] |= (uint8_t)(1 << bit % 8);
		}
	}
	return r;
}

/* A cell of the result; a cell that no side has any more is 0. */
static const char *cell(
	const struct grids *g, const struct cells_mask *mask, uint32_t x, struct cells_clash *clash)
{
	const char *b = at(g, BASE, x), *o = at(g, OURS, x), *t = at(g, THEIRS, x), *v;
	bool masked = cells_marked(mask, x, g->y);

	if (masked && !same(g, t, b) && !same(g, t, o))
		area_add(&clash->at, x, g->y);
	v = !masked && !same(g, t, b) && same(g, o, b) ? t : o;
	return v ? v : t ? t : g->zero;
}

/* What is outside of the result, and one side changed while the other cut it off. */
static void look_outside(const struct grids *g, struct cells_clash *clash)
{
	for (uint32_t x = g->y < g->height ? g->width : 0; x < g->all_width; x++) {
		const char *b = at(g, BASE, x), *o = at(g, OURS, x), *t = at(g, THEIRS, x);

		if ((o && !same(g, o, b)) || (t && !same(g, t, b))) {
			area_add(&clash->at, x, g->y);
			clash->size = true;
		}
	}
}

/* What has gathered in out goes to the spool, once it is much. */
static int pour(struct buffer *out, struct spool *to, size_t least)
{
	int r = out->error;

	if (r == 0 && out->size >= least && out->size) {
		r = spool_append(to, out->data, out->size, NULL);
		out->size = 0;
	}
	return r;
}

static int finish(struct buffer *out, struct spool *to, struct extent *ret)
{
	int r = pour(out, to, 0);

	return r < 0 ? r : spool_extent(to, ret, NULL);
}

int cells_join(struct merge *m, const struct merged *x, const struct cells_mask *mask,
	struct extent *ret, struct cells_clash *clash)
{
	CLEANUP(spool_destroy)
	struct spool *to = spool_create(m->sides[OURS].tree.vol->store.store.spool_dirfd);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP_GRIDS struct grids g = {0};
	int r = to ? grids_open(m, x, &g) : -ENOMEM;

	*clash = (struct cells_clash){.size = g.size};
	for (uint32_t y = 0; r == 0 && y < g.all_height; y++) {
		r = next_rows(&g, y);
		if (r < 0)
			break;
		for (uint32_t i = 0; y < g.height && i < g.width; i++) {
			buffer_append(&out, cell(&g, mask, i, clash), g.cell - 1);
			buffer_byte(&out, i + 1 < g.width ? ',' : '\n');
		}
		look_outside(&g, clash);
		r = pour(&out, to, PIECE);
	}
	return r < 0 ? r : finish(&out, to, ret);
}

int cells_draw(const struct merge *m, const struct cells_mask *mask, struct extent *ret)
{
	CLEANUP(spool_destroy)
	struct spool *to = spool_create(m->sides[OURS].tree.vol->store.store.spool_dirfd);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = to ? 0 : -ENOMEM;

	for (uint32_t y = 0; r == 0 && y < mask->height; y++) {
		for (uint32_t x = 0; x < mask->width; x++)
			buffer_printf(&out, "%d%c", cells_marked(mask, x, y),
				x + 1 < mask->width ? ',' : '\n');
		r = pour(&out, to, PIECE);
	}
	return r < 0 ? r : finish(&out, to, ret);
}
