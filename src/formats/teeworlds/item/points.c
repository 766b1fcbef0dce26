/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/points.h"

#include <string.h>

#include "formats/teeworlds/model/fields.h"

void tw_points_get_all(const struct tw_map *m, struct tw_points *ret)
{
	*ret = (struct tw_points){
		.item = tw_item_at(m, TW_POINTS, 0),
		.bezier = tw_uuid_item(m, TW_BEZIER, 0),
		.stride = m->index->has_tangents ? TW_POINT_FULL : TW_POINT_PLAIN,
	};
	ret->n = ret->item ? ret->item->ints->n / ret->stride : 0;
	if (ret->bezier && ret->bezier->ints->n != (uint64_t)ret->n * TW_POINT_TANGENTS)
		ret->bezier = NULL;
}

void tw_points_drop_tangents(const struct tw_map *m, uint32_t n, struct tw_change *c)
{
	const struct tw_type *t = tw_uuid_items(m, TW_BEZIER);

	/* If the first item is removed, the next one becomes the first. */
	for (uint32_t i = 0; t && i < t->n; i++) {
		if (m->items[t->items[i]].ints->n != (uint64_t)n * TW_POINT_TANGENTS)
			break;
		tw_change_remove_item(c, t->items[i]);
	}
}

static bool has_own(const struct tw_item *envelope)
{
	return envelope->made_name || envelope->own_data;
}

static uint32_t count_own(const struct tw_item *envelope)
{
	return envelope->own_data ? (envelope->own_data->n - TW_OWN_POINTS) / TW_POINT_FULL : 0;
}

void tw_points_get_envelope(
	const struct tw_map *m, const struct tw_item *envelope, struct tw_points *ret)
{
	tw_points_get_all(m, ret);
	if (!has_own(envelope))
		return;
	*ret = (struct tw_points){
		.own = envelope->own_data ? envelope->own_data->v + TW_OWN_POINTS : NULL,
		.n = count_own(envelope),
		.stride = TW_POINT_FULL,
	};
}

uint64_t tw_points_count(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);
	uint32_t begin, end;
	struct tw_points p;
	uint64_t n;

	tw_points_get_all(m, &p);
	n = p.n;
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct tw_item *it = &m->items[t->items[i]];

		n += count_own(it);
		if (it->made_name || !it->own_data || it->own_data->v[TW_OWN_APPENDED])
			continue;
		tw_points_stored(&p, it, &begin, &end);
		n -= end - begin;
	}
	return n;
}

void tw_points_get(const struct tw_points *p, uint32_t i, int32_t ret[TW_POINT_FULL])
{
	const size_t tangents = TW_POINT_TANGENTS * sizeof(int32_t);

	const int32_t *v = p->own ? p->own : p->item->ints->v;

	memcpy(ret, v + (size_t)i * p->stride, p->stride * sizeof(int32_t));
	if (p->stride == TW_POINT_FULL)
		return;
	if (p->bezier)
		memcpy(ret + TW_POINT_PLAIN, p->bezier->ints->v + (size_t)i * TW_POINT_TANGENTS,
			tangents);
	else
		memset(ret + TW_POINT_PLAIN, 0, tangents);
}

void tw_points_range(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end)
{
	if (!has_own(envelope)) {
		tw_points_stored(p, envelope, begin, end);
		return;
	}
	*begin = 0;
	*end = p->n;
}

void tw_points_stored(
	const struct tw_points *p, const struct tw_item *envelope, uint32_t *begin, uint32_t *end)
{
	int64_t first = tw_get_int(envelope, TW_ENV_START, 0);
	int64_t last = first + tw_get_int(envelope, TW_ENV_COUNT, 0);

	first = first < 0 ? 0 : first > p->n ? p->n : first;
	last = last < first ? first : last > p->n ? p->n : last;
	*begin = (uint32_t)first;
	*end = (uint32_t)last;
}
