/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/texture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/image/png.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/preview/game.h"
#include "formats/teeworlds/preview/pixel.h"

enum {
	TILES = 16 /* tiles of an image in each direction */,
	ROWS_MAX = 1 << 20 /* bytes of rows that are read at once */
};

/* Scales an image down row by row, so only the scaled form is in memory. Each pixel of the result
 * is the mean of a box of pixels, with premultiplied alpha. */
struct scaler {
	struct tw_canvas *canvas; /* its read budget is used */
	bool tiles;
	uint32_t side;      /* longest side of the result, or of each tile of it */
	uint32_t w, h;      /* size of the image */
	uint32_t ow, oh;    /* size of the result, at least 1 and at most that of the image */
	bool is_multiplied; /* the image has premultiplied alpha already */

	struct bytes *pixels; /* the result */
	uint8_t *out;
	uint64_t *sums; /* of the present row of the result: four a pixel, times 255 */
	uint32_t row;   /* number of the present row */
};

/* The sum of so many products of 255 * 255 fits 32 bits. */
enum { RUN_MAX = 1 << 16 };

/* Allocate the buffers. The sizes must be set. -ENOMEM. */
static int shrink_begin(struct scaler *s, struct error *e)
{
	s->sums = calloc((size_t)s->ow * 4, sizeof(*s->sums));
	s->pixels = bytes_resize(NULL, (uint64_t)s->ow * s->oh * 4, &s->out);
	return s->sums && s->pixels ? 0 : error_set(e, -ENOMEM, "out of memory");
}

/* Find the first pixel of the image that belongs to pixel i of the result. */
static uint32_t first_pixel(uint32_t i, uint32_t n, uint32_t out)
{
	return (uint32_t)((uint64_t)i * n / out);
}

/* Put the first and third byte of v into the halves of a 64-bit number. */
static uint64_t spread_pair(uint32_t v)
{
	return (v & 255) | (uint64_t)(v & 0xff0000) << 16;
}

/* Add n pixels, at most RUN_MAX, to the sums of a pixel. */
static void sum_run(const struct scaler *s, const uint8_t *rgba, uint32_t n, uint64_t *sum)
{
	const uint64_t opaque = (uint64_t)255 << 32;
	uint64_t red_blue = 0, green_alpha = 0;

	for (const uint8_t *end = rgba + (size_t)n * 4; rgba < end; rgba += 4) {
		uint32_t p = load_u32(rgba), by = s->is_multiplied ? 255 : tw_alpha(p);

		red_blue += spread_pair(p) * by;
		if (s->is_multiplied)
			green_alpha += spread_pair(p >> 8) * by;
		else
			green_alpha += ((p >> 8 & 255) | opaque) * by;
	}
	sum[0] += (uint32_t)red_blue;
	sum[1] += (uint32_t)green_alpha;
	sum[2] += red_blue >> 32;
	sum[3] += green_alpha >> 32;
}

static void write_row(struct scaler *s)
{
	uint32_t rows = first_pixel(s->row + 1, s->h, s->oh) - first_pixel(s->row, s->h, s->oh);
	uint8_t *to = s->out + (size_t)s->row * s->ow * 4;
	uint32_t x = 0;

	for (uint32_t o = 0; o < s->ow; o++) {
		uint32_t end = first_pixel(o + 1, s->w, s->ow);
		double part = 1 / (255.0 * rows * (end - x));

		for (uint32_t i = 0; i < 4; i++)
			*to++ = (uint8_t)((double)s->sums[4 * (size_t)o + i] * part + 0.5);
		x = end;
	}
	memset(s->sums, 0, (size_t)s->ow * 4 * sizeof(*s->sums));
	s->row++;
}

static void sum_row(struct scaler *s, const uint8_t *rgba)
{
	uint32_t x = 0;

	for (uint32_t o = 0; o < s->ow; o++) {
		for (uint32_t end = first_pixel(o + 1, s->w, s->ow), n; x < end; x += n) {
			n = end - x < RUN_MAX ? end - x : RUN_MAX;
			sum_run(s, rgba + (size_t)x * 4, n, s->sums + 4 * (size_t)o);
		}
	}
}

/* Add row y of the image. Rows must be added in order. */
static void shrink_row(struct scaler *s, uint32_t y, const uint8_t *rgba)
{
	sum_row(s, rgba);
	if (y + 1 == first_pixel(s->row + 1, s->h, s->oh))
		write_row(s);
}

