/* SPDX-License-Identifier: Zlib */
/* What DDNet added to maps, and Teeworlds passes over. */
#include <errno.h>

#include "base/array.h"
#include "formats/teeworlds/convert/work.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/fields.h"

enum { SOUND_CHANNELS = 1 /* of an envelope */, SETTINGS_FILE = 4 /* of info/ */ };

static void leave_out(struct tw_converting *k, struct tw_place place, entry_id id)
{
	convert_done(k, place, "removed ", "%s ignores it", convert_game(k));
	if (!array_room(k->gone, k->n_gone, k->room_gone))
		k->change->error = -ENOMEM;
	else
		k->gone[k->n_gone++] = (struct placement){.id = id, .removed = true};
}

/* What a layer is that Teeworlds does not know; NULL: it does. */
static const char *ignored(const struct tw_item *it)
{
	int32_t type = tw_int(it, TW_LAYER_TYPE, -1);

	if (type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS)
		return "sounds";
	for (const struct json_word *w = tw_kind_words; tw_is_tiles(it) && w->word; w++)
		if (tw_is_special(w->value) && w->value == it->ints->v[TW_TILES_KIND])
			return w->word;
	return NULL;
}

static void check_layer(struct tw_converting *k, uint32_t at)
{
	const struct tw_home *home = &k->m->index->homes[at];
	const struct tw_place place = tw_in_layer(tw_type(k->m, TW_LAYER)->items[at]);
	const char *what = ignored(&k->m->items[place.what]);

	if (!what || !home->group)
		return;
	if (!k->how)
		convert_wrong(k, place, "kind", what, "known", "%s knows no %s layers",
			convert_game(k), what);
	else if (home->shared)
		convert_left(k, place, "stands in several groups, and stays");
	else
		leave_out(k, place, tw_id2(TW_K_LAYER, home->group - 1, at, 0));
}

static void leave_out_all(
	struct tw_converting *k, enum tw_sort sort, bool (*which)(const struct tw_item *it))
{
	const struct tw_type *t = tw_type(k->m, tw_sort_type(sort));

	for (uint32_t i = 0; t && i < t->n; i++)
		if (which(&k->m->items[t->items[i]]))
			leave_out(k, tw_in_object(t->items[i]),
				tw_object_id(sort, ENTRY_ROOT, i, false));
}

static bool any(const struct tw_item *it)
{
	(void)it;
	return true;
}

static bool is_of_sounds(const struct tw_item *it)
{
	return tw_int(it, TW_ENV_CHANNELS, 0) == SOUND_CHANNELS;
}

static void check_settings(struct tw_converting *k)
{
	const struct tw_type *t = tw_type(k->m, TW_INFO);
	const struct tw_place place = {TW_AT_INFO, SETTINGS_FILE};

	if (!t || !tw_blob_of(k->m, &k->m->items[t->items[0]], TW_INFO_SETTINGS))
		return;
	if (!k->how) {
		convert_wrong(k, place, "settings", "there", "none", "%s takes no settings of maps",
			convert_game(k));
		return;
	}
	convert_done(k, place, "removed ", "%s ignores it", convert_game(k));
	tw_change_data(k->change, t->items[0], TW_INFO_SETTINGS, NULL);
}

/* Items of types that no file shows by itself. */
static void leave_out_hidden(struct tw_converting *k)
{
	for (int what = 0; what < TW_N_UUIDS; what++) {
		const struct tw_type *t = tw_uuid_items(k->m, (enum tw_uuid)what);

		for (uint32_t i = 0; t && i < t->n; i++)
			tw_change_remove(k->change, t->items[i]);
	}
}

void convert_ignored(struct tw_converting *k)
{
	if (k->to == TW_GAME_DDNET || (k->how && !k->how->strip))
		return;
	check_settings(k);
	for (uint32_t i = 0; i < k->m->index->n_homes; i++)
		check_layer(k, i);
	if (!k->how)
		return;
	leave_out_all(k, TW_SORT_SOUND, any);
	leave_out_all(k, TW_SORT_ENVELOPE, is_of_sounds);
	leave_out_hidden(k);
}
