/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/paths.h"

#include <stdio.h>
#include <string.h>

const char *const tw_info_names[TW_INFO_FILES] = {
	"author", "version", "credits", "license", "settings.cfg"};

bool tw_path_name(const struct tw_map *m, enum tw_sort sort, uint32_t item, uint32_t group,
	char dst[NAME_MAX + 1], bool *ret_moved)
{
	const struct tw_item *it = &m->items[item];
	int64_t at = tw_index_position(m->mounted_index ? m->mounted_index : m->index,
		it->original ? it->original - 1 : item);
	/* A layer shared by groups keeps its place in each of them. */
	bool stays = !m->mounted_index || tw_layer_is_shared(m, tw_position(m, item));
	uint32_t home = sort != TW_SORT_LAYER ? 0 : stays ? group : it->group;
	const struct tw_table_entry *listed;
	uint32_t first, n;

	if (it->placed_name) {
		snprintf(dst, NAME_MAX + 1, "%.*s", (int)it->placed_name->size,
			(const char *)it->placed_name->data);
		*ret_moved = true;
		return true;
	}
	if (!tw_mounted_range(m, sort, home, &first, &n) || at < first || at - first >= n)
		return false;
	listed = tw_listing_at(&tw_mounted(m)->table, sort, home, (uint32_t)at - first);
	*ret_moved = listed && listed->is_moved;
	tw_mounted_name(m, sort, home, (uint32_t)at - first, tw_ending_of(m, sort, it), dst);
	return true;
}

void tw_path_group(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	char name[NAME_MAX + 1];
	bool moved;

	if (tw_path_name(m, TW_SORT_GROUP, item, 0, name, &moved))
		snprintf(dst, TW_PATH_MAX, "groups/%s", name);
	else
		snprintf(dst, TW_PATH_MAX, "group %lld", (long long)tw_position(m, item));
}

void tw_path_layer(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	int64_t position = tw_position(m, item), group = tw_find_group(m, position);
	char name[NAME_MAX + 1];
	uint32_t handle;
	size_t n;
	bool moved;

	if (group >= 0 && tw_find_item(m, TW_GROUP, group, &handle) == 0 &&
		tw_path_name(m, TW_SORT_LAYER, item, (uint32_t)group, name, &moved)) {
		tw_path_group(m, handle, dst);
		n = strlen(dst);
		snprintf(dst + n, TW_PATH_MAX - n, "/layers/%s", name);
	} else {
		snprintf(dst, TW_PATH_MAX, "layer %lld", (long long)position);
	}
}

void tw_path_object(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	const struct tw_item *it = &m->items[item];
	enum tw_sort sort = TW_SORT_IMAGE;
	char name[NAME_MAX + 1];
	bool moved;

	while (tw_sorts[sort].type != it->type)
		sort++;
	if (tw_path_name(m, sort, item, 0, name, &moved))
		snprintf(dst, TW_PATH_MAX, "%s%s", tw_sorts[sort].path, name);
	else
		snprintf(dst, TW_PATH_MAX, "raw/items/%05d_%s", it->type, tw_sorts[sort].noun);
}

void tw_path_item(const struct tw_map *m, uint32_t item, char dst[TW_PATH_MAX])
{
	uint16_t type = m->items[item].type;

	switch (m->shared->is_typed ? type : TW_UUID_INDEX) {
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
