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

/* What it is called now; false: what it was called at the mount. */
static bool placed_name(const struct tw_slot *slot, char *dst)
{
	if (slot->placed)
		snprintf(dst, NAME_MAX + 1, "%s", slot->placed->name);
	return slot->placed;
}

static void group_name(const struct finalizing *s, uint32_t position, char *dst)
{
	if (!placed_name(&s->orders[TW_SORT_GROUP].slots[position], dst))
		stem_of(s, TW_SORT_GROUP, position, dst);
}

static void layer_path(const struct finalizing *s, uint32_t position, char dst[FINALIZE_PATH_MAX])
{
	int64_t home = tw_group_of(s->from, position);
	const struct tw_slot *slot =
		tw_order_slot(&s->orders[TW_SORT_LAYER], position, (uint32_t)home);
	const struct tw_name_list *list = tw_names(s->from, TW_SORT_LAYER);
	const struct tw_group_at *groups = tw_mounted(s->from)->groups;
	char group[NAME_MAX + 1], stem[NAME_MAX + 1];

	if (!slot) {
		snprintf(dst, FINALIZE_PATH_MAX, "layer %u", position);
		return;
	}
	group_name(s, slot->group, group);
	if (placed_name(slot, stem))
		;
	else if (position >= list->n)
		stem_of(s, TW_SORT_LAYER, position, stem);
	else
		tw_mounted_stem(s->from, TW_SORT_LAYER, slot->home,
			position - groups[slot->home].first, stem);
	snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", group, stem);
}

void finalize_place(
	const struct finalizing *s, const struct placement *p, char dst[FINALIZE_PATH_MAX])
{
	char group[NAME_MAX + 1];

	group_name(s, tw_id_a(p->dir), group);
	snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", group, p->name);
}

void finalize_path(const struct finalizing *s, enum tw_sort sort, uint32_t position,
	char dst[FINALIZE_PATH_MAX])
{
	const struct tw_item *it = tw_item_at(s->from, tw_sort_type(sort), position);
	char name[NAME_MAX + 1];

	if (sort == TW_SORT_LAYER) {
		layer_path(s, position, dst);
		return;
	}
	if (placed_name(&s->orders[sort].slots[position], name)) {
		snprintf(dst, FINALIZE_PATH_MAX, "%s%s", tw_sorts[sort].path, name);
		return;
	}
	stem_of(s, sort, position, name);
	snprintf(dst, FINALIZE_PATH_MAX, "%s%s%s", tw_sorts[sort].path, name,
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
