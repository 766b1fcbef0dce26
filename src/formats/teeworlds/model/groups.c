/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/groups.h"

#include <errno.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/map.h"

static uint32_t count_layers(const struct tw_map *m)
{
	uint32_t n = tw_count(m, TW_LAYER);

	return n <= UINT16_MAX ? n : UINT16_MAX + 1;
}

struct tw_layer_range tw_group_layers(const struct tw_map *m, uint32_t group)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, group);
	uint32_t n = count_layers(m);
	int64_t first = tw_get_int(it, TW_GROUP_START, 0);
	int64_t end = first + tw_get_int(it, TW_GROUP_COUNT, 0);

	first = first > 0 ? first : 0;
	end = end < n ? end : n;
	return first < end ? (struct tw_layer_range){(uint32_t)first, (uint32_t)(end - first)}
			   : (struct tw_layer_range){0};
}

int64_t tw_layer_in_group(const struct tw_map *m, uint32_t group, uint32_t layer)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, group);

	return it ? (int64_t)layer - tw_get_int(it, TW_GROUP_START, 0) : -1;
}

/* Find the first layer from `at` on that is not yet known to be shared. Shortens the chains in
 * next[] on the way, so that many groups with the same layers take no quadratic time. */
static uint32_t skip_shared(uint32_t *next, uint32_t at)
{
	while (next[at] != at) {
		next[at] = next[next[at]];
		at = next[at];
	}
	return at;
}

int tw_index_groups(struct tw_map *m)
{
	uint32_t n = count_layers(m), n_groups = tw_count(m, TW_GROUP);
	CLEANUP(free) uint32_t *next = malloc(((size_t)n + 1) * sizeof(*next));
	struct tw_layer_home *homes = calloc((size_t)n + 1, sizeof(*homes));

	free(m->index->homes);
	m->index->homes = homes;
	m->index->n_homes = n;
	if (!next || !homes)
		return -ENOMEM;
	for (uint32_t i = 0; i <= n; i++)
		next[i] = i;
	for (uint32_t g = 0; g < n_groups; g++) {
		struct tw_layer_range at = tw_group_layers(m, g);
		uint32_t end = at.first + at.n;

		for (uint32_t i = skip_shared(next, at.first); i < end;
			i = skip_shared(next, i + 1)) {
			if (homes[i].group) {
				homes[i].is_shared = true;
				next[i] = i + 1;
			} else {
				homes[i].group = g + 1;
			}
		}
	}
	return 0;
}

int64_t tw_find_group(const struct tw_map *m, int64_t layer)
{
	const struct tw_index *x = m->index;

	return layer < 0 || layer >= x->n_homes ? -1 : (int64_t)x->homes[layer].group - 1;
}

bool tw_layer_is_shared(const struct tw_map *m, int64_t layer)
{
	const struct tw_index *x = m->index;

	return layer >= 0 && layer < x->n_homes && x->homes[layer].is_shared;
}
