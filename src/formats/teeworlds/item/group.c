/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/group.h"

#include "formats/teeworlds/model/fields.h"

enum { ZOOM_MAX = 100 };

struct tw_group_at tw_group_layers(const struct tw_map *m, uint32_t group)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, group);
	uint32_t n = tw_count(m, TW_LAYER);
	int64_t first = tw_int(it, TW_GROUP_START, 0);
	int64_t end = first + tw_int(it, TW_GROUP_COUNT, 0);

	n = n <= UINT16_MAX ? n : UINT16_MAX + 1;
	first = first > 0 ? first : 0;
	end = end < n ? end : n;
	return first < end ? (struct tw_group_at){(uint32_t)first, (uint32_t)(end - first)}
			   : (struct tw_group_at){0};
}

/* The first group from `from` on that has it; -1: none has. */
static int64_t next_group_of(const struct tw_map *m, int64_t layer, uint32_t from)
{
	uint32_t n = tw_count(m, TW_GROUP);

	for (uint32_t i = from; i < n; i++) {
		struct tw_group_at at = tw_group_layers(m, i);

		if (layer >= at.first && layer - at.first < at.n)
			return i;
	}
	return -1;
}

int64_t tw_group_of(const struct tw_map *m, int64_t layer)
{
	return next_group_of(m, layer, 0);
}

bool tw_layer_is_shared(const struct tw_map *m, int64_t layer)
{
	int64_t first = tw_group_of(m, layer);

	return first >= 0 && next_group_of(m, layer, (uint32_t)first + 1) >= 0;
}

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
