/* SPDX-License-Identifier: Zlib */
/* Images that the game has: out of the map, and into it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "codec/image/png.h"
#include "codec/zlib/checksum.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/tidy/tidy.h"

/* A picture of the game's, as it goes by. */
struct picture {
	uint32_t w, h, seen;
};

static int take_sides(void *arg, uint32_t w, uint32_t h, struct error *e)
{
	struct picture *p = arg;

	(void)e;
	*p = (struct picture){w, h, CRC32_START};
	return 0;
}

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct picture *p = arg;

	(void)y, (void)e;
	p->seen = tw_seen(p->seen, rgba, p->w);
	return 0;
}

/* The game's file of that image's name. -ENOENT. */
static int find(const struct tidying *t, uint32_t position, struct extent *ret, struct error *e)
{
	const struct tw_name *n = tidy_name(t, position);
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), "%.*s", n->size, n->text);
	return n->size > NAME_MAX || !t->how->image
		       ? error_set(e, -ENOENT, "no image of the game has its name")
		       : t->how->image(t->how->image_arg, name, ret, e);
}

/* Is it what the game has under its name, but for colours that nobody sees? */
static bool is_games(const struct tidying *t, uint32_t position, const struct tw_item *it)
{
	const struct tw_name *n = tidy_name(t, position);
	struct picture own = {(uint32_t)it->ints->v[TW_IMG_WIDTH],
			       (uint32_t)it->ints->v[TW_IMG_HEIGHT], CRC32_START},
		       games;
	struct png_sink sink = {take_sides, take_row, &games};
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;

	if (tw_image_seen(t->m, it, &own.seen) < 0)
		return false;
	if (!t->how->image)
		return tw_is_game_image(n->text, n->size, own.w, own.h, own.seen);
	return find(t, position, &file, NULL) == 0 && png_decode(&file, &sink, NULL) == 0 &&
	       games.w == own.w && games.h == own.h && games.seen == own.seen;
}

static int make_external(struct tidying *t, uint32_t item, struct error *e)
{
	struct tw_item *it = &t->m->items[item];
	struct tw_ints *v = tw_image_item(
		t->m, it, true, it->ints->v[TW_IMG_WIDTH], it->ints->v[TW_IMG_HEIGHT]);

	if (!v || tw_map_set_data(t->m, item, TW_IMG_DATA, NULL, NULL) < 0) {
		tw_ints_unref(v);
		return error_set(e, -ENOMEM, "out of memory");
	}
	tw_item_ints(it, v);
	tidy_done(t, "external", item, "the game has the same");
	return 0;
}

/* As if the file was copied over it. What cannot be had stays. */
static int embed(struct tidying *t, uint32_t position, uint32_t item, struct error *e)
{
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	struct error why = ERROR_INIT;
	struct snapshot *fresh;
	int r = find(t, position, &file, &why);

	if (r == 0)
		r = t->m->base.format->edit->put(&t->m->base,
			tw_object_id(TW_SORT_IMAGE, ENTRY_ROOT, position, false), &file, NULL,
			&fresh, NULL, &why);
	if (r == -ENOMEM)
		return error_set(e, r, "out of memory");
	if (r < 0) {
		tidy_left(t, item, &why);
		return 0;
	}
	snapshot_unref(&t->m->base);
	t->m = (struct tw_map *)fresh;
	tidy_done(t, "embedded", item, "as the game has it");
	return 0;
}

int tidy_media(struct tidying *t, struct error *e)
{
	int r = 0;

	if (!t->known && (t->how->external || t->how->embed)) {
		tidy_say(t, true, "images: nobody knows what else has a number in the map");
		return 0;
	}
	for (uint32_t i = 0; r == 0 && i < tw_count(t->from, TW_IMAGE); i++) {
		const struct tw_item *it = tidy_item(t, TW_IMAGE, i);
		uint32_t item = it ? (uint32_t)(it - t->m->items) : 0;

		if (it && t->how->external && tw_image_is_png(t->m, it) && is_games(t, i, it))
			r = make_external(t, item, e);
		else if (it && t->how->embed && tw_int(it, TW_IMG_EXTERNAL, 0) != 0)
			r = embed(t, i, item, e);
	}
	return r;
}
