/* SPDX-License-Identifier: Zlib */
/* tree: the directories from groups/ down to a layer's files (layout rules 2, 3, 12, 18). */
#include "formats/teeworlds/lens/layer/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/item/convert.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/names/mounted.h"

enum { INDEX_END = 1 << 16 /* what fits an entry's id */ };

static uint32_t n_groups(const struct tw_map *m)
{
	uint32_t n = tw_names(m, TW_N_GROUPS)->n;

	return n < INDEX_END ? n : INDEX_END;
}

static const struct tw_group_at *group_at(const struct tw_map *m, uint32_t group)
{
	return group < n_groups(m) ? &m->shared->names->groups[group] : NULL;
}

void tw_touch_layer(
	const struct tw_map *m, uint32_t item, enum tw_kind_id kind, unsigned c, struct touched *t)
{
	int64_t layer = tw_position(m, item);

	if (m->items[item].made) {
		touched_add(t, tw_id2(kind, m->items[item].group, (unsigned)layer, c));
		return;
	}
	for (uint32_t g = 0; layer >= 0 && g < n_groups(m); g++) {
		const struct tw_group_at *at = group_at(m, g);

		if (layer >= at->first && layer - at->first < at->n)
			touched_add(t, tw_id2(kind, g, (unsigned)layer, c));
	}
}

int tw_layer_lacks(const struct tw_item *it, struct error *e)
{
	if (tw_is_empty(it))
		return error_set(e, -ENODATA, "the layer has no layer.json yet");
	return error_set(e, -ENOTSUP, "the layer is of a kind that has no such file");
}

int tw_layer_refuses(int r, struct error *e)
{
	int code = r == -ENODATA ? -EAGAIN : r == -ENOTSUP ? -EINVAL : r;

	if (e && e->code == r)
		e->code = code;
	return code;
}

int tw_layer_waits(const struct tw_item *it, struct error *e)
{
	return it->waits ? error_set(e, -EAGAIN, "the layer.json beside it names what is not there")
			 : 0;
}

/* The object made since the mount that the directory is, or is of; the names of its files and
 * layers are not the format's to know. */
static const struct tw_item *made_at(const struct tw_map *m, entry_id id)
{
	const struct tw_item *it = NULL;

	if (tw_id_kind(id) == TW_K_GROUP || tw_id_kind(id) == TW_K_LAYERS)
		it = tw_item_at(m, TW_GROUP, tw_id_a(id));
	else if (tw_id_kind(id) == TW_K_LAYER)
		it = tw_item_at(m, TW_LAYER, tw_id_b(id));
	return it && it->made ? it : NULL;
}

static int dir_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	enum tw_kind_id kind = (enum tw_kind_id)tw_id_kind(id);
	const struct tw_group_at *at = group_at(m, tw_id_a(id));
	const struct tw_item *made = made_at(m, id);

	(void)e;
	if (made) {
		tw_stat_dir(ret, kind == TW_K_LAYERS);
		return 0;
	}
	if (kind != TW_K_GROUPS && !at)
		return -ENOENT;
	if (kind == TW_K_LAYER && (tw_id_b(id) < at->first || tw_id_b(id) - at->first >= at->n))
		return -ENOENT;
	tw_stat_dir(ret, kind == TW_K_GROUPS || kind == TW_K_LAYERS);
	return 0;
}

static int groups_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_name_list *list = tw_names(m, TW_N_GROUPS);
	char right[NAME_MAX + 1];
	uint32_t i;

	(void)dir;
	if (tw_name_position(name, strlen(name), list->n, &i) < 0 || i >= n_groups(m))
		return -ENOENT;
	tw_name_write(right, i, list->n, &list->v[i], TW_DIR_MAX);
	*ret = tw_id2(TW_K_GROUP, i, 0, 0);
	return strcmp(right, name) == 0 ? 0 : -ENOENT;
}

