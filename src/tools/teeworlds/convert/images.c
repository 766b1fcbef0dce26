/* SPDX-License-Identifier: Zlib */
/* Images: embed those that the other game lacks or draws differently, and scale tileset images to
 * sides that it accepts. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/disk/spool.h"
#include "codec/image/png.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/media/image.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"
#include "tools/teeworlds/convert/convert.h"

enum { LENGTH = TW_IMG_DATA + 1 /* integers in an item of version 1 */ };

struct pixels {
	struct blob *blob; /* NULL if the image is external */
	uint32_t w, h;
};

struct image {
	const struct tw_item *it;
	struct tw_place place;
	struct tw_converted_image *as; /* its element of tw_converting.images */
	uint32_t at;                   /* position */
	enum tw_in_07 in_07;
	bool external, scales; /* scales: it may be enlarged */
};

static int no_memory(struct error *e)
{
	return error_set(e, -ENOMEM, "out of memory");
}

/* Give an image of 0.7 the name that DDNet has for it. */
static int set_name(struct tw_converting *k, const struct image *i, struct error *e)
{
	const struct tw_name *old = &tw_names(k->m, TW_SORT_IMAGE)->v[i->at];
	CLEANUP(free) char *name = text_printf("%.*s_0.7", old->size, old->text);
	CLEANUP(bytes_unref) struct bytes *text = name ? bytes_copy(name, strlen(name) + 1) : NULL;
	struct blob *blob = NULL;
	int r = text ? tw_store_bytes(k->m, text, &blob, e) : no_memory(e);

	if (r == 0)
		tw_change_set_data(k->change, i->place.number, TW_IMG_NAME, blob);
	return r;
}

/* The current pixels of the image. The caller owns a reference to the blob. */
static struct pixels own_pixels(const struct tw_converting *k, const struct image *i)
{
	return (struct pixels){blob_ref(tw_get_blob(k->m, i->it, TW_IMG_DATA)),
		(uint32_t)i->it->ints->v[TW_IMG_WIDTH], (uint32_t)i->it->ints->v[TW_IMG_HEIGHT]};
}

static uint32_t round_up_side(uint32_t side)
{
	return (side + TW_CELLS - 1) / TW_CELLS * TW_CELLS;
}

/* Scale by the nearest pixel. Reads each old row only once. */
static int scale_pixels(
	const struct pixels *p, uint32_t w, uint32_t h, struct spool *out, struct error *e)
{
	size_t n = 4 * (size_t)p->w, new_n = 4 * (size_t)w;
	CLEANUP(free) uint8_t *old = malloc(n), *row = malloc(new_n);
	uint64_t last = UINT64_MAX;
	int r = old && row && out ? 0 : error_set(e, -ENOMEM, "out of memory");

	for (uint32_t y = 0; r == 0 && y < h; y++) {
		uint64_t from = (uint64_t)y * p->h / h;

		if (from != last)
			r = blob_read(p->blob, from * n, old, n, e);
		last = from;
		for (uint32_t x = 0; r == 0 && x < w; x++)
			memcpy(row + 4 * (size_t)x, old + (uint64_t)x * p->w / w * 4, 4);
		if (r == 0)
			r = spool_append(out, row, new_n, e);
	}
	return r;
}

