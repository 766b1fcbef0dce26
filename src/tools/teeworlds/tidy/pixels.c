/* SPDX-License-Identifier: Zlib */
/*
 * Clear pixels that nothing shows, like DDNet's tools/map_optimize.cpp: the cells of a tileset that
 * no tile shows, and the colors of transparent pixels. Those get the color of a neighbor instead,
 * because a graphics card mixes them in at edges (tools/dilate.cpp).
 */
#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/tidy/tidy.h"

enum { CELLS = 16 /* in each direction */, ROUNDS = 11, UNREACHED = 255 };

/* The layers that show an image, and the cells that tiles show. */
struct shown {
	bool tiles, quads, unread;
	bool ids[CELLS * CELLS];
};

struct canvas {
	uint8_t *rgba;
	uint32_t w, h;
	uint8_t *rounds; /* by pixel: the round that gave it its color, or UNREACHED */
};

struct rect {
	uint32_t x, y, w, h;
};

static void look_at_tiles(const struct tidying *t, const struct tw_item *it, struct shown *ret)
{
	struct tw_tiles tiles;
	struct tw_tile_walk walk = {.t = &tiles};
	bool there = tw_get_tiles(t->m, it, &tiles);

	ret->tiles = true;
	for (const uint8_t *tile; there && (tile = tw_tile_next(&walk, NULL));)
		ret->ids[tile[0]] = true;
	ret->unread |= !there || walk.error < 0;
}

static void find_uses(const struct tidying *t, int32_t image, struct shown *ret)
{
	*ret = (struct shown){0};
	for (uint32_t i = 0; i < tw_count(t->m, TW_LAYER); i++) {
		const struct tw_item *it = tidy_item(t, TW_LAYER, i);
		struct tw_layer_ref held[TW_HELD_MAX];

		if (!it || !tw_held_fields(it, held) || held[0].sort != TW_SORT_IMAGE ||
			it->ints->v[held[0].field] != image)
			continue;
		if (!tw_is_tiles(it))
			ret->quads = true;
		else if (it->ints->v[TW_TILES_KIND] == 0)
			look_at_tiles(t, it, ret);
	}
}

static uint8_t *pixel(const struct canvas *c, uint32_t x, uint32_t y)
{
	return c->rgba + 4 * ((size_t)y * c->w + x);
}

/* Copy the color of a neighbor in the rectangle, if one had a color before this round. */
static bool spread_color(
	const struct canvas *c, const struct rect *r, uint32_t x, uint32_t y, uint8_t now)
{
	const int32_t beside[][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};

	for (size_t k = 0; k < sizeof(beside) / sizeof(beside[0]); k++) {
		uint32_t nx = x + (uint32_t)beside[k][0], ny = y + (uint32_t)beside[k][1];

		if (nx - r->x >= r->w || ny - r->y >= r->h ||
			c->rounds[(size_t)ny * c->w + nx] >= now)
			continue;
		memcpy(pixel(c, x, y), pixel(c, nx, ny), 3);
		return true;
	}
	return false;
}

static void dilate(const struct canvas *c, struct rect r)
{
	for (uint8_t now = 0; now <= ROUNDS; now++) {
		for (uint32_t y = r.y; y < r.y + r.h; y++) {
			for (uint32_t x = r.x; x < r.x + r.w; x++) {
				uint8_t *round = &c->rounds[(size_t)y * c->w + x];

				if (!now)
					*round =
						pixel(c, x, y)[3] > TW_ALPHA_UNSEEN ? 0 : UNREACHED;
				else if (*round == UNREACHED && spread_color(c, &r, x, y, now))
					*round = now;
			}
		}
	}
}

/* Returns true if the cell was not empty. */
static bool clear_cell(const struct canvas *c, struct rect r)
{
	uint8_t any = 0;

	for (uint32_t y = r.y; y < r.y + r.h; y++) {
		uint8_t *row = pixel(c, r.x, y);

		for (size_t i = 0; i < 4 * (size_t)r.w; i++)
			any |= row[i];
		memset(row, 0, 4 * (size_t)r.w);
	}
	return any;
}

/* Give each pixel that is not fully transparent its old color back. */
static void restore_visible(const struct canvas *c, const uint8_t *old)
{
	for (size_t i = 0; i < 4 * (size_t)c->w * c->h; i += 4)
		if (c->rgba[i + 3])
			memcpy(c->rgba + i, old + i, 3);
}

/* Set the color of fully transparent pixels to 0. */
static void clear_transparent(uint8_t *rgba, size_t n)
{
	for (size_t i = 0; i < n; i += 4)
		if (!rgba[i + 3])
			memset(rgba + i, 0, 3);
}

/* Clear what nothing shows. Returns the number of cells that were cleared. */
static unsigned cut_image(const struct canvas *c, const struct shown *s)
{
	uint32_t w = c->w / CELLS, h = c->h / CELLS;
	unsigned n = 0;

	clear_transparent(c->rgba, 4 * (size_t)c->w * c->h);
	if (s->quads)
		dilate(c, (struct rect){0, 0, c->w, c->h});
	for (uint32_t id = 0; !s->quads && id < CELLS * CELLS; id++) {
		struct rect r = {id % CELLS * w, id / CELLS * h, w, h};

		if (id && s->ids[id])
			dilate(c, r);
		else
			n += clear_cell(c, r);
	}
	return n;
}

