/* SPDX-License-Identifier: Zlib */
#include "cli/merging/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/disk/spool.h"
#include "cli/offline/reader.h"

enum { ABSENT = INT32_MIN /* outside of a table */, PIECE = 1 << 20 };

/* One of the three, and a row of it. */
struct grid {
	struct reader reader; /* of zeros: all cells are 0 */
	uint32_t width, height;
	int32_t *row; /* NULL: there is none */
	bool past;    /* the row is below it */
};

struct grids {
	struct grid of[SIDES];
	uint32_t width, height; /* of the result */
	uint32_t all_width, all_height;
	bool size; /* both changed it */
};

static void grids_finish(struct grids *g)
{
	for (int w = 0; w < SIDES; w++) {
		reader_close(&g->of[w].reader);
		free(g->of[w].row);
	}
}
#define CLEANUP_GRIDS __attribute__((cleanup(grids_finish)))

/* A number in the canonical form (codec/text/csv.h), and what ends it. */
static bool number(const char **p, const char *end, int32_t *ret)
{
	const char *at = *p;
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
	return at == end || *at == ',';
}

static int grid_open(struct merge *m, enum which w, const struct item *i, struct grid *g)
{
	struct shape shape;
	int r = reader_open(&m->sides[w].tree, i->path, &g->reader);

	if (r == 0)
		r = reader_grid(&g->reader, &shape);
	if (r <= 0)
		return r < 0 ? r : -ENOTSUP;
	if (shape.width > UINT32_MAX || shape.height > UINT32_MAX)
		return -ENOTSUP;
	g->width = (uint32_t)shape.width;
	g->height = (uint32_t)shape.height;
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
	int r = grid_open(m, OURS, x->at[OURS], o);

	if (r == 0)
		r = grid_open(m, THEIRS, x->at[THEIRS], t);
	if (r == 0 && x->at[BASE])
		r = grid_open(m, BASE, x->at[BASE], b);
	if (r < 0)
		return r;
	/* Without a base as if ours had been added empty. */
	if (!x->at[BASE]) {
		b->width = o->width;
		b->height = o->height;
	}
	for (int w = 0; w < SIDES; w++) {
		g->of[w].row = calloc(g->of[w].width, sizeof(int32_t));
		if (!g->of[w].row)
			return -ENOMEM;
	}
	g->size = !x->at[BASE] && (o->width != t->width || o->height != t->height);
	g->width = side(b->width, o->width, t->width, &g->size);
	g->height = side(b->height, o->height, t->height, &g->size);
	g->all_width = most(b->width, o->width, t->width);
	g->all_height = most(b->height, o->height, t->height);
	return 0;
}

static int next_row(struct grid *g, uint32_t y)
{
	const char *p, *end;
	size_t n;
	int r;

	g->past = y >= g->height;
	if (g->past || !g->reader.t)
		return 0;
	r = reader_line(&g->reader, &p, &n);
	if (r <= 0)
		return r < 0 ? r : -ENOTSUP;
	end = p + n;
	for (uint32_t x = 0; x < g->width; x++) {
		if (!number(&p, end, &g->row[x]) || (p == end) != (x + 1 == g->width))
			return -ENOTSUP;
		p += p < end;
	}
	return 0;
}

static int next_rows(struct grids *g, uint32_t y)
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++)
		r = next_row(&g->of[w], y);
	return r;
}

static int32_t at(const struct grids *g, enum which w, uint32_t x)
{
	const struct grid *one = &g->of[w];

	return x < one->width && !one->past ? one->row[x] : ABSENT;
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
			int32_t b = at(&g, BASE, i), o = at(&g, OURS, i), t = at(&g, THEIRS, i);
			uint64_t bit = (uint64_t)y * g.width + i;

			if (o != b && t != b && o != t)
				mask->cells[bit / 8] |= (uint8_t)(1 << bit % 8);
		}
	}
	return r;
}

/* A cell of the result; a cell that no side has any more is 0. */
static int32_t cell(const struct grids *g, const struct cells_mask *mask, uint32_t x, uint32_t y,
	struct cells_clash *clash)
{
	int32_t b = at(g, BASE, x), o = at(g, OURS, x), t = at(g, THEIRS, x), v;
	bool masked = cells_marked(mask, x, y);

	if (masked && t != b && t != o)
		area_add(&clash->at, x, y);
	v = masked || t == b ? o : o == b ? t : o;
	return v == ABSENT ? t == ABSENT ? 0 : t : v;
}

/* What is outside of the result, and one side changed while the other cut it off. */
static void look_outside(const struct grids *g, uint32_t y, struct cells_clash *clash)
{
	for (uint32_t x = y < g->height ? g->width : 0; x < g->all_width; x++) {
		int32_t b = at(g, BASE, x), o = at(g, OURS, x), t = at(g, THEIRS, x);

		if ((o != ABSENT && o != b) || (t != ABSENT && t != b)) {
			area_add(&clash->at, x, y);
			clash->size = true;
		}
	}
}

static void put_number(struct buffer *out, int32_t v, char after)
{
	char digits[12], *to = digits + sizeof(digits);
	uint32_t n = v < 0 ? 0U - (uint32_t)v : (uint32_t)v;

	*--to = after;
	do
		*--to = (char)('0' + n % 10);
	while (n /= 10);
	if (v < 0)
		*--to = '-';
	buffer_append(out, to, (size_t)(digits + sizeof(digits) - to));
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
		for (uint32_t i = 0; y < g.height && i < g.width; i++)
			put_number(&out, cell(&g, mask, i, y, clash), i + 1 < g.width ? ',' : '\n');
		look_outside(&g, y, clash);
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
			put_number(
				&out, cells_marked(mask, x, y), x + 1 < mask->width ? ',' : '\n');
		r = pour(&out, to, PIECE);
	}
	return r < 0 ? r : finish(&out, to, ret);
}
