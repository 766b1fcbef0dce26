/* SPDX-License-Identifier: Zlib */
/* Images: those that the other game draws otherwise, or has not got, become part of the map, and
 * those of tiles have sides of which it makes tiles. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/convert/work.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

enum { LENGTH = TW_IMG_DATA + 1 /* integers, of version 1 */ };

struct image {
	const struct tw_item *it;
	struct tw_place place;
	struct tw_converted_image *as;
	char *name;
	enum tw_in_07 in_07;
	bool external, scales; /* it is no part of the map; it may become larger */
};

static int no_memory(struct error *e)
{
	return error_set(e, -ENOMEM, "no memory for an image");
}

/* What DDNet calls an image of 0.7. */
static int set_name(struct tw_converting *k, const struct image *i, struct error *e)
{
	CLEANUP(free) char *name = text_printf("%s_0.7", i->name);
	CLEANUP(bytes_unref) struct bytes *text = name ? bytes_copy(name, strlen(name) + 1) : NULL;
	struct blob *blob = NULL;
	int r = text ? tw_keep_bytes(k->m, text, &blob, e) : no_memory(e);

	if (r == 0)
		tw_change_data(k->change, i->place.what, TW_IMG_NAME, blob);
	return r;
}

/* Version 1 of the item; with other pixels (taken), where it has some. */
static int put(struct tw_converting *k, const struct image *i, struct tw_pixels p, const char *verb,
	struct error *e)
{
	struct tw_ints *v = tw_ints_copy(i->it->ints, LENGTH, -1);

	if (!v) {
		blob_unref(p.blob);
		return no_memory(e);
	}
	i->as->w = v->v[TW_IMG_WIDTH] = (int32_t)p.w;
	i->as->h = v->v[TW_IMG_HEIGHT] = (int32_t)p.h;
	v->v[TW_IMG_VERSION] = 1;
	if (i->external && p.blob) {
		v->v[TW_IMG_EXTERNAL] = 0;
		v->v[TW_IMG_DATA] = -1;
	}
	convert_say(k, CONVERT_DONE, verb, i->place, "%" PRIu32 " x %" PRIu32 " pixels", p.w, p.h);
	tw_change_item(k->change, i->place.what, v);
	if (p.blob)
		tw_change_data(k->change, i->place.what, TW_IMG_DATA, p.blob);
	return 0;
}

/* What only 0.7 has of an item is cut, where it says no more than version 1 does. */
static int cut(struct tw_converting *k, const struct image *i, struct error *e)
{
	const struct tw_ints *v = i->it->ints;
	int32_t variant = tw_int(i->it, TW_IMG_VARIANT, -1);

	if (k->to == TW_GAME_07 || v->v[TW_IMG_VERSION] < 2)
		return 0;
	if (variant != 1 && !i->external)
		convert_wrong(k, i->place, "variant", tw_digits(variant).text, "1",
			"its pixels are not RGBA, and %s takes no others", k->game);
	else if (k->how)
		return put(k, i,
			(struct tw_pixels){
				NULL, (uint32_t)v->v[TW_IMG_WIDTH], (uint32_t)v->v[TW_IMG_HEIGHT]},
			"converted ", e);
	return 0;
}

/* Of 0.7's own, DDNet has most under another name. */
static int find(
	const struct tw_converting *k, const struct image *i, struct extent *ret, struct error *e)
{
	const struct convert *how = k->how;
	CLEANUP(free) char *other = text_printf("%s_0.7", i->name);
	int r = other ? -ENOENT : no_memory(e);

	if (k->to == TW_GAME_07)
		return how->image(how->arg, TW_GAME_DDNET, i->name, ret, e);
	if (other)
		r = how->image(how->arg, TW_GAME_DDNET, other, ret, NULL);
	return r == -ENOENT ? how->image(how->arg, TW_GAME_07, i->name, ret, e) : r;
}

static int embed(struct tw_converting *k, const struct image *i, struct error *e)
{
	CLEANUP_EXTENT struct extent png = EXTENT_INIT;
	struct tw_pixels pixels = {0};
	int r = find(k, i, &png, e);

	if (r == 0)
		r = convert_pixels(k, i->it, &png, i->scales, &pixels, e);
	if (r == 0) {
		i->as->known = true;
		r = put(k, i, pixels, "embedded ", e);
		return r < 0 || k->to == TW_GAME_07 || k->how->dry ? r : set_name(k, i, e);
	}
	if (r != -ENOENT && r != -EINVAL && r != -EIO)
		return r;
	if (i->in_07 == TW_OTHER_IN_07)
		convert_wrong(k, i->place, "", "", "",
			"%s draws other tiles by that name, and %s (--mapres DIR)", k->game,
			error_text(e));
	else if (i->in_07 == TW_NOT_IN_07)
		convert_say(k, CONVERT_LEFT, "left as it is: ", i->place,
			"%s has no such image, and %s (--mapres DIR)", k->game, error_text(e));
	error_clear(e);
	return 0;
}

static int check_external(struct tw_converting *k, const struct image *i, struct error *e)
{
	bool other = i->in_07 == TW_OTHER_IN_07, to_07 = k->to == TW_GAME_07;

	/* The map's own game, or one that draws the same. */
	if (k->from_07 == to_07 || (!to_07 && !other))
		return cut(k, i, e);
	if (k->how)
		return embed(k, i, e);
	if (other || i->in_07 == TW_NOT_IN_07)
		convert_wrong(k, i->place, "external", "true", "false", "%s %s", k->game,
			other ? "draws other tiles by that name" : "has no such image");
	return 0;
}

static int check_embedded(struct tw_converting *k, const struct image *i, struct error *e)
{
	struct tw_pixels pixels = {0};
	int r;

	i->as->known = true;
	i->as->w = i->it->ints->v[TW_IMG_WIDTH];
	i->as->h = i->it->ints->v[TW_IMG_HEIGHT];
	if (!i->scales || convert_fits(i->as) || !tw_image_is_png(k->m, i->it))
		return cut(k, i, e);
	r = convert_pixels(k, i->it, NULL, true, &pixels, e);
	return r < 0 ? convert_failed(k, i->place, r, e) : put(k, i, pixels, "scaled ", e);
}

static int check_image(struct tw_converting *k, uint32_t at, struct error *e)
{
	uint32_t handle = tw_type(k->m, TW_IMAGE)->items[at];
	struct image i = {
		.it = &k->m->items[handle], .place = tw_in_object(handle), .as = &k->images[at]};
	const struct tw_game_image *known;
	struct tw_name name = {0};
	int r;

	if (i.it->ints->n < LENGTH)
		return 0;
	if (tw_name_read(k->m, TW_SORT_IMAGE, i.it, &name) < 0)
		return no_memory(e);
	known = tw_game_image(name.text, name.size);
	i.in_07 = known ? known->in_07 : TW_NOT_IN_07;
	i.name = text_printf("%.*s", (int)name.size, name.text ? name.text : "");
	i.external = i.it->ints->v[TW_IMG_EXTERNAL];
	i.scales = k->how && k->how->scale && k->to == TW_GAME_07 && i.as->tiled;
	free(name.text);
	if (!i.name)
		return no_memory(e);
	r = i.external ? check_external(k, &i, e) : check_embedded(k, &i, e);
	free(i.name);
	return r;
}

/* Which images tile layers use. */
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
