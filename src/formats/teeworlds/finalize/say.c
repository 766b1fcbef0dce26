/* SPDX-License-Identifier: Zlib */
/* say: lines for the report. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/names/reference.h"

void finalize_say(struct finalizing *s, const char *fmt, ...)
{
	char line[2 * FINALIZE_PATH_MAX + 256];
	va_list ap;

	if (!s->say)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->say(s->arg, line);
}

static void stem_of(const struct finalizing *s, enum tw_sort sort, uint32_t position, char *dst)
{
	dst[tw_ref_stem(s->from, sort, tw_ref_of(s->from, sort, position), dst)] = '\0';
}

/* In the first group that has it. */
static void layer_path(const struct finalizing *s, uint32_t position, char dst[FINALIZE_PATH_MAX])
{
	const struct tw_name_list *list = tw_names(s->from, TW_SORT_LAYER);
	const struct tw_group_at *groups = tw_mounted(s->from)->groups;
	char group[NAME_MAX + 1], stem[NAME_MAX + 1];
	uint32_t g = 0;

	if (position >= list->n) {
		stem_of(s, TW_SORT_LAYER, position, stem);
		stem_of(s, TW_SORT_GROUP, tw_item_at(s->from, TW_LAYER, position)->group, group);
		snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", group, stem);
		return;
	}
	while (g < tw_names(s->from, TW_SORT_GROUP)->n &&
		(position < groups[g].first || position - groups[g].first >= groups[g].n))
		g++;
	if (g == tw_names(s->from, TW_SORT_GROUP)->n) {
		snprintf(dst, FINALIZE_PATH_MAX, "layer %u", position);
		return;
	}
	stem_of(s, TW_SORT_GROUP, g, group);
	tw_name_write(stem, position - groups[g].first, groups[g].n, &list->v[position], NAME_MAX);
	snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", group, stem);
}

void finalize_place(
	const struct finalizing *s, const struct placement *p, char dst[FINALIZE_PATH_MAX])
{
	const struct tw_order *groups = &s->orders[TW_SORT_GROUP];
	char group[NAME_MAX + 1];

	stem_of(s, TW_SORT_GROUP, tw_id_a(p->dir), group);
	for (uint32_t i = 0; i < groups->n_here; i++)
		if (groups->slots[i].at == tw_id_a(p->dir) && groups->slots[i].placed)
			snprintf(group, sizeof(group), "%s", groups->slots[i].placed->name);
	snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", group, p->name);
}

void finalize_path(const struct finalizing *s, enum tw_sort sort, uint32_t position,
	char dst[FINALIZE_PATH_MAX])
{
	const struct tw_item *it = tw_item_at(s->from, tw_sort_type(sort), position);
	char stem[NAME_MAX + 1];

	if (sort == TW_SORT_LAYER) {
		layer_path(s, position, dst);
		return;
	}
	stem_of(s, sort, position, stem);
	snprintf(dst, FINALIZE_PATH_MAX, "%s%s%s", tw_sorts[sort].path, stem,
		tw_ending_of(s->from, sort, it));
}

void finalize_say_games(struct finalizing *s)
{
	unsigned n;
	const struct tw_item *used = tw_game_layer(s->to, &n);
	const struct tw_type *layers = tw_type(s->to, TW_LAYER);
	char path[TW_PATH_MAX];
	bool fresh = false;

	for (uint32_t i = 0; n > 1 && i < layers->n; i++) {
		uint32_t item = layers->items[i];

		fresh |= tw_is_game(&s->to->items[item]) && item < s->from->n_items &&
			 s->from->items[item].made;
	}
	if (!fresh)
		return;
	tw_path_layer(s->to, (uint32_t)(used - s->to->items), path);
	finalize_say(s, "of %u game layers a game uses the last one only, %s", n, path);
}