/* Free the buffers, even if shrink_begin was not called. */
static void shrink_finish(struct scaler *s)
{
	free(s->sums);
	bytes_unref(s->pixels);
	s->sums = NULL;
	s->pixels = NULL;
}

/* Set the sizes for an image of w x h pixels. */
static void set_size(struct scaler *s, uint32_t w, uint32_t h)
{
	uint32_t unit = s->tiles ? TILES : 1, uw = w / unit, uh = h / unit;
	uint32_t longest = uw > uh ? uw : uh;

	if (longest > s->side) {
		uw = (uint32_t)((uint64_t)uw * s->side / longest);
		uh = (uint32_t)((uint64_t)uh * s->side / longest);
	}
	s->w = w;
	s->h = h;
	s->ow = unit * (uw ? uw : 1);
	s->oh = unit * (uh ? uh : 1);
}

static int begin_image(void *arg, uint32_t w, uint32_t h, struct error *e)
{
	struct scaler *s = arg;
	uint64_t row = (uint64_t)w * 4;
	int r = tw_canvas_read(s->canvas, row * h, row, e);

	if (r < 0)
		return r;
	if (s->tiles && (w < TILES || h < TILES))
		return error_set(e, -ENOENT,
			"%u x %u pixels are too few for tiles (at least 16 x 16)", w, h);
	set_size(s, w, h);
	return shrink_begin(s, e);
}

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *)
{
	struct scaler *s = arg;

	shrink_row(s, y, rgba);
	return 0;
}

static int scale_embedded(
	const struct tw_map *m, const struct tw_item *it, struct scaler *s, struct error *e)
{
	struct blob *b = tw_get_blob(m, it, TW_IMG_DATA);
	uint32_t w = (uint32_t)it->ints->v[TW_IMG_WIDTH], h = (uint32_t)it->ints->v[TW_IMG_HEIGHT];
	size_t row = (size_t)w * 4, at_once = row < ROWS_MAX ? ROWS_MAX / row : 1;
	CLEANUP(free) uint8_t *rows = NULL;
	int r = begin_image(s, w, h, e);

	rows = r == 0 ? malloc(at_once * row) : NULL;
	if (r == 0 && !rows)
		r = error_set(e, -ENOMEM, "out of memory");
	for (uint32_t y = 0; r == 0 && y < h; y += (uint32_t)at_once) {
		size_t n = h - y < at_once ? h - y : at_once;

		r = blob_read(b, (uint64_t)y * row, rows, n * row, e);
		for (size_t i = 0; r == 0 && i < n; i++)
			shrink_row(s, y + (uint32_t)i, rows + i * row);
	}
	return r;
}

static int scale_external(
	const struct tw_textures *t, uint32_t image, struct scaler *s, struct error *e)
{
	const struct tw_name_list *names = tw_names(t->m, TW_SORT_IMAGE);
	struct png_sink sink = {.begin = begin_image, .row = take_row, .arg = s};
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	char name[NAME_MAX + 1];
	int r;

	if (!t->options->image || image >= names->n || !names->v[image].size ||
		names->v[image].size > NAME_MAX)
		return error_set(e, -ENOENT, "the map has no such image");
	snprintf(name, sizeof(name), "%.*s", (int)names->v[image].size, names->v[image].text);
	r = tw_find_image(t->m, t->options->image, t->options->arg, name, &file, e);
	return r < 0 ? r : png_decode(&file, &sink, e);
}

/* Move the result to a texture, and free the other buffers. */
static struct tw_texture take_texture(struct scaler *s)
{
	struct tw_texture t = {s->ow, s->oh, s->pixels, s->out};

	s->pixels = NULL;
	shrink_finish(s);
	return t;
}

static int scale_image(struct tw_textures *t, struct tw_scaled *k, struct error *e)
{
	const struct tw_item *it = tw_item_at(t->m, TW_IMAGE, k->image);
	struct scaler s = {.canvas = t->canvas, .tiles = k->tiles, .side = k->side};
	int r = !it                         ? -ENOENT
		: tw_image_is_png(t->m, it) ? scale_embedded(t->m, it, &s, e)
					    : scale_external(t, k->image, &s, e);

	if (r < 0) {
		shrink_finish(&s);
		return r;
	}
	k->is_full_size = s.ow == s.w && s.oh == s.h;
	k->levels[0] = take_texture(&s);
	return 0;
}

