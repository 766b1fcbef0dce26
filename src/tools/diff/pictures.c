/* SPDX-License-Identifier: Zlib */
#include "tools/diff/pictures.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/print.h"
#include "formats/images.h"
#include "tools/compare/picture.h"

/* Tiles shown around a place, pixels of a tile, and pixels of the line around a marked tile. */
enum { AROUND = 8, TILE = 16, LINE = 1 };

void places_add(struct places *p, const struct review_cell *c)
{
	if (p->n_cells == PLACE_CELLS_MAX || !array_reserve(p->cells, p->n_cells, p->room_cells))
		p->is_incomplete = true;
	else
		p->cells[p->n_cells++] = (struct place_cell){c->x, c->y, c->mark};
}

void places_finish(struct places *p)
{
	free(p->cells);
	free(p->at);
	*p = (struct places){0};
}

static int by_row(const void *a, const void *b)
{
	const struct place_cell *p = a, *q = b;
	int r = (p->y > q->y) - (p->y < q->y);

	return r ? r : (p->x > q->x) - (p->x < q->x);
}

static int by_column(const void *a, const void *b)
{
	const struct place_cell *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static int by_count(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int r = (p->area.n < q->area.n) - (p->area.n > q->area.n);

	return r ? r : (p->from > q->from) - (p->from < q->from);
}

static void join_same(struct places *p)
{
	size_t n = 0;

	qsort(p->cells, p->n_cells, sizeof(*p->cells), by_row);
	for (size_t i = 0; i < p->n_cells; i++) {
		struct place_cell *c = &p->cells[i];

		if (!n || by_row(c, &p->cells[n - 1]) != 0)
			p->cells[n++] = *c;
		else if (p->cells[n - 1].mark != c->mark)
			p->cells[n - 1].mark = REVIEW_CHANGED;
	}
	p->n_cells = n;
}

/* Index of the first cell behind the widest gap of cells that are sorted by column or row. If
 * gaps are equal, take the one nearest to the middle. */
static size_t find_cut(const struct place_cell *c, size_t n, bool columns)
{
	uint64_t ends = columns ? (uint64_t)c->x + c[n - 1].x : (uint64_t)c->y + c[n - 1].y;
	uint64_t widest = 0, least = 0;
	size_t at = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t a = columns ? c[i - 1].x : c[i - 1].y, b = columns ? c[i].x : c[i].y;
		uint64_t off = a + b > ends ? a + b - ends : ends - a - b;

		if (b - a > widest || (b - a == widest && off < least)) {
			widest = b - a;
			least = off;
			at = i;
		}
	}
	return at;
}

/* Add n cells, starting at `from`, as a place, which may be too large. -ENOMEM. */
static int add_place(struct places *p, size_t from, size_t n)
{
	struct place *at;

	if (!array_reserve(p->at, p->n, p->room))
		return -ENOMEM;
	at = &p->at[p->n++];
	*at = (struct place){.from = from};
	for (size_t i = from; i < from + n; i++)
		area_add(&at->area, p->cells[i].x, p->cells[i].y);
	return 0;
}

/* Find the places of all tiles. A tile that was added several times is merged, as changed if its
 * marks differ. A rectangle that is too large is cut at the widest gap in its columns or rows.
 * -ENOMEM. */
static int places_find(struct places *p)
{
	size_t done = 0;
	int r;

	if (!p->n_cells)
		return 0;
	join_same(p);
	r = add_place(p, 0, p->n_cells);
	while (r == 0 && done < p->n) {
		struct place at = p->at[done];
		struct place_cell *c = p->cells + at.from;
		bool columns = at.area.right - at.area.left >= PLACE_WIDTH;
		size_t n = (size_t)at.area.n, cut; /* at most PLACE_CELLS_MAX */

		if (!columns && at.area.bottom - at.area.top < PLACE_HEIGHT) {
			done++;
			continue;
		}
		qsort(c, n, sizeof(*c), columns ? by_column : by_row);
		cut = find_cut(c, n, columns);
		p->at[done] = p->at[--p->n];
		r = add_place(p, at.from, cut);
		if (r == 0)
			r = add_place(p, at.from + cut, n - cut);
	}
	if (r == 0)
		qsort(p->at, p->n, sizeof(*p->at), by_count);
	return r;
}

static bool report_picture(struct differences *d, const char *name, int r, const struct error *e)
{
	if (r < 0) {
		print_line(stderr, "mapfs: %s: %s", name, error_text(e));
		d->has_errors = true;
	}
	return r == 0;
}

