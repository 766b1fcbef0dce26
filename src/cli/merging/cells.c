/* SPDX-License-Identifier: Zlib */
#include "cli/merging/cells.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

struct grid {
	uint32_t width, height;
	int32_t *cell;
};

static void grid_finish(struct grid *g)
{
	free(g->cell);
}
#define CLEANUP_GRID __attribute__((cleanup(grid_finish)))

/* A number in the canonical form (codec/csv.h), and what ends it. */
static bool number(const uint8_t **p, const uint8_t *end, int32_t *ret)
{
	const uint8_t *at = *p;
	bool minus;
	int32_t v = 0;

	while (at < end && *at == ' ')
		at++;
	minus = at < end && *at == '-';
	at += minus;
	if (at == end || *at < '0' || *at > '9')
		return false;
	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		if (v > 1000000)
			return false;
		v = v * 10 + (*at - '0');
	}
	*p = at;
	*ret = minus ? -v : v;
	return at < end && (*at == ',' || *at == '\n');
}

static int grid_read(const struct bytes *b, struct grid *ret)
{
	const uint8_t *p = b->data, *end = p + b->size;
	uint64_t n = 0, lines = 0, x = 0;

	for (const uint8_t *at = p; at < end; at++) {
		n += *at == ',' || *at == '\n';
		lines += *at == '\n';
	}
	if (!lines || n % lines || n / lines > UINT32_MAX || lines > UINT32_MAX)
		return -ENOTSUP;
	*ret = (struct grid){(uint32_t)(n / lines), (uint32_t)lines, malloc(n * sizeof(int32_t))};
	if (!ret->cell)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++) {
		if (!number(&p, end, &ret->cell[i]))
			return -ENOTSUP;
		x = *p++ == '\n' ? 0 : x + 1;
		if ((x == 0) != (i % ret->width == ret->width - 1))
			return -ENOTSUP;
	}
	return p == end ? 0 : -ENOTSUP;
}

struct grids {
	struct grid b, o, t;
	uint32_t width, height; /* of the result */
	bool size;              /* both changed it */
};

static void grids_finish(struct grids *g)
{
	grid_finish(&g->b);
	grid_finish(&g->o);
	grid_finish(&g->t);
}
#define CLEANUP_GRIDS __attribute__((cleanup(grids_finish)))

static uint32_t side(uint32_t b, uint32_t o, uint32_t t, bool *clash)
{
	*clash |= o != b && t != b && o != t;
	return o == b ? t : o;
}

static int grids_read(const struct planes *p, struct grids *g)
{
	int r = grid_read(p->o, &g->o);

	if (r == 0)
		r = grid_read(p->t, &g->t);
	if (r == 0 && p->b)
		r = grid_read(p->b, &g->b);
	else
		/* As if ours had been added empty. */
		g->b = (struct grid){g->o.width, g->o.height,
			r == 0 ? calloc((size_t)g->o.width * g->o.height, sizeof(int32_t)) : NULL};
	if (r == 0 && !g->b.cell)
		r = -ENOMEM;
	if (r < 0)
		return r;
	g->size = !p->b && (g->o.width != g->t.width || g->o.height != g->t.height);
	g->width = side(g->b.width, g->o.width, g->t.width, &g->size);
	g->height = side(g->b.height, g->o.height, g->t.height, &g->size);
	return 0;
}

enum { ABSENT = INT32_MIN }; /* outside of a table */

static int32_t at(const struct grid *g, uint32_t x, uint32_t y)
{
	return x < g->width && y < g->height ? g->cell[(size_t)y * g->width + x] : ABSENT;
}

static uint32_t most(uint32_t a, uint32_t b, uint32_t c)
{
	return a > b ? a > c ? a : c : b > c ? b : c;
}

int cells_mark(const struct planes *p, struct cells_mask *mask)
{
	CLEANUP_GRIDS struct grids g = {0};
	int r = grids_read(p, &g);

	if (r < 0)
		return r;
	if (!mask->cells) {
		mask->width = g.width;
		mask->height = g.height;
		mask->cells = calloc((size_t)g.width * g.height, 1);
		if (!mask->cells)
			return -ENOMEM;
	}
	if (mask->width != g.width || mask->height != g.height)
		return -ENOTSUP;
	for (uint32_t y = 0; y < g.height; y++)
		for (uint32_t x = 0; x < g.width; x++) {
			int32_t b = at(&g.b, x, y), o = at(&g.o, x, y), t = at(&g.t, x, y);

			if (o != b && t != b && o != t)
				mask->cells[(size_t)y * g.width + x] = 1;
		}
	return 0;
}

static void add(struct cells_clash *c, uint32_t x, uint32_t y)
{
	if (!c->n++) {
		c->left = c->right = x;
		c->top = c->bottom = y;
	}
	c->left = x < c->left ? x : c->left;
	c->right = x > c->right ? x : c->right;
	c->top = y < c->top ? y : c->top;
	c->bottom = y > c->bottom ? y : c->bottom;
}

/* A cell of the result; a cell that no side has any more is 0. */
static int32_t cell(const struct grids *g, const struct cells_mask *mask, uint32_t x, uint32_t y,
	struct cells_clash *clash)
{
	int32_t b = at(&g->b, x, y), o = at(&g->o, x, y), t = at(&g->t, x, y), v;
	bool masked = mask->cells && x < mask->width && y < mask->height &&
		      mask->cells[(size_t)y * mask->width + x];

	if (masked && t != b && t != o)
		add(clash, x, y);
	v = masked || t == b ? o : o == b ? t : o;
	return v == ABSENT ? t == ABSENT ? 0 : t : v;
}

/* What is outside of the result, and one side changed while the other cut it off. */
static void look_outside(const struct grids *g, struct cells_clash *clash)
{
	uint32_t w = most(g->b.width, g->o.width, g->t.width);
	uint32_t h = most(g->b.height, g->o.height, g->t.height);

	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = y < g->height ? g->width : 0; x < w; x++) {
			int32_t b = at(&g->b, x, y), o = at(&g->o, x, y), t = at(&g->t, x, y);

			if ((o != ABSENT && o != b) || (t != ABSENT && t != b)) {
				add(clash, x, y);
				clash->size = true;
			}
		}
}

int cells_join(const struct planes *p, const struct cells_mask *mask, struct bytes **ret,
	struct cells_clash *clash)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP_GRIDS struct grids g = {0};
	int r = grids_read(p, &g);

	*clash = (struct cells_clash){.size = g.size};
	for (uint32_t y = 0; r == 0 && y < g.height; y++) {
		for (uint32_t x = 0; x < g.width; x++)
			buffer_printf(&out, "%d%c", cell(&g, mask, x, y, clash),
				x + 1 < g.width ? ',' : '\n');
		r = out.error;
	}
	if (r == 0)
		look_outside(&g, clash);
	return r < 0 ? r : buffer_finish(&out, ret);
}

int cells_draw(const struct cells_mask *mask, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

	for (uint32_t y = 0; y < mask->height; y++)
		for (uint32_t x = 0; x < mask->width; x++) {
			buffer_byte(&out, mask->cells[(size_t)y * mask->width + x] ? '1' : '0');
			buffer_byte(&out, x + 1 < mask->width ? ',' : '\n');
		}
	return buffer_finish(&out, ret);
}
