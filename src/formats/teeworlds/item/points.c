/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/points.h"

#include <string.h>

#include "formats/teeworlds/model/fields.h"

void tw_points_of(const struct tw_map *m, struct tw_points *ret)
{
	*ret = (struct tw_points){
		.item = tw_item_at(m, TW_POINTS, 0),
		.bezier = tw_uuid_item(m, TW_BEZIER, 0),
		.stride = m->index->tangents ? TW_POINT_FULL : TW_POINT_PLAIN,
	};
	ret->n = ret->item ? ret->item->ints->n / ret->stride : 0;
	if (ret->bezier && ret->bezier->ints->n != (uint64_t)ret->n * TW_POINT_TANGENTS)
		ret->bezier = NULL;
}

void tw_points_drop_tangents(const struct tw_map *m, uint32_t n, struct tw_change *c)
{
	const struct tw_type *t = tw_uuid_items(m, TW_BEZIER);

	/* When the first goes, the next is the first. */
	for (uint32_t i = 0; t && i < t->n; i++) {
		if (m->items[t->items[i]].ints->n != (uint64_t)n * TW_POINT_TANGENTS)
			break;
		tw_change_remove(c, t->items[i]);
	}
}

void tw_points_for(const struct tw_map *m, const struct tw_item *envelope, struct tw_points *ret)
{
	tw_points_of(m, ret);
	if (!envelope->made)
		return;
	*ret = (struct tw_points){
		.own = envelope->extra,
		.n = envelope->extra ? envelope->extra->n / TW_POINT_FULL : 0,
		.stride = TW_POINT_FULL,
	};
}

uint64_t tw_points_count(const struct tw_map *m)
{
	struct tw_points p;
	uint64_t n;

	tw_points_of(m, &p);
	n = p.n;
	for (uint32_t i = 0; i < tw_count(m, TW_ENVELOPE); i++) {
		const struct tw_item *it = tw_item_at(m, TW_ENVELOPE, i);

		if (it->made && it->extra)
			n += it->extra->n / TW_POINT_FULL;
	}
	return n;
}

void tw_points_get(const struct tw_points *p, uint32_t i, int32_t ret[TW_POINT_FULL])
{
	const size_t tangents = TW_POINT_TANGENTS * sizeof(int32_t);

	const struct tw_ints *v = p->own ? p->own : p->item->ints;

	memcpy(ret, v->v + (size_t)i * p->stride, p->stride * sizeof(int32_t));
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
	int64_t first = envelope->made ? 0 : tw_int(envelope, TW_ENV_START, 0);
	int64_t last = envelope->made ? p->n : first + tw_int(envelope, TW_ENV_COUNT, 0);

	first = first < 0 ? 0 : first > p->n ? p->n : first;
	last = last < first ? first : last > p->n ? p->n : last;
	*begin = (uint32_t)first;
	*end = (uint32_t)last;
}
