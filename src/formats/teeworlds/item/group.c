/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/group.h"

#include "formats/teeworlds/model/fields.h"

enum { ZOOM_MAX = 100 };

int64_t tw_layer_in_group(const struct tw_map *m, uint32_t group, uint32_t layer)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, group);

	return it ? (int64_t)layer - tw_int(it, TW_GROUP_START, 0) : -1;
}

int32_t tw_group_default_zoom(const struct tw_item *group)
{
	int32_t x = tw_int(group, 3, ZOOM_MAX), y = tw_int(group, 4, ZOOM_MAX);
	int32_t zoom = x > y ? x : y;

	return zoom < 0 ? 0 : zoom > ZOOM_MAX ? ZOOM_MAX : zoom;
}