char *pictures_of_image(struct differences *d, const char *path, struct reader *a, struct reader *b)
{
	CLEANUP(free) char *name = d->images < 0 ? NULL : strdup(path);
	struct error e = ERROR_INIT;
	int r;

	if (!name)
		return NULL;
	for (char *c = name; *c; c++)
		if (!isalnum((uint8_t)*c) && *c != '.' && *c != '_')
			*c = '-';
	r = picture_write_compared(d->images, name, a, b, 0666, &e);
	return r != -EINVAL && report_picture(d, name, r, &e) ? TAKE(name) : NULL;
}

/* Draw a line along the inner edge of a tile. */
static void draw_line(uint8_t *pixels, size_t row, const uint8_t colour[PICTURE_PIXEL])
{
	for (size_t y = 0; y < TILE; y++)
		for (size_t x = 0; x < TILE; x++)
			if (x < LINE || y < LINE || x >= TILE - LINE || y >= TILE - LINE)
				memcpy(pixels + (y * row + x) * PICTURE_PIXEL, colour,
					PICTURE_PIXEL);
}

/* Mark removed tiles in the old picture, added ones in the new picture, and changed ones in both.
 * Includes tiles of other places within the window. */
static void mark_tiles(
	const struct places *p, const struct preview_window *at, size_t row, uint8_t *pixels)
{
	size_t new = ((size_t)at->w * TILE + PICTURE_GAP) * PICTURE_PIXEL;

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct place_cell *c = &p->cells[i];
		uint32_t x = c->x - at->x, y = c->y - at->y;
		size_t to = (y * row + x) * TILE * PICTURE_PIXEL;

		if (x >= at->w || y >= at->h)
			continue;
		if (c->mark != REVIEW_ADDED)
			draw_line(pixels + to, row, picture_marks[c->mark]);
		if (c->mark != REVIEW_REMOVED)
			draw_line(pixels + to + new, row, picture_marks[c->mark]);
	}
}

/* Draw both maps side by side and write the picture. Marks the tiles of `places`, or the pixels
 * that differ if it is NULL. Returns false if there is no picture. */
static bool draw_maps(
	struct differences *d, struct preview *how, const struct places *places, const char *name)
{
	struct picture of[2] = {0}, both;
	struct error e = ERROR_INIT;
	bool drawn = false;
	uint8_t *pixels;
	int r = 0;

	how->image = images_find;
	how->arg = d->game_images;
	for (int w = BASE; r == 0 && w <= OURS; w++) {
		const struct snapshot *s = d->m.sides[w].tree.vol->base;

		r = s->format->preview ? s->format->preview->draw(s, how, &of[w], NULL) : -ENOTSUP;
	}
	if (r == 0) {
		r = places ? picture_beside(&of[BASE], &of[OURS], &both, &pixels, &e)
			   : picture_compare(&of[BASE], &of[OURS], &both, &e);
		if (r == 0 && places)
			mark_tiles(places, &how->window, both.w, pixels);
		if (r == 0) {
			r = picture_write(d->images, name, &both, 0666, false, &e);
			bytes_unref(both.rgba);
		}
		drawn = report_picture(d, name, r, &e);
	}
	bytes_unref(of[BASE].rgba);
	bytes_unref(of[OURS].rgba);
	return drawn;
}

void pictures_of_map(struct differences *d)
{
	struct preview how = {.size = PREVIEW_DEFAULT};

	(void)draw_maps(d, &how, NULL, "map.png");
}

/* First tile to draw, in one axis, for a place that begins at `first`. */
static uint32_t window_start(size_t first)
{
	return first < AROUND ? 0 : (uint32_t)first - AROUND;
}

static bool draw_place(struct differences *d, const struct places *p, const struct area *at,
	bool played, const char *name)
{
	struct preview_window w = {window_start(at->left), window_start(at->top),
		(uint32_t)(at->right - at->left) + 1 + 2 * AROUND,
		(uint32_t)(at->bottom - at->top) + 1 + 2 * AROUND};
	struct preview how = {
		.entities = played, .window = w, .size = (w.w > w.h ? w.w : w.h) * TILE};

	return draw_maps(d, &how, p, name);
}

int pictures_of_places(struct differences *d, struct places *p, bool played,
	void (*shown)(struct differences *d, const struct area *at, const char *name),
	size_t *ret_left)
{
	int r = places_find(p);

	*ret_left = 0;
	for (size_t i = 0; r == 0 && i < p->n; i++) {
		const struct area *at = &p->at[i].area;
		char name[64];

		snprintf(name, sizeof(name), "%s-%zu-%zu.png", played ? "game" : "design", at->left,
			at->top);
		if (i >= PICTURES_OF_PLACES || !draw_place(d, p, at, played, name))
			++*ret_left;
		else if (shown)
			shown(d, at, name);
	}
	return r;
}