/* Rename an image to NAME_cut_HASH, unless it has such a name. The hash is of all visible pixels
 * before the cut. */
static int hash_name(struct tidying *t, uint32_t item, const struct bytes *pixels, struct error *e)
{
	const struct tw_name *old = tidy_name(t, (uint32_t)tw_position(t->whole.from, item));
	int mark = old->size - SHA256_DIGEST_STRING_LENGTH + 1 - (int)strlen("_cut_");
	const int32_t *v = t->m->items[item].ints->v;
	size_t n = 4 * (size_t)v[TW_IMG_WIDTH] * (size_t)v[TW_IMG_HEIGHT];
	CLEANUP(blob_unref) struct blob *blob = NULL;
	CLEANUP(free) uint8_t *seen = NULL;
	char name[TW_PATH_MAX], hex[SHA256_DIGEST_STRING_LENGTH];
	int size;

	/* An image without a name stays without. */
	if (!tw_get_blob(t->m, &t->m->items[item], TW_IMG_NAME))
		return 0;
	if (mark >= 0 && memcmp(old->text + mark, "_cut_", strlen("_cut_")) == 0)
		return 0;
	seen = malloc(n);
	if (!seen)
		return error_set(e, -ENOMEM, "out of memory");
	memcpy(seen, pixels->data, n);
	clear_transparent(seen, n);
	SHA256Data(seen, n, hex);
	size = snprintf(name, sizeof(name), "%.*s_cut_%s", old->size, old->text, hex);
	if ((size_t)size > tw_sorts[TW_SORT_IMAGE].name_max) {
		tw_whole_report_item(&t->whole, WHOLE_LEFT, "", item,
			"not renamed: with the hash, its name would have %d bytes (at most %zu)",
			size, tw_sorts[TW_SORT_IMAGE].name_max);
		return 0;
	}
	blob = blob_of_bytes(bytes_copy(name, (size_t)size + 1), NULL);
	if (!blob || tw_map_set_data(t->m, item, TW_IMG_NAME, blob, NULL) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	tw_whole_report_item(&t->whole, WHOLE_DONE, "renamed", item, "%s", name);
	return 0;
}

static int set_pixels(
	struct tidying *t, uint32_t item, struct bytes *take, unsigned cells, struct error *e)
{
	CLEANUP(blob_unref) struct blob *blob = blob_of_bytes(take, NULL);

	if (!blob || tw_map_set_data(t->m, item, TW_IMG_DATA, blob, NULL) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	if (cells)
		tw_whole_report_item(&t->whole, WHOLE_DONE, "cut", item,
			"%u of %u cells that no tile shows", cells, CELLS * CELLS);
	else
		tw_whole_report_item(
			&t->whole, WHOLE_DONE, "cut", item, "colors of transparent pixels");
	return 0;
}

static int tidy_image(struct tidying *t, uint32_t item, const struct shown *s, struct error *e)
{
	const int32_t *v = t->m->items[item].ints->v;
	struct canvas c = {.w = (uint32_t)v[TW_IMG_WIDTH], .h = (uint32_t)v[TW_IMG_HEIGHT]};
	CLEANUP(bytes_unref) struct bytes *old = NULL, *fresh = NULL;
	CLEANUP(free) uint8_t *rounds = NULL;
	struct error why = ERROR_INIT;
	unsigned cells;
	int r = blob_load(tw_get_blob(t->m, &t->m->items[item], TW_IMG_DATA), &old, &why);

	if (r == -EIO) {
		tw_whole_report_item(&t->whole, WHOLE_LEFT, "", item, "%s", error_text(&why));
		return 0;
	}
	fresh = r == 0 ? bytes_new(old->size, &c.rgba) : NULL;
	c.rounds = rounds = malloc((size_t)c.w * c.h);
	if (!fresh || !rounds)
		return error_set(e, -ENOMEM, "out of memory");
	memcpy(c.rgba, old->data, old->size);
	cells = cut_image(&c, s);
	restore_visible(&c, old->data);
	if (!bytes_equal(old, fresh))
		r = set_pixels(t, item, bytes_ref(fresh), cells, e);
	return r == 0 && t->how->hash_names ? hash_name(t, item, old, e) : r;
}

int tidy_pixels(struct tidying *t, struct error *e)
{
	struct shown shown;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < tw_count(t->m, TW_IMAGE); i++) {
		const struct tw_item *it = tidy_item(t, TW_IMAGE, i);
		uint32_t item = it ? (uint32_t)(it - t->m->items) : 0;

		if (!it || !tw_image_is_png(t->m, it))
			continue;
		find_uses(t, (int32_t)i, &shown);
		if (!t->known || shown.unread)
			tw_whole_report_item(&t->whole, WHOLE_LEFT, "", item,
				"cannot tell which of its pixels are shown");
		else if (shown.tiles || shown.quads)
			r = tidy_image(t, item, &shown, e);
	}
	return r;
}
