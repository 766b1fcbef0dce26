/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/paths.h"

#include <stdio.h>

#include "formats/teeworlds/model/fields.h"

const char *const tw_info_names[TW_INFO_FILES] = {
	"author", "version", "credits", "license", "settings.cfg"};

/* The position that the item had at the mount; -1: it came later. */
static int64_t mounted_at(const struct tw_map *m, uint32_t item)
{
	return tw_index_position(m->origin ? m->origin : m->index, item);
}

/* The last component of the item's path. group: of a layer, the one that it stood in at the mount,
 * -1: in none. false: the mount has no name for it. */
static bool last_name(const struct tw_map *m, enum tw_sort sort, uint32_t item, int64_t group,
	char dst[NAME_MAX + 1])
{
	int64_t position = mounted_at(m, item);
	uint32_t first, n;
	const struct bytes *placed = m->items[item].placed;

	if (placed) {
		snprintf(dst, NAME_MAX + 1, "%.*s", (int)placed->size, (const char *)placed->data);
		return true;
	}
	if (group < 0 || !tw_mounted_range(m, sort, (uint32_t)group, &first, &n) ||
		position < first || position - first >= n)
		return false;
	tw_mounted_stem(m, sort, (uint32_t)group, (uint32_t)position - first, dst);
	return true;
}

static bool group_name(const struct tw_map *m, uint32_t item, char dst[NAME_MAX + 1])
{
	return last_name(m, TW_SORT_GROUP, item, 0, dst);
}

void tw_path_group(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	char name[NAME_MAX + 1];

	if (group_name(m, item, name))
		snprintf(dst, TW_PATH_MAX, "groups/%s", name);
	else
		snprintf(dst, TW_PATH_MAX, "group %lld", (long long)tw_position(m, item));
}

void tw_path_layer(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	int64_t position = tw_position(m, item), group = tw_group_of(m, position);
	char name[NAME_MAX + 1], dir[NAME_MAX + 1];
	uint32_t handle;

	if (group >= 0 && tw_at(m, TW_GROUP, group, &handle) == 0 && group_name(m, handle, dir)) {
		if (last_name(m, TW_SORT_LAYER, item, mounted_at(m, handle), name)) {
			snprintf(dst, TW_PATH_MAX, "groups/%s/layers/%s", dir, name);
			return;
		}
	}
	snprintf(dst, TW_PATH_MAX, "layer %lld", (long long)position);
}

void tw_path_object(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	const struct tw_item *it = &m->items[item];
	int64_t position = mounted_at(m, item);
	char name[NAME_MAX + 1];
	enum tw_sort sort = TW_SORT_IMAGE;

	while (tw_sorts[sort].type != it->type)
		sort++;
	if (position < 0 || position >= tw_names(m, sort)->n) {
		snprintf(dst, TW_PATH_MAX, "raw/items/%05d_%s", it->type, tw_sorts[sort].noun);
		return;
	}
	tw_mounted_name(m, sort, 0, (uint32_t)position, tw_ending_of(m, sort, it), name);
	snprintf(dst, TW_PATH_MAX, "%s%s", tw_sorts[sort].path, name);
}

void tw_path_item(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	uint16_t type = m->items[item].type;

	switch (m->shared->typed ? type : TW_UUID_INDEX) {
	case TW_INFO:
		snprintf(dst, TW_PATH_MAX, "info");
		break;
	case TW_GROUP:
		tw_path_group(m, item, dst);
		break;
	case TW_LAYER:
		tw_path_layer(m, item, dst);
		break;
	case TW_IMAGE:
	case TW_SOUND:
	case TW_ENVELOPE:
		tw_path_object(m, item, dst);
		break;
	default:
		snprintf(dst, TW_PATH_MAX, "raw/items/%05u", type);
	}
}
