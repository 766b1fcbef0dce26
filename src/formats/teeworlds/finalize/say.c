/* SPDX-License-Identifier: Zlib */
/* say: lines for the report. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/lens/media/media.h"
#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/names/reference.h"

void settle_say(struct settling *s, const char *fmt, ...)
{
	char line[2 * SETTLE_PATH_MAX + 256];
	va_list ap;

	if (!s->say)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->say(s->arg, line);
}

/* For groups, names of directories are what stems are for files. */
static void stem_of(const struct settling *s, enum tw_named what, uint32_t position, char *dst)
{
	const struct tw_name_list *list = tw_names(s->from, what);

	if (what == TW_N_GROUPS && position < list->n)
		tw_name_write(dst, position, list->n, &list->v[position], TW_DIR_MAX);
	else
		dst[tw_ref_stem(s->from, what, tw_ref_of(s->from, what, position), dst)] = '\0';
}

/* In the first group that has it. */
static void layer_path(const struct settling *s, uint32_t position, char dst[SETTLE_PATH_MAX])
{
	const struct tw_name_list *list = tw_names(s->from, TW_N_LAYERS);
	const struct tw_group_at *groups = s->from->shared->names->groups;
	char group[NAME_MAX + 1], stem[NAME_MAX + 1];
	uint32_t g = 0;

	if (position >= list->n) {
		stem_of(s, TW_N_LAYERS, position, stem);
		stem_of(s, TW_N_GROUPS, tw_item_at(s->from, TW_LAYER, position)->group, group);
		snprintf(dst, SETTLE_PATH_MAX, "groups/%s/layers/%s", group, stem);
		return;
	}
	while (g < tw_names(s->from, TW_N_GROUPS)->n &&
		(position < groups[g].first || position - groups[g].first >= groups[g].n))
		g++;
	if (g == tw_names(s->from, TW_N_GROUPS)->n) {
		snprintf(dst, SETTLE_PATH_MAX, "layer %u", position);
		return;
	}
	stem_of(s, TW_N_GROUPS, g, group);
	tw_name_write(
		stem, position - groups[g].first, groups[g].n, &list->v[position], TW_DIR_MAX);
	snprintf(dst, SETTLE_PATH_MAX, "groups/%s/layers/%s", group, stem);
}

void settle_place(const struct settling *s, const struct placement *p, char dst[SETTLE_PATH_MAX])
{
	const struct tw_roster *groups = &s->rosters[TW_N_GROUPS];
	char group[NAME_MAX + 1];

	stem_of(s, TW_N_GROUPS, tw_id_a(p->dir), group);
	for (uint32_t i = 0; i < groups->n_here; i++)
		if (groups->seats[i].at == tw_id_a(p->dir) && groups->seats[i].placed)
			snprintf(group, sizeof(group), "%s", groups->seats[i].placed->name);
	snprintf(dst, SETTLE_PATH_MAX, "groups/%s/layers/%s", group, p->name);
}

void settle_path(
	const struct settling *s, enum tw_named what, uint32_t position, char dst[SETTLE_PATH_MAX])
{
	const struct tw_item *it = tw_item_at(s->from, tw_named_type(what), position);
	char stem[NAME_MAX + 1];
	bool json;

	stem_of(s, what, position, stem);
	switch (what) {
	case TW_N_IMAGES:
		json = !tw_image_is_png(s->from, it);
		snprintf(dst, SETTLE_PATH_MAX, "images/%s%s", stem, json ? ".json" : ".png");
		break;
	case TW_N_SOUNDS:
		json = !tw_sound_is_opus(s->from, it);
		snprintf(dst, SETTLE_PATH_MAX, "sounds/%s%s", stem, json ? ".json" : ".opus");
		break;
	case TW_N_ENVELOPES:
		snprintf(dst, SETTLE_PATH_MAX, "envelopes/%s.json", stem);
		break;
	case TW_N_GROUPS:
		snprintf(dst, SETTLE_PATH_MAX, "groups/%s", stem);
		break;
	default:
		layer_path(s, position, dst);
		break;
	}
}

void settle_say_games(struct settling *s)
{
	unsigned n;
	const struct tw_item *used = tw_game_layer(s->to, &n);
	const struct tw_type *layers = tw_type(s->to, TW_LAYER);
	char path[TW_WHERE_MAX];
	bool fresh = false;

	for (uint32_t i = 0; n > 1 && i < layers->n; i++) {
		uint32_t item = layers->items[i];

		fresh |= tw_is_game(&s->to->items[item]) && item < s->from->n_items &&
			 s->from->items[item].made;
	}
	if (!fresh)
		return;
	tw_where_layer(s->to, (uint32_t)(used - s->to->items), path);
	settle_say(s, "of %u game layers a game uses the last one only, %s", n, path);
}
