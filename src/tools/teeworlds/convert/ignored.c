/* SPDX-License-Identifier: Zlib */
/* Parts of maps that DDNet added, and that Teeworlds ignores. */
#include <stdio.h>

#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/convert/convert.h"

enum { SOUND_CHANNELS = 1 /* of an envelope */, SETTINGS_FILE = 4 /* of info/ */ };

static void leave_out(struct tw_converting *k, uint32_t item)
{
	char why[32];

	snprintf(why, sizeof(why), "%s ignores it", k->game);
	tw_whole_remove(&k->whole, item, why);
}

/* The kind of a layer that Teeworlds ignores; NULL if Teeworlds knows the layer. */
static const char *describe_ignored(const struct tw_item *it)
{
	int32_t type = tw_get_int(it, TW_LAYER_TYPE, -1);

	if (type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS)
		return "sounds";
	for (const struct json_word *w = tw_kind_words; tw_is_tiles(it) && w->word; w++)
		if (tw_is_special(w->value) && w->value == it->ints->v[TW_TILES_KIND])
			return w->word;
	return NULL;
}

static void check_layer(struct tw_converting *k, uint32_t at)
{
	const struct tw_layer_home *home = &k->m->index->homes[at];
	const struct tw_place place = tw_in_item(tw_type(k->m, TW_LAYER)->items[at]);
	const char *what = describe_ignored(&k->m->items[place.number]);

	if (!what || !home->group)
		return;
	if (!k->how)
		convert_report(
			k, place, "kind", what, "known", "%s has no %s layers", k->game, what);
	else if (home->is_shared)
		tw_whole_report_item(
			&k->whole, WHOLE_LEFT, "", place.number, "it is in several groups");
	else
		leave_out(k, place.number);
}

static void check_settings(struct tw_converting *k)
{
	const struct tw_item *it = tw_item_at(k->m, TW_INFO, 0);
	const struct tw_place place = tw_in_info(SETTINGS_FILE);

	if (!it || !tw_get_blob(k->m, it, TW_INFO_SETTINGS))
		return;
	if (!k->how) {
		convert_report(k, place, "settings", "present", "none",
			"%s ignores settings in maps", k->game);
		return;
	}
	tw_whole_report(&k->whole, WHOLE_DONE, "removed info/settings.cfg: %s ignores it", k->game);
	tw_change_set_data(k->change, (uint32_t)(it - k->m->items), TW_INFO_SETTINGS, NULL);
}

/* Remove sounds, or the envelopes of their volume. */
static void leave_out_sounds(struct tw_converting *k, enum tw_sort sort)
{
	const struct tw_type *t = tw_type(k->m, tw_sort_type(sort));

	for (uint32_t i = 0; t && i < t->n; i++)
		if (sort == TW_SORT_SOUND ||
			tw_get_int(&k->m->items[t->items[i]], TW_ENV_CHANNELS, 0) == SOUND_CHANNELS)
			leave_out(k, t->items[i]);
}

/* Remove UUID items, which have no file of their own. */
static void leave_out_hidden(struct tw_converting *k)
{
	for (int what = 0; what < TW_N_UUIDS; what++) {
		const struct tw_type *t = tw_uuid_items(k->m, (enum tw_uuid)what);

		for (uint32_t i = 0; t && i < t->n; i++)
			tw_change_remove_item(k->change, t->items[i]);
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
	leave_out_sounds(k, TW_SORT_SOUND);
	leave_out_sounds(k, TW_SORT_ENVELOPE);
	leave_out_hidden(k);
}
