/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/preview/texture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/png.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/preview/canvas.h"

enum {
	TILES = 16 /* of an image, in each direction */,
	ROWS_MAX = 1 << 20 /* bytes read at once */
};

/* Rows on their way into a texture: each of its pixels is the mean of a box of the image's. */
struct scaling {
	bool tiles;
	uint32_t side;
	uint32_t w, h;   /* of the image */
	uint32_t ow, oh; /* of the texture */
	uint32_t row,
		y; /* of the texture: the row that is being summed up; of the image: the next */
	uint64_t *sums; /* four for each pixel of the row, multiplied by alpha (and 255) */
	struct bytes *pixels;
	uint8_t *out;
};

static uint32_t scaled(const struct scaling *s, uint32_t n)
{
	uint32_t unit = s->tiles ? TILES : 1;

	return unit * (n / unit < s->side ? n / unit : s->side);
}

static int begin(void *arg, uint32_t w, uint32_t h, struct error *e)
{
	struct scaling *s = arg;

	if (s->tiles && (w < TILES || h < TILES))
		return error_set(e, -ENOENT, "it is of %u x %u pixels, too small for tiles", w, h);
	s->w = w;
	s->h = h;
	s->ow = scaled(s, w);
	s->oh = scaled(s, h);
	s->sums = calloc((size_t)s->ow * 4, sizeof(*s->sums));
	s->pixels = bytes_new((size_t)s->ow * s->oh * 4, &s->out);
	return s->sums && s->pixels ? 0 : error_set(e, -ENOMEM, "no memory for an image");
}

/* The first pixel of the image that belongs to pixel i of the texture. */
static uint32_t first_of(uint32_t i, uint32_t n, uint32_t out)
{
	return (uint32_t)((uint64_t)i * n / out);
}

static void end_row(struct scaling *s)
{
	uint32_t rows = first_of(s->row + 1, s->h, s->oh) - first_of(s->row, s->h, s->oh);
	uint8_t *to = s->out + (size_t)s->row * s->ow * 4;

	for (uint32_t x = 0; x < s->ow; x++) {
		uint64_t n =
			(uint64_t)rows * (first_of(x + 1, s->w, s->ow) - first_of(x, s->w, s->ow));

		for (uint32_t i = 0; i < 4; i++)
			*to++ = (uint8_t)((s->sums[4 * x + i] + n * 255 / 2) / (n * 255));
	}
	memset(s->sums, 0, (size_t)s->ow * 4 * sizeof(*s->sums));
	s->row++;
}

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct scaling *s = arg;
	uint32_t x = 0;

	(void)e;
	for (uint32_t o = 0; o < s->ow; o++) {
		uint64_t *sum = s->sums + 4 * (size_t)o;

		for (uint32_t end = first_of(o + 1, s->w, s->ow); x < end; x++, rgba += 4) {
			for (int i = 0; i < 3; i++)
				sum[i] += (uint32_t)rgba[i] * rgba[3];
			sum[3] += rgba[3] * 255u;
		}
	}
	if (y + 1 == first_of(s->row + 1, s->h, s->oh))
		end_row(s);
	return 0;
}

static int scale_embedded(
	const struct tw_map *m, const struct tw_item *it, struct scaling *s, struct error *e)
{
	struct blob *b = tw_blob_of(m, it, TW_IMG_DATA);
	uint32_t w = (uint32_t)it->ints->v[TW_IMG_WIDTH], h = (uint32_t)it->ints->v[TW_IMG_HEIGHT];
	size_t row = (size_t)w * 4, at_once = row < ROWS_MAX ? ROWS_MAX / row : 1;
	CLEANUP(free) uint8_t *rows = NULL;
	int r = begin(s, w, h, e);

	rows = malloc(at_once * row);
	if (r == 0 && !rows)
		r = error_set(e, -ENOMEM, "no memory for an image");
	for (uint32_t y = 0; r == 0 && y < h; y += (uint32_t)at_once) {
		size_t n = h - y < at_once ? h - y : at_once;

		r = blob_read(b, (uint64_t)y * row, rows, n * row, e);
		for (size_t i = 0; r == 0 && i < n; i++)
			r = take_row(s, y + (uint32_t)i, rows + i * row, e);
	}
	return r;
}

