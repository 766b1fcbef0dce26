/* SPDX-License-Identifier: Zlib */
/* Make images external that the game has, or embed them. */
#include <errno.h>
#include <stdio.h>

#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/preview/game.h"
#include "tools/teeworlds/tidy/tidy.h"

/* Put the game's version of an image into the map, as if the file was copied over the image. *ret
 * is NULL if the image is the same already. */
static int put_games(
	const struct tidying *t, uint32_t position, struct snapshot **ret, struct error *e)
{
	entry_id id = tw_object_id(TW_SORT_IMAGE, ENTRY_ROOT, position, false);
	const struct tw_name *n = tidy_name(t, position);
	CLEANUP_EXTENT struct extent file = EXTENT_INIT;
	char name[NAME_MAX + 1];
	int r;

	*ret = NULL;
	snprintf(name, sizeof(name), "%.*s", n->size, n->text ? n->text : "");
	r = tw_find_image(t->m, t->whole.calls->image, t->how->images, name, &file, NULL);
	return r < 0 ? error_set(e, r, "%.127s.png not found", name)
		     : format_put_file(&t->m->base, id, &file, NULL, ret, e);
}

/* Does the image equal the game's image of that name, apart from invisible colors? */
static bool is_games(const struct tidying *t, uint32_t position, const struct tw_item *it)
{
	const struct tw_name *n = tidy_name(t, position);
	const int32_t *own = it->ints->v, *games;
	CLEANUP(snapshot_unref) struct snapshot *with = NULL;
	uint32_t seen, games_seen;

	if (tw_image_checksum(t->m, it, &seen) < 0)
		return false;
	if (!t->how->images)
		return tw_is_game_image(n->text, n->size, (uint32_t)own[TW_IMG_WIDTH],
			(uint32_t)own[TW_IMG_HEIGHT], seen);
	if (put_games(t, position, &with, NULL) < 0)
		return false;
	if (!with)
		return true;
	it = tw_item_at(tw_map_of(with), TW_IMAGE, position);
	games = it->ints->v;
	return games[TW_IMG_WIDTH] == own[TW_IMG_WIDTH] &&
	       games[TW_IMG_HEIGHT] == own[TW_IMG_HEIGHT] &&
	       tw_image_checksum(tw_map_of(with), it, &games_seen) == 0 && games_seen == seen;
}

static int make_external(struct tidying *t, uint32_t item, struct error *e)
{
	struct tw_item *it = &t->m->items[item];
	struct tw_ints *v = tw_new_image_ints(
		t->m, it, true, it->ints->v[TW_IMG_WIDTH], it->ints->v[TW_IMG_HEIGHT]);

	if (!v || tw_map_set_data(t->m, item, TW_IMG_DATA, NULL, NULL) < 0) {
		tw_ints_unref(v);
		return error_set(e, -ENOMEM, "out of memory");
	}
	tw_item_replace_ints(it, v);
	tw_whole_report_item(&t->whole, WHOLE_DONE, "external", item, "the game has the same");
	return 0;
}

/* Embed an external image. An image that is not found stays external. */
static int embed_image(struct tidying *t, uint32_t position, uint32_t item, struct error *e)
{
	struct error why = ERROR_INIT;
	struct snapshot *fresh;
	int r = put_games(t, position, &fresh, &why);

	if (r == -ENOMEM)
		return error_set(e, r, "out of memory");
	if (r < 0) {
		tw_whole_report_item(&t->whole, WHOLE_LEFT, "", item, "%s", error_text(&why));
		return 0;
	}
	snapshot_unref(&t->m->base);
	t->m = (struct tw_map *)fresh;
	tw_whole_report_item(&t->whole, WHOLE_DONE, "embedded", item, "from the game");
	return 0;
}

int tidy_media(struct tidying *t, struct error *e)
{
	int r = 0;

	if (!t->known && (t->how->external || t->how->embed)) {
		tw_whole_report(&t->whole, WHOLE_LEFT,
			"images: cannot tell what else refers to them by number");
		return 0;
	}
	for (uint32_t i = 0; r == 0 && i < tw_count(t->whole.from, TW_IMAGE); i++) {
		const struct tw_item *it = tidy_item(t, TW_IMAGE, i);
		uint32_t item = it ? (uint32_t)(it - t->m->items) : 0;

		if (it && t->how->external && tw_image_is_png(t->m, it) && is_games(t, i, it))
			r = make_external(t, item, e);
		else if (it && t->how->embed && tw_get_int(it, TW_IMG_EXTERNAL, 0) != 0)
			r = embed_image(t, i, item, e);
	}
	return r;
}