/* Enlarge to the next sides that fit. -EINVAL if they are too large. */
static int grow_pixels(const struct tw_converting *k, struct pixels *p, struct error *e)
{
	CLEANUP(spool_destroy)
	struct spool *out = spool_create(k->m->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent all = EXTENT_INIT;
	uint32_t w = round_up_side(p->w), h = round_up_side(p->h);
	struct blob *blob;
	uint64_t size;
	int r;

	if (png_file_size(w, h, &size) < 0)
		return error_set(e, -EINVAL, "%u x %u pixels are too many", w, h);
	r = scale_pixels(p, w, h, out, e);
	if (r == 0)
		r = spool_extent(out, &all, e);
	if (r == 0)
		r = tw_store_extent(k->m, &all, &blob, e);
	if (r < 0)
		return r;
	blob_unref(p->blob);
	*p = (struct pixels){blob, w, h};
	return 0;
}

/* Replace the item by one of version 1 with the given pixels, scaled if needed. Takes over the
 * reference to p.blob, also on failure. */
static int replace_image(struct tw_converting *k, const struct image *i, struct pixels p,
	const char *verb, struct error *e)
{
	const struct blob *own = tw_get_blob(k->m, i->it, TW_IMG_DATA);
	CLEANUP(tw_ints_unref) struct tw_ints *v = tw_ints_copy(i->it->ints, LENGTH, -1);
	int r = v ? 0 : no_memory(e);

	if (r == 0 && i->scales)
		r = grow_pixels(k, &p, e);
	if (r == 0) {
		i->as->w = v->v[TW_IMG_WIDTH] = (int32_t)p.w;
		i->as->h = v->v[TW_IMG_HEIGHT] = (int32_t)p.h;
		v->v[TW_IMG_VERSION] = 1;
		if (i->external && p.blob != own) {
			v->v[TW_IMG_EXTERNAL] = 0;
			v->v[TW_IMG_DATA] = -1;
		}
		tw_whole_report_item(&k->whole, WHOLE_DONE, verb, i->place.number,
			"%" PRIu32 " x %" PRIu32 " pixels", p.w, p.h);
		tw_change_set_ints(k->change, i->place.number, TAKE(v));
		if (p.blob != own)
			tw_change_set_data(k->change, i->place.number, TW_IMG_DATA, TAKE(p.blob));
	}
	blob_unref(p.blob);
	return r;
}

/* Replace an item of 0.7 by one of version 1, unless that would lose its pixel format. */
static int downgrade_item(struct tw_converting *k, const struct image *i, struct error *e)
{
	const struct tw_ints *v = i->it->ints;
	int32_t variant = tw_get_int(i->it, TW_IMG_VARIANT, -1);

	if (k->to == TW_GAME_07 || v->v[TW_IMG_VERSION] < 2)
		return 0;
	if (variant != 1 && !i->external)
		convert_report(k, i->place, "variant", tw_digits(variant).text, "1",
			"its pixels are not RGBA (required by %s)", k->game);
	else if (k->how)
		return replace_image(k, i, own_pixels(k, i), "converted", e);
	return 0;
}

/* Find the image that the map's own game draws. DDNet has most images of 0.7 as NAME_0.7. */
static int find_game_file(
	const struct tw_converting *k, const struct image *i, struct extent *ret, struct error *e)
{
	struct images *const *games = k->how->images;
	bool to_07 = k->to == TW_GAME_07;
	int r = tw_whole_find_image(
		&k->whole, i->at, games[TW_GAME_DDNET], to_07 ? "" : "_0.7", ret, e);

	if (to_07 || r != -ENOENT)
		return r;
	error_clear(e);
	return tw_whole_find_image(&k->whole, i->at, games[TW_GAME_07], "", ret, e);
}

static int embed_image(struct tw_converting *k, const struct image *i, struct error *e)
{
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	struct pixels p = {0};
	int r = find_game_file(k, i, &file, e);

	if (r == 0)
		r = tw_image_pixels(k->m, &file, &p.blob, &p.w, &p.h, e);
	if (r == 0)
		r = replace_image(k, i, p, "embedded", e);
	if (r == 0) {
		i->as->known = true;
		return k->to == TW_GAME_07 ? 0 : set_name(k, i, e);
	}
	if (r != -ENOENT && r != -EINVAL && r != -EIO)
		return r;
	if (i->in_07 == TW_OTHER_IN_07)
		convert_report(k, i->place, "", "", "",
			"%s has another image of this name, and %s (use --mapres DIR)", k->game,
			error_text(e));
	else if (i->in_07 == TW_NOT_IN_07)
		tw_whole_report_item(&k->whole, WHOLE_LEFT, "", i->place.number,
			"%s has no such image, and %s (use --mapres DIR)", k->game, error_text(e));
	error_clear(e);
	return 0;
}

static int check_external(struct tw_converting *k, const struct image *i, struct error *e)
{
	bool other = i->in_07 == TW_OTHER_IN_07, to_07 = k->to == TW_GAME_07;

	/* The target is the map's own game, or draws the same image. */
	if (k->from_07 == to_07 || (!to_07 && !other))
		return downgrade_item(k, i, e);
	if (k->how)
		return embed_image(k, i, e);
	if (other || i->in_07 == TW_NOT_IN_07)
		convert_report(k, i->place, "external", "true", "false", "%s %s", k->game,
			other ? "has another image of this name" : "has no such image");
	return 0;
}

static int check_embedded(struct tw_converting *k, const struct image *i, struct error *e)
{
	int r;

	i->as->known = true;
	i->as->w = i->it->ints->v[TW_IMG_WIDTH];
	i->as->h = i->it->ints->v[TW_IMG_HEIGHT];
	if (!i->scales || convert_fits(i->as) || !tw_image_is_png(k->m, i->it))
		return downgrade_item(k, i, e);
	r = replace_image(k, i, own_pixels(k, i), "scaled", e);
	return r < 0 ? convert_handle_error(k, i->place, r, e) : 0;
}

static int check_image(struct tw_converting *k, uint32_t at, struct error *e)
{
	uint32_t handle = tw_type(k->m, TW_IMAGE)->items[at];
	const struct tw_name *name = &tw_names(k->m, TW_SORT_IMAGE)->v[at];
	const struct tw_game_image *known = tw_game_image(name->text, name->size);
	struct image i = {.it = &k->m->items[handle],
		.place = tw_in_item(handle),
		.as = &k->images[at],
		.at = at,
		.in_07 = known ? known->in_07 : TW_NOT_IN_07};

	if (i.it->ints->n < LENGTH)
		return 0;
	i.external = i.it->ints->v[TW_IMG_EXTERNAL];
	i.scales = k->how && k->how->scale && k->to == TW_GAME_07 && i.as->tiled;
	return i.external ? check_external(k, &i, e) : check_embedded(k, &i, e);
}

static void find_tiled(struct tw_converting *k)
{
	for (uint32_t i = 0; i < tw_count(k->m, TW_LAYER); i++) {
		const struct tw_item *it = tw_item_at(k->m, TW_LAYER, i);
		int32_t image = tw_is_tiles(it) ? it->ints->v[TW_TILES_IMAGE] : -1;

		if (image >= 0 && image < TW_IMAGES_SHOWN)
			k->images[image].tiled = true;
	}
}

int convert_images(struct tw_converting *k, struct error *e)
{
	int r = 0;

	find_tiled(k);
	for (uint32_t i = 0; r == 0 && i < tw_count(k->m, TW_IMAGE) && i < TW_IMAGES_SHOWN; i++)
		r = check_image(k, i, e);
	return r;
}