static int scale_external(
	const struct tw_textures *t, uint32_t image, struct scaling *s, struct error *e)
{
	const struct tw_name_list *names = tw_names(t->m, TW_SORT_IMAGE);
	struct png_sink sink = {.begin = begin, .row = take_row, .arg = s};
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	char name[NAME_MAX + 1];
	int r;

	if (!t->how->image || image >= names->n || !names->v[image].size ||
		names->v[image].size > NAME_MAX)
		return error_set(e, -ENOENT, "it is not in the map");
	snprintf(name, sizeof(name), "%.*s", (int)names->v[image].size, names->v[image].text);
	r = t->how->image(t->how->arg, name, &file, e);
	return r < 0 ? r : png_decode(&file, &sink, e);
}

static int scale(struct tw_textures *t, uint32_t image, bool tiles, uint32_t side,
	struct tw_texture *ret, struct error *e)
{
	const struct tw_item *it = tw_item_at(t->m, TW_IMAGE, image);
	struct scaling s = {.tiles = tiles, .side = side};
	int r = !it                         ? -ENOENT
		: tw_image_is_png(t->m, it) ? scale_embedded(t->m, it, &s, e)
					    : scale_external(t, image, &s, e);

	free(s.sums);
	if (r < 0) {
		bytes_unref(s.pixels);
		return r;
	}
	*ret = (struct tw_texture){.w = s.ow,
		.h = s.oh,
		.pixels = s.pixels,
		.rgba = s.pixels->data,
		.tiles = tiles,
		.image = image,
		.asked = side};
	return 0;
}

void tw_textures_init(struct tw_textures *t, const struct tw_map *m, const struct preview *how)
{
	*t = (struct tw_textures){.m = m, .how = how};
}

void tw_textures_finish(struct tw_textures *t)
{
	for (size_t i = 0; i < TW_TEXTURES; i++)
		bytes_unref(t->kept[i].pixels);
}

/* The i-th becomes the first; what is too much goes. */
static void move_first(struct tw_textures *t, size_t i)
{
	struct tw_texture first = t->kept[i];
	size_t sum = 0;

	memmove(t->kept + 1, t->kept, i * sizeof(first));
	t->kept[0] = first;
	for (i = 0; i < TW_TEXTURES; i++) {
		sum += t->kept[i].pixels ? t->kept[i].pixels->size : 0;
		if (i && sum > TW_TEXTURES_MAX) {
			bytes_unref(t->kept[i].pixels);
			t->kept[i] = (struct tw_texture){0};
		}
	}
}

static void tell(struct tw_textures *t, uint32_t image, const char *why)
{
	const struct tw_name_list *names = tw_names(t->m, TW_SORT_IMAGE);
	char line[NAME_MAX + 100];

	if (image > UINT16_MAX || t->missing[image])
		return;
	t->missing[image] = true;
	snprintf(line, sizeof(line), "image %u (%.*s) is not drawn: %s", image,
		image < names->n && names->v[image].size <= 127 ? (int)names->v[image].size : 0,
		image < names->n ? names->v[image].text : "", why);
	if (t->how->note)
		t->how->note(t->how->arg, line);
}

int tw_texture_get(struct tw_textures *t, uint32_t image, bool tiles, uint32_t side,
	const struct tw_texture **ret, struct error *e)
{
	struct tw_texture fresh;
	size_t i;
	int r;

	for (i = 0; i < TW_TEXTURES; i++)
		if (t->kept[i].pixels && t->kept[i].image == image && t->kept[i].tiles == tiles &&
			t->kept[i].asked == side)
			break;
	if (i == TW_TEXTURES && image <= UINT16_MAX && t->missing[image])
		return -ENOENT;
	if (i == TW_TEXTURES) {
		r = scale(t, image, tiles, side, &fresh, e);
		if (r < 0 && r != -ENOMEM)
			tell(t, image, error_text(e));
		if (r < 0)
			return r == -ENOMEM ? r : -ENOENT;
		i = TW_TEXTURES - 1;
		bytes_unref(t->kept[i].pixels);
		t->kept[i] = fresh;
	}
	move_first(t, i);
	*ret = &t->kept[0];
	return 0;
}
