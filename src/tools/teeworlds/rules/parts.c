/* SPDX-License-Identifier: Zlib */
/* Missing information about the map, and parts that are unused, empty, or larger than needed. */
#include <errno.h>
#include <inttypes.h>

#include "formats/teeworlds/item/elements.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/holder.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/rules/look.h"

enum { AUTHOR = 0, LICENSE = 3 };

void tw_rule_info(const struct tw_look *look)
{
	static const uint8_t needed[] = {AUTHOR, LICENSE};
	const struct tw_item *it = tw_item_at(look->m, TW_INFO, 0);

	for (size_t i = 0; i < sizeof(needed); i++) {
		struct blob *b = it ? tw_get_blob(look->m, it, TW_INFO_AUTHOR + needed[i]) : NULL;
		const char *what = tw_info_names[needed[i]];
		char first = '\0';
		size_t n;

		if (b && blob_prefix(b, &first, 1, &n, NULL) < 0)
			continue;
		if (!first)
			tw_warn(look, tw_in_info(needed[i]), what, "", "a text",
				"the map has no %s", what);
	}
}

void tw_rule_unused(const struct tw_look *look)
{
	struct tw_used_objects uses;
	int r = tw_uses_collect(look->m, NULL, &uses);

	look->faults->out_of_memory |= r == -ENOMEM;
	for (int sort = 0; r == 0 && sort < TW_USABLE; sort++) {
		const struct tw_type *t = tw_type(look->m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; t && i < t->n; i++)
			if (!uses.is_used[sort][i])
				tw_warn(look, tw_in_item(t->items[i]), "uses", "0", "at least 1",
					"nothing uses it");
	}
	tw_uses_finish(&uses);
}

static void empty(const struct tw_look *look, uint32_t handle, const char *what)
{
	tw_warn(look, tw_in_item(handle), what, "0", "at least 1", "is empty");
}

static void check_tiles(const struct tw_look *look, uint32_t handle, const struct tw_tiles *t)
{
	struct tw_text is, needs;
	uint32_t w, h;

	if (tw_tiles_min_size(t, &w, &h, NULL) < 0)
		return;
	is = tw_text("%" PRIu32 " x %" PRIu32, t->w, t->h);
	needs = tw_text("%" PRIu32 " x %" PRIu32, w, h);
	if (!h)
		empty(look, handle, "tiles");
	else if (w < t->w || h < t->h)
		tw_warn(look, tw_in_item(handle), "size", is.text, needs.text,
			"is %s tiles (%s are enough)", is.text, needs.text);
}

static void check_layer(const struct tw_look *look, uint32_t handle)
{
	const struct tw_item *it = &look->m->items[handle];
	enum tw_form form = tw_list_form(look->m, it);
	struct tw_tiles t;

	if (form != TW_FORM_NONE && it->ints->v[TW_LIST_COUNT] == 0)
		empty(look, handle, form == TW_FORM_QUADS ? "quads" : "sources");
	else if (tw_is_tiles(it) && it->ints->v[TW_TILES_KIND] == 0 &&
		 tw_get_tiles(look->m, it, &t))
		check_tiles(look, handle, &t);
}

static bool is_empty(const struct tw_played_layer *l)
{
	for (unsigned id = 0; id < 256; id++)
		if (l->ids[id].n)
			return false;
	return l->is_present;
}

/* The editor cannot set these properties of a physics layer. A color hides its tiles from players
 * who show them (ddnet/ddnet issue 6778). */
static void check_properties(const struct tw_look *look, uint32_t handle)
{
	const int32_t *v = look->m->items[handle].ints->v;

	for (unsigned i = 0; i < 4; i++)
		if (v[TW_TILES_COLOR + i] != 255) {
			tw_warn(look, tw_in_item(handle), "color",
				tw_digits(v[TW_TILES_COLOR + i]).text, "255",
				"has a color (a physics layer is white)");
			break;
		}
	if (v[TW_TILES_IMAGE] != -1)
		tw_warn(look, tw_in_item(handle), "image", tw_digits(v[TW_TILES_IMAGE]).text,
			"none", "has an image (a physics layer has none)");
	if (v[TW_LAYER_DETAIL] & 1)
		tw_warn(look, tw_in_item(handle), "detail", "1", "0",
			"is a detail (a physics layer is always shown)");
}

void tw_rule_layers(const struct tw_look *look)
{
	for (unsigned k = TW_GAME; k < TW_N_PLAYED; k++)
		if (look->physics->layers[k].is_present)
			check_properties(look, look->physics->layers[k].handle);
	for (uint32_t i = 0; i < tw_count(look->m, TW_LAYER); i++)
		check_layer(look, tw_type(look->m, TW_LAYER)->items[i]);
	for (unsigned k = TW_FRONT; !look->physics->unread && k < TW_N_PLAYED; k++)
		if (is_empty(&look->physics->layers[k]))
			empty(look, look->physics->layers[k].handle, "tiles");
}
