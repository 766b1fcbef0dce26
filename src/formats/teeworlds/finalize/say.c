/* SPDX-License-Identifier: Zlib */
/* say: lines for the report. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/names/paths.h"

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

/* What it is called now, or was called at the mount. */
static void name_of(const struct finalizing *s, enum tw_sort sort, const struct tw_slot *slot,
	char dst[NAME_MAX + 1])
{
	const struct tw_item *it = &s->from->items[slot->item];
	bool moved;

	if (slot->placed)
		snprintf(dst, NAME_MAX + 1, "%s", slot->placed->name);
	else if (!tw_path_name(s->from, sort, slot->item, slot->home, dst, &moved))
		snprintf(dst, NAME_MAX + 1, "%.*s%s", it->made ? (int)it->made->size : 0,
			it->made ? (const char *)it->made->data : "",
			tw_ending_of(s->from, sort, it));
}

/* The path of what is called so, in a group. */
static void layer_path(
	const struct finalizing *s, uint32_t group, const char *name, char dst[FINALIZE_PATH_MAX])
{
	char dir[NAME_MAX + 1];

	name_of(s, TW_SORT_GROUP, &s->orders[TW_SORT_GROUP].slots[group], dir);
	snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", dir, name);
}

void finalize_place(
	const struct finalizing *s, const struct placement *p, char dst[FINALIZE_PATH_MAX])
{
	layer_path(s, tw_id_a(p->dir), p->name, dst);
}

void finalize_path(const struct finalizing *s, enum tw_sort sort, uint32_t position,
	char dst[FINALIZE_PATH_MAX])
{
	int64_t home = sort == TW_SORT_LAYER ? tw_group_of(s->from, position) : 0;
	const struct tw_slot *slot = tw_order_slot(&s->orders[sort], position, (uint32_t)home);
	char name[NAME_MAX + 1];

	if (!slot) {
		snprintf(dst, FINALIZE_PATH_MAX, "layer %u", position);
		return;
	}
	name_of(s, sort, slot, name);
	if (sort == TW_SORT_LAYER)
		layer_path(s, slot->group, name, dst);
	else
		snprintf(dst, FINALIZE_PATH_MAX, "%s%s", tw_sorts[sort].path, name);
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