static int groups_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	const struct tw_name_list *list = tw_names(m, TW_N_GROUPS);
	uint32_t i = (uint32_t)*cookie;

	(void)dir;
	if (*cookie >= n_groups(m))
		return 0;
	tw_name_write(name, i, list->n, &list->v[i], TW_DIR_MAX);
	*ret = tw_id2(TW_K_GROUP, i, 0, 0);
	(*cookie)++;
	return 1;
}

static int group_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	if (*cookie == 0 && made_at(m, dir))
		*cookie = 1;
	if (*cookie > 1)
		return 0;
	strcpy(name, *cookie ? "layers" : "group.json");
	*ret = tw_id2(*cookie ? TW_K_LAYERS : TW_K_GROUP_JSON, tw_id_a(dir), 0, 0);
	(*cookie)++;
	return 1;
}

/* Number i within the group at `at`. */
static entry_id layer_entry(
	const struct tw_map *m, entry_id dir, const struct tw_group_at *at, uint32_t i, char *name)
{
	const struct tw_name_list *list = tw_names(m, TW_N_LAYERS);

	tw_name_write(name, i, at->n, &list->v[at->first + i], TW_DIR_MAX);
	return tw_id2(TW_K_LAYER, tw_id_a(dir), at->first + i, 0);
}

static int layers_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_group_at *at = group_at(m, tw_id_a(dir));
	char right[NAME_MAX + 1];
	uint32_t i;

	if (!at || tw_name_position(name, strlen(name), at->n, &i) < 0)
		return -ENOENT;
	*ret = layer_entry(m, dir, at, i, right);
	return strcmp(right, name) == 0 ? 0 : -ENOENT;
}

static int layers_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	const struct tw_group_at *at = group_at(m, tw_id_a(dir));

	if (!at || *cookie >= at->n)
		return 0;
	*ret = layer_entry(m, dir, at, (uint32_t)*cookie, name);
	(*cookie)++;
	return 1;
}

/* layer.json, then the planes or the list that the layer had at mount. */
static int layer_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	unsigned group = tw_id_a(dir), layer = tw_id_b(dir);
	const struct tw_tile_form *tiles;
	enum tw_form form;

	if (layer >= tw_names(m, TW_N_LAYERS)->n)
		return 0;
	form = (enum tw_form)m->shared->names->forms[layer];
	tiles = tw_tile_form(form);
	if (*cookie == 0) {
		strcpy(name, "layer.json");
		*ret = tw_id2(TW_K_LAYER_JSON, group, layer, 0);
	} else if (tiles && *cookie <= tiles->n) {
		enum tw_plane plane = tiles->planes[*cookie - 1].plane;

		sprintf(name, "%s.csv", tw_plane_names[plane]);
		*ret = tw_id2(TW_K_PLANE, group, layer, plane);
	} else if (form >= TW_FORM_QUADS && *cookie == 1) {
		strcpy(name, form == TW_FORM_QUADS ? "quads.json" : "sources.json");
		*ret = tw_id2(form == TW_FORM_QUADS ? TW_K_QUADS : TW_K_SOURCES, group, layer, 0);
	} else {
		return 0;
	}
	(*cookie)++;
	return 1;
}

/* For directories of few entries. */
static int find_child(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_kind *kind = tw_kind(dir);
	char child[NAME_MAX + 1];
	uint64_t cookie = 0;

	while (kind->child(m, dir, &cookie, child, ret) == 1)
		if (strcmp(child, name) == 0)
			return 0;
	return -ENOENT;
}

const struct tw_kind tw_kind_groups = {
	.label = "groups/",
	.stat = dir_stat,
	.find = groups_find,
	.child = groups_child,
};

const struct tw_kind tw_kind_group = {
	.label = "group/",
	.stat = dir_stat,
	.find = find_child,
	.child = group_child,
};

const struct tw_kind tw_kind_layers = {
	.label = "layers/",
	.stat = dir_stat,
	.find = layers_find,
	.child = layers_child,
};

const struct tw_kind tw_kind_layer = {
	.label = "layer/",
	.stat = dir_stat,
	.find = find_child,
	.child = layer_child,
};
