/* SPDX-License-Identifier: Zlib */
#include "cli/differing/pictures.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/compare/picture.h"
#include "formats/images.h"

/* Of a place: tiles around it and in all at least, pixels of a tile and of the line around marks.
 */
enum { AROUND = 4, LEAST_W = 24, LEAST_H = 16, TILE = 16, LINE = 2 };

static bool write_picture(
	struct differences *d, const char *name, int r, const struct picture *p, struct error *e)
{
	if (r == 0) {
		r = picture_write(d->images, name, p, 0666, false, e);
		bytes_unref(p->rgba);
	}
	if (r < 0) {
		say(stderr, "mapfs: %s: %s", name, error_text(e));
		d->trouble = true;
	}
	return r == 0;
}

char *pictures_of_image(struct differences *d, const char *path, struct reader *a, struct reader *b)
{
	CLEANUP(free) char *name = d->images < 0 ? NULL : strdup(path);
	struct picture x = {0}, y = {0}, both;
	struct error e = ERROR_INIT;
	bool drawn = false;

	if (!name || picture_of_png(a, &x, NULL) < 0)
		return NULL;
	for (char *slash = name; (slash = strchr(slash, '/'));)
		*slash = '-';
	if (picture_of_png(b, &y, NULL) == 0)
		drawn = write_picture(d, name, picture_compare(&x, &y, &both, &e), &both, &e);
	bytes_unref(x.rgba);
	bytes_unref(y.rgba);
	return drawn ? TAKE(name) : NULL;
}

static int draw(struct differences *d, struct preview *how, struct picture ret[2])
{
	int r = 0;

	how->image = images_find;
	how->arg = d->game;

	for (int w = BASE; r == 0 && w <= OURS; w++) {
		const struct snapshot *s = d->m.sides[w].tree.vol->now;

		r = s->format->preview ? s->format->preview->draw(s, how, &ret[w], NULL) : -ENOTSUP;
	}
	return r;
}

void pictures_of_map(struct differences *d)
{
	struct preview how = {.size = PREVIEW_DEFAULT};
	struct picture of[2] = {0}, both;
	struct error e = ERROR_INIT;

	if (draw(d, &how, of) == 0)
		(void)write_picture(
			d, "map.png", picture_compare(&of[BASE], &of[OURS], &both, &e), &both, &e);
	bytes_unref(of[BASE].rgba);
	bytes_unref(of[OURS].rgba);
}

/* From where on so many are seen, with those from first to last in the middle. */
static uint32_t begin(uint32_t first, uint32_t last, uint32_t n)
{
	uint32_t before = (n - (last - first + 1)) / 2;

	return first < before ? 0 : first - before;
}

/* A place with what is around it. */
static struct preview_window window_of(const struct place *p)
{
	uint32_t w = p->right - p->left + 1 + 2 * AROUND, h = p->bottom - p->top + 1 + 2 * AROUND;

	w = w < LEAST_W ? LEAST_W : w;
	h = h < LEAST_H ? LEAST_H : h;
	return (struct preview_window){
		begin(p->left, p->right, w), begin(p->top, p->bottom, h), w, h};
}

/* The tiles of one mark get a line around them, within them. */
struct marking {
	const uint8_t *marks; /* 1 + mark of each tile of the window, or 0; a border of zeros */
	struct preview_window at;
	uint8_t *pixels;
	size_t row; /* pixels */
};

/* Counted from 1: there is a border around them. */
static uint8_t mark_at(const struct marking *m, uint32_t x, uint32_t y)
{
	return m->marks[(size_t)y * (m->at.w + 2) + x];
}

static bool is_line(const struct marking *m, uint32_t px, uint32_t py)
{
	uint32_t x = px / TILE + 1, y = py / TILE + 1;
	uint8_t mark = mark_at(m, x, y);
	int dx = px % TILE < LINE ? -1 : px % TILE >= TILE - LINE;
	int dy = py % TILE < LINE ? -1 : py % TILE >= TILE - LINE;

	return mark_at(m, x + (uint32_t)dx, y) != mark || mark_at(m, x, y + (uint32_t)dy) != mark ||
	       mark_at(m, x + (uint32_t)dx, y + (uint32_t)dy) != mark;
}

/* What was removed is marked in the old picture, what was added in the new one. */
static void mark_both(const struct marking *m)
{
	for (uint32_t y = 0; y < m->at.h * TILE; y++)
		for (uint32_t x = 0; x < m->at.w * TILE; x++) {
			unsigned mark = mark_at(m, x / TILE + 1, y / TILE + 1);
			uint8_t *old = m->pixels + (y * m->row + x) * PICTURE_PIXEL;
			uint8_t *new = old + ((size_t)m->at.w * TILE + PICTURE_GAP) * PICTURE_PIXEL;

			if (!mark || !is_line(m, x, y))
				continue;
			if (mark - 1 != REVIEW_ADDED)
				memcpy(old, picture_marks[mark - 1], PICTURE_PIXEL);
			if (mark - 1 != REVIEW_REMOVED)
				memcpy(new, picture_marks[mark - 1], PICTURE_PIXEL);
		}
}

/* -ENOMEM. Tiles of other places that are seen here are marked here, too. */
static int mark_place(const struct places *p, struct marking *m)
{
	CLEANUP(free) uint8_t *marks = calloc((m->at.w + 2) * ((size_t)m->at.h + 2), 1);

	if (!marks)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct place_cell *c = &p->cells[i];

		if (c->x - m->at.x < m->at.w && c->y - m->at.y < m->at.h)
			marks[(c->y - m->at.y + 1) * (size_t)(m->at.w + 2) + c->x - m->at.x + 1] =
				(uint8_t)(1 + c->mark);
	}
	m->marks = marks;
	mark_both(m);
	return 0;
}

/* false: there is no picture of it. */
static bool draw_place(struct differences *d, const struct places *p, const struct place *at,
	bool played, const char *name)
{
	struct marking m = {.at = window_of(at)};
	struct preview how = {.entities = played, .window = m.at};
	struct picture of[2] = {0}, both;
	struct error e = ERROR_INIT;
	bool drawn = false;
	int r;

	how.size = (m.at.w > m.at.h ? m.at.w : m.at.h) * TILE;
	if (draw(d, &how, of) == 0) {
		r = picture_beside(&of[BASE], &of[OURS], 2, &both, &m.pixels, &e);
		m.row = r == 0 ? both.w : 0;
		if (r == 0 && mark_place(p, &m) < 0)
			say(stderr, "mapfs: %s: out of memory", name);
		drawn = write_picture(d, name, r, &both, &e);
	}
	bytes_unref(of[BASE].rgba);
	bytes_unref(of[OURS].rgba);
	return drawn;
}

int pictures_of_places(struct differences *d, struct places *p, bool played,
	void (*shown)(struct differences *d, const struct place *at, const char *name),
	size_t *ret_left)
{
	int r = places_find(p);

	*ret_left = 0;
	for (size_t i = 0; r == 0 && i < p->n; i++) {
		const struct place *at = &p->at[i];
		char name[64];

		snprintf(name, sizeof(name), "%s-%u-%u.png", played ? "game" : "design",
			at->left + 1, at->top + 1);
		if (i >= PICTURES_OF_PLACES || !draw_place(d, p, at, played, name))
			++*ret_left;
		else if (shown)
			shown(d, at, name);
	}
	return r;
}
