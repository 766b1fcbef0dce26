/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/shown.h"

#include <errno.h>

#include "formats/teeworlds/names/mounted.h"

/* Layers are counted within the group that they stand in. */
static int within_group(const struct tw_map *m, uint32_t *position, uint32_t *ret_count)
{
	int64_t group = tw_group_of(m, *position);
	struct tw_group_at at;

	if (group < 0)
		return -ENOENT;
	at = tw_group_layers(m, (uint32_t)group);
	*position -= at.first;
	*ret_count = at.n;
	return 0;
}

int tw_shown_as(const struct snapshot *finalized, entry_id id, char *name)
{
	const struct tw_map *m = tw_map_of(finalized);
	enum tw_sort sort = tw_sort_of(id);
	uint32_t position, count;
	const struct tw_item *it;
	int64_t now;
	int r = 0;

	if (sort == TW_SORTS)
		return -ENOTSUP;
	now = tw_position_after(m, tw_sort_type(sort), tw_object_position(id));
	it = tw_item_at(m, tw_sort_type(sort), now);
	if (!it)
		return -ENOENT;
	position = (uint32_t)now;
	count = tw_count_mounted(m, tw_sort_type(sort));
	if (sort == TW_SORT_LAYER)
		r = within_group(m, &position, &count);
	return r < 0 ? r : tw_name_at(m, sort, it, position, count, name);
}
