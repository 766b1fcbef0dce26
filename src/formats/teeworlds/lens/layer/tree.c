/* SPDX-License-Identifier: Zlib */
/* tree: the directories from groups/ down to a layer's files (layout rules 2, 3, 12, 18). */
#include "formats/teeworlds/lens/layer/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/names/mounted.h"

void tw_touch_layer(
	const struct tw_map *m, uint32_t item, enum tw_kind_id kind, unsigned c, struct touched *t)
{
	int64_t layer = tw_position(m, item);

	if (m->items[item].made_name) {
		touched_add(t, tw_id2(kind, m->items[item].group, (unsigned)layer, c));
		return;
	}
	for (uint32_t g = 0; layer >= 0 && g < tw_shown_groups(m); g++) {
		const struct tw_layer_range *at = tw_mounted_group(m, g);

		if (layer >= at->first && layer - at->first < at->n)
			touched_add(t, tw_id2(kind, g, (unsigned)layer, c));
	}
}

int tw_layer_no_file(const struct tw_item *it, struct error *e)
{
	if (tw_is_empty(it))
		return error_set(e, -ENODATA, "the layer has no valid layer.json yet");
	return error_set(e, -ENOTSUP, "a layer of this kind has no such file");
}

int tw_layer_parse_error(int r, struct error *e)
{
	int code = r == -ENODATA ? -EAGAIN : r == -ENOTSUP ? -EINVAL : r;

	if (e && e->code == r)
		e->code = code;
	return code == -EINVAL ? error_set_unresolved(e, code) : code;
}

const struct tw_item *tw_made_object(const struct tw_map *m, entry_id dir)
{
	const struct tw_item *it = NULL;

	if (tw_id_kind(dir) == TW_K_GROUP || tw_id_kind(dir) == TW_K_LAYERS)
		it = tw_item_at(m, TW_GROUP, tw_id_a(dir));
	else if (tw_id_kind(dir) == TW_K_LAYER)
		it = tw_item_at(m, TW_LAYER, tw_id_b(dir));
	return it && it->made_name ? it : NULL;
}

static int dir_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *)
{
	const struct tw_layer_range *at = tw_mounted_group(m, tw_id_a(id));

	if (!tw_made_object(m, id)) {
		if (!at)
			return -ENOENT;
		if (tw_id_kind(id) == TW_K_LAYER &&
			(tw_id_b(id) < at->first || tw_id_b(id) - at->first >= at->n))
			return -ENOENT;
	}
	tw_stat_dir(ret, false);
	return 0;
}

void tw_layer_file(entry_id id, char dst[NAME_MAX + 1])
{
	static const char *const names[TW_N_KINDS] = {
		[TW_K_GROUP_JSON] = "group.json",
		[TW_K_LAYER_JSON] = "layer.json",
		[TW_K_QUADS] = "quads.json",
		[TW_K_SOURCES] = "sources.json",
	};

	if (tw_id_kind(id) == TW_K_PLANE)
		sprintf(dst, "%s.csv", tw_plane_names[tw_id_c(id)]);
	else
		strcpy(dst, names[tw_id_kind(id)]);
}

/* List layer.json, then the planes or the list that the layer had at the mount. */
static int layer_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	unsigned group = tw_id_a(dir), layer = tw_id_b(dir);
	const struct tw_tile_form *tiles;
	enum tw_form form;

	if (layer >= tw_names(m, TW_SORT_LAYER)->n)
		return 0;
	form = (enum tw_form)tw_mounted(m)->forms[layer];
	tiles = tw_tile_form(form);
	if (*cookie == 0) {
		*ret = tw_id2(TW_K_LAYER_JSON, group, layer, 0);
	} else if (tiles && *cookie <= tiles->n) {
		*ret = tw_id2(TW_K_PLANE, group, layer, tiles->planes[*cookie - 1].plane);
	} else if (form >= TW_FORM_QUADS && *cookie == 1) {
		*ret = tw_id2(form == TW_FORM_QUADS ? TW_K_QUADS : TW_K_SOURCES, group, layer, 0);
	} else {
		return 0;
	}
	tw_layer_file(*ret, name);
	(*cookie)++;
	return 1;
}

const struct tw_kind tw_kind_group = {
	.label = "group/",
	.stat = dir_stat,
	.child = tw_fixed_child,
};

const struct tw_kind tw_kind_layer = {
	.label = "layer/",
	.stat = dir_stat,
	.child = layer_child,
};