/* Make a level from the level before it, with half its size. */
static int halve_level(
	const struct tw_scaled *k, uint32_t level, struct tw_texture *ret, struct error *e)
{
	const struct tw_texture *from = &k->levels[level - 1];
	struct scaler s = {.tiles = k->tiles, .side = k->side >> level, .is_multiplied = true};
	int r;

	set_size(&s, from->w, from->h);
	r = shrink_begin(&s, e);
	for (uint32_t y = 0; r == 0 && y < from->h; y++)
		shrink_row(&s, y, from->rgba + (size_t)y * from->w * 4);
	if (r == 0)
		*ret = take_texture(&s);
	else
		shrink_finish(&s);
	return r;
}

static void drop_image(struct tw_scaled *k)
{
	for (size_t i = 0; i < TW_TEXTURE_LEVELS; i++)
		bytes_unref(k->levels[i].pixels);
	*k = (struct tw_scaled){0};
}

void tw_textures_finish(struct tw_textures *t)
{
	for (size_t i = 0; i < TW_TEXTURES; i++)
		drop_image(&t->kept[i]);
}

static size_t scaled_size(const struct tw_scaled *k)
{
	size_t sum = 0;

	for (size_t i = 0; i < TW_TEXTURE_LEVELS; i++)
		sum += k->levels[i].pixels ? k->levels[i].pixels->size : 0;
	return sum;
}

/* Move kept image i to the front, and drop the last images if all are too large. */
static void move_first(struct tw_textures *t, size_t i)
{
	struct tw_scaled first = t->kept[i];
	size_t sum = 0;

	memmove(t->kept + 1, t->kept, i * sizeof(first));
	t->kept[0] = first;
	for (i = 0; i < TW_TEXTURES; i++) {
		sum += scaled_size(&t->kept[i]);
		if (i && sum > TW_TEXTURES_MAX)
			drop_image(&t->kept[i]);
	}
}

static void note_missing(struct tw_textures *t, uint32_t image, bool tiles, const char *why)
{
	const struct tw_name_list *names = tw_names(t->m, TW_SORT_IMAGE);
	char line[NAME_MAX + 100];

	if (image > UINT16_MAX)
		return;
	t->is_missing[tiles][image] = true;
	if (t->is_missing[!tiles][image]) /* one note is enough */
		return;
	snprintf(line, sizeof(line), "image %u (%.*s) is not drawn: %s", image,
		image < names->n && names->v[image].size <= 127 ? (int)names->v[image].size : 0,
		image < names->n ? names->v[image].text : "", why);
	if (t->options->note)
		t->options->note(t->options->note_arg, line);
}

/* Make an image that is large enough for `side` the first kept one, scaling it if necessary. */
static int find_image(
	struct tw_textures *t, uint32_t image, bool tiles, uint32_t side, struct error *e)
{
	struct tw_scaled fresh = {.image = image, .tiles = tiles, .side = side};
	size_t i = 0;
	int r;

	while (i < TW_TEXTURES &&
		(!t->kept[i].side || t->kept[i].image != image || t->kept[i].tiles != tiles))
		i++;
	if (i < TW_TEXTURES && (t->kept[i].is_full_size || t->kept[i].side >= side)) {
		move_first(t, i);
		return 0;
	}
	if (image <= UINT16_MAX && t->is_missing[tiles][image])
		return -ENOENT;
	if (i == TW_TEXTURES)
		i--;
	/* Drop the smaller image first, so that both are not in memory at once. */
	drop_image(&t->kept[i]);
	r = scale_image(t, &fresh, e);
	if (r < 0 && r != -ENOMEM)
		note_missing(t, image, tiles, error_text(e));
	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	t->kept[i] = fresh;
	move_first(t, i);
	return 0;
}

int tw_texture_get(struct tw_textures *t, uint32_t image, bool tiles, uint32_t side,
	const struct tw_texture **ret, struct error *e)
{
	struct tw_scaled *k = &t->kept[0];
	uint32_t level = 0;
	int r = find_image(t, image, tiles, side, e);

	while (r == 0 && k->side >> level > side) {
		level++;
		if (!k->levels[level].pixels)
			r = halve_level(k, level, &k->levels[level], e);
	}
	if (r == 0)
		*ret = &k->levels[level];
	return r;
}
