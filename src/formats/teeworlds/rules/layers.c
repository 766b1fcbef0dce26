/* SPDX-License-Identifier: Zlib */
/* Layers that show nothing, or are larger than what they show. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/rules/look.h"

/* Columns and rows up to the last tile that is not air. */
struct shown {
	uint32_t w, columns, rows;
};

static void measure(void *arg, uint32_t at, const uint8_t *tile)
{
	struct shown *x = arg;

	if (!tile[0])
		return;
	if (at % x->w >= x->columns)
		x->columns = at % x->w + 1;
	x->rows = at / x->w + 1;
}

static void empty(const struct tw_look *look, uint32_t handle, const char *what)
{
	tw_warn(look, tw_in_layer(handle), what, "0", "at least 1", "is empty");
}

/* The last column and row go on for ever, so one of air is needed beyond the last tile; and 2 of
 * each is the least. */
static uint32_t enough(uint32_t last, uint32_t all)
{
	uint32_t n = last + 1 < 2 ? 2 : last + 1;

	return n < all ? n : all;
}

static void check_tiles(const struct tw_look *look, uint32_t handle, const struct tw_tiles *t)
{
	struct shown x = {.w = t->w};
	char is[32], needs[32];
	uint32_t w, h;

	if (tw_each_tile(t, measure, &x, NULL) < 0)
		return;
	if (!x.rows) {
		empty(look, handle, "tiles");
		return;
	}
	w = enough(x.columns, t->w);
	h = enough(x.rows, t->h);
	snprintf(is, sizeof(is), "%" PRIu32 " x %" PRIu32, t->w, t->h);
	snprintf(needs, sizeof(needs), "%" PRIu32 " x %" PRIu32, w, h);
	if (w < t->w || h < t->h)
		tw_warn(look, tw_in_layer(handle), "size", is, needs, "is %s tiles (%s are enough)",
			is, needs);
}

static void check_layer(const struct tw_look *look, uint32_t handle)
{
	const struct tw_item *it = &look->m->items[handle];
	enum tw_form form = tw_list_form(look->m, it);
	struct tw_tiles t;

	if (form != TW_FORM_NONE && it->ints->v[TW_LIST_COUNT] == 0)
		empty(look, handle, form == TW_FORM_QUADS ? "quads" : "sources");
	else if (tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] == 0 && tw_tiles_of(look->m, it, &t))
		check_tiles(look, handle, &t);
}

static bool is_empty(const struct tw_played_layer *l)
{
	for (unsigned id = 0; id < 256; id++)
		if (l->ids[id].n)
			return false;
	return l->there;
}

void tw_rule_layers(const struct tw_look *look)
{
	for (uint32_t i = 0; i < tw_count(look->m, TW_LAYER); i++)
		check_layer(look, tw_type(look->m, TW_LAYER)->items[i]);
	for (unsigned k = TW_FRONT; !look->physics->unread && k < TW_N_PLAYED; k++)
		if (is_empty(&look->physics->layers[k]))
			empty(look, look->physics->layers[k].handle, "tiles");
}
