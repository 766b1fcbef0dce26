/* SPDX-License-Identifier: Zlib */
/* Objects of the changed map that can be used instead of a copy: those of the same name that are
 * equal. The name counts, because rules of automatic mapping and games go by it. An object without
 * a name is never reused. */
#include <errno.h>
#include <string.h>

#include "codec/blob_equal.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/cp/cp.h"

enum { CURVE = 1 /* in a point */, BEZIER = 5 };

bool tw_cp_is_curved(const struct tw_points *p, uint32_t begin, uint32_t end)
{
	int32_t point[TW_POINT_FULL];

	for (; begin < end; begin++) {
		tw_points_get(p, begin, point);
		if (point[CURVE] == BEZIER)
			return true;
	}
	return false;
}

static bool equal_int(const struct tw_item *a, const struct tw_item *b, uint32_t field)
{
	return tw_get_int(a, field, 0) == tw_get_int(b, field, 0);
}

static bool equal_envelope(
	const struct tw_copying *k, const struct tw_item *a, const struct tw_item *b)
{
	int32_t point[TW_POINT_FULL], other[TW_POINT_FULL];
	struct tw_points p, q;
	uint32_t i, end, j, end_b;
	size_t size;

	tw_points_get_envelope(k->from, a, &p);
	tw_points_range(&p, a, &i, &end);
	tw_points_get_envelope(k->to, b, &q);
	tw_points_range(&q, b, &j, &end_b);
	if (end - i != end_b - j || !equal_int(a, b, TW_ENV_CHANNELS) ||
		!equal_int(a, b, TW_ENV_SYNCHRONIZED))
		return false;
	/* Nothing uses the tangents of other curves. */
	size = (tw_cp_is_curved(&p, i, end) ? TW_POINT_FULL : TW_POINT_PLAIN) * sizeof(int32_t);
	for (; i < end; i++, j++) {
		tw_points_get(&p, i, point);
		tw_points_get(&q, j, other);
		if (memcmp(point, other, size) != 0)
			return false;
	}
	return true;
}

/* Are two images or sounds of one name equal? Both are external, or both have the same content. */
static int equal_media(const struct tw_copying *k, enum tw_sort sort, const struct tw_item *a,
	const struct tw_item *b, bool *ret, struct error *e)
{
	bool image = sort == TW_SORT_IMAGE;
	uint32_t external = image ? TW_IMG_EXTERNAL : TW_SND_EXTERNAL;
	uint32_t data = image ? TW_IMG_DATA : TW_SND_DATA;
	int r;

	*ret = tw_get_int(a, external, 0) && tw_get_int(b, external, 0);
	if (*ret || !tw_sorts[sort].is_embedded(k->from, a) ||
		!tw_sorts[sort].is_embedded(k->to, b))
		return 0;
	if (image && (!equal_int(a, b, TW_IMG_WIDTH) || !equal_int(a, b, TW_IMG_HEIGHT)))
		return 0;
	r = blob_equal(tw_get_blob(k->to, b, data), tw_get_blob(k->from, a, data), ret, e);
	/* Damaged content equals none. If it is that of `from`, copying refuses it. */
	*ret &= r == 0;
	if (r == -EIO)
		error_clear(e);
	return r == -EIO ? 0 : r;
}

int tw_cp_find_equal(const struct tw_copying *k, enum tw_sort sort, uint32_t position, int64_t *ret,
	struct error *e)
{
	const struct tw_item *it = tw_item_at(k->from, tw_sort_type(sort), position), *other;
	const struct tw_name *name = &tw_names(k->from, sort)->v[position];
	const struct tw_name_list *list = tw_names(k->to, sort);
	bool equal = false;
	int r = 0;

	*ret = -1;
	for (uint32_t i = 0; r == 0 && !equal && name->size && i < list->n; i++) {
		if (list->v[i].size != name->size ||
			memcmp(list->v[i].text, name->text, name->size) != 0)
			continue;
		other = tw_item_at(k->to, tw_sort_type(sort), i);
		if (sort == TW_SORT_ENVELOPE)
			equal = equal_envelope(k, it, other);
		else
			r = equal_media(k, sort, it, other, &equal, e);
		*ret = equal ? (int64_t)i : -1;
	}
	return r;
}
