/* SPDX-License-Identifier: Zlib */
/* Images: those that another game draws otherwise, or has not got, become part of the map; and all
 * have sides of which the game makes tiles. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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
	bool other_name; /* it is to be called NAME_0.7 */
};

static int no_memory(struct error *e)
{
	return error_set(e, -ENOMEM, "no memory for an image");
}

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

/* The image with other pixels (taken). Its data item comes behind all others where it had none. */
static int put(struct tw_converting *k, const struct image *i, struct convert_pixels *p,
	const char *verb, struct error *e)
{
	struct tw_ints *v = tw_ints_copy(i->it->ints, LENGTH, -1);

	i->as->known = true;
	i->as->w = p->w;
	i->as->h = p->h;
	if (!v) {
		blob_unref(p->blob);
		return no_memory(e);
	}
	convert_done(k, i->place, verb, "%" PRIu32 " x %" PRIu32 " pixels", p->w, p->h);
	v->v[TW_IMG_VERSION] = 1;
	v->v[TW_IMG_WIDTH] = (int32_t)p->w;
	v->v[TW_IMG_HEIGHT] = (int32_t)p->h;
	if (v->v[TW_IMG_EXTERNAL])
		v->v[TW_IMG_DATA] = -1;
	v->v[TW_IMG_EXTERNAL] = 0;
	tw_change_item(k->change, i->place.what, v);
	if (p->blob)
		tw_change_data(k->change, i->place.what, TW_IMG_DATA, p->blob);
	return i->other_name && !k->how->dry ? set_name(k, i, e) : 0;
}

/* Where DDNet has what 0.7 draws under a name of its own, that is called NAME_0.7. */
static int find(
	const struct tw_converting *k, const struct image *i, struct extent *ret, struct error *e)
{
	const struct convert *how = k->how;
	CLEANUP(free) char *other = text_printf("%s_0.7", i->name);
	int r;

	if (!i->other_name)
		return how->image(
			how->arg, k->from_07 ? TW_GAME_07 : TW_GAME_DDNET, i->name, ret, e);
	r = other ? how->image(how->arg, TW_GAME_DDNET, other, ret, NULL) : no_memory(e);
	return r == -ENOENT ? how->image(how->arg, TW_GAME_07, i->name, ret, e) : r;
}

static int embed(struct tw_converting *k, const struct image *i, struct error *e)
{
	bool tiles = k->how->scale && k->to == TW_GAME_07 && i->as->tiled;
	CLEANUP_EXTENT struct extent png = EXTENT_INIT;
	struct convert_pixels pixels = {0};
	int r = find(k, i, &png, e);

	if (r == 0)
		r = convert_png(k, &png, tiles, &pixels, e);
	if (r == 0)
		return put(k, i, &pixels, "embedded ", e);
	if (r != -ENOENT && r != -EINVAL && r != -EIO)
		return r;
	if (i->in_07 == TW_OTHER_IN_07)
		convert_wrong(k, i->place, "", "", "",
			"%s draws other tiles by that name, and %s (--mapres DIR)", convert_game(k),
			error_text(e));
	else if (i->in_07 == TW_NOT_IN_07)
		convert_left(k, i->place, "%s has no such image, and %s (--mapres DIR)",
			convert_game(k), error_text(e));
	error_clear(e);
	return 0;
}

/* What 0.7 takes of a version of its own is cut where it says no more than version 1 does. */
static int cut(struct tw_converting *k, const struct image *i, struct error *e)
{
	int32_t version = i->it->ints->v[TW_IMG_VERSION];
	int32_t variant = tw_int(i->it, TW_IMG_VARIANT, -1);
	struct tw_ints *v;

	if (k->to == TW_GAME_07 || version < 2)
		return 0;
	if (variant != 1 && !i->it->ints->v[TW_IMG_EXTERNAL]) {
		convert_wrong(k, i->place, "variant", tw_digits(variant).text, "1",
			"its pixels are not RGBA, and %s takes no others", convert_game(k));
		return 0;
	}
	if (!k->how)
		return 0;
	v = tw_ints_copy(i->it->ints, LENGTH, -1);
	if (!v)
		return no_memory(e);
	v->v[TW_IMG_VERSION] = 1;
	tw_change_item(k->change, i->place.what, v);
	convert_done(k, i->place, "converted ", "it is of version 1");
	return 0;
}

static int check_external(struct tw_converting *k, struct image *i, struct error *e)
{
	bool other = i->in_07 == TW_OTHER_IN_07, to_07 = k->to == TW_GAME_07;

	/* The map's own game, or a game that draws the same. */
	if (k->from_07 == to_07 || (!to_07 && !other))
		return cut(k, i, e);
	i->other_name = !to_07;
	if (k->how)
		return embed(k, i, e);
	if (other)
		convert_wrong(k, i->place, "external", "true", "false",
			"%s draws other tiles by that name", convert_game(k));
	else if (i->in_07 == TW_NOT_IN_07)
		convert_wrong(k, i->place, "external", "true", "false", "%s has no such image",
			convert_game(k));
	return 0;
}

static int check_embedded(struct tw_converting *k, const struct image *i, struct error *e)
{
	struct convert_pixels pixels = {0};
	int r;

	*i->as = (struct tw_converted_image){
		i->as->tiled, true, i->it->ints->v[TW_IMG_WIDTH], i->it->ints->v[TW_IMG_HEIGHT]};
	if (!k->how || !k->how->scale || k->to != TW_GAME_07 || !i->as->tiled ||
		!tw_image_is_png(k->m, i->it) || (convert_fits(i->as->w) && convert_fits(i->as->h)))
		return cut(k, i, e);
	r = convert_grown(k, i->it, &pixels, e);
	return r < 0 ? convert_failed(k, i->place, r, e) : put(k, i, &pixels, "scaled ", e);
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
	free(name.text);
	if (!i.name)
		return no_memory(e);
	r = i.it->ints->v[TW_IMG_EXTERNAL] ? check_external(k, &i, e) : check_embedded(k, &i, e);
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
