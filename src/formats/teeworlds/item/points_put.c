/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"

/* Does this envelope use the points [begin, end)? Its item decides, even if the map has fewer
 * points. An empty range counts as used if it is between two points of the envelope. */
static bool overlaps(const struct tw_item *it, int64_t begin, int64_t end)
{
	int64_t first = it->ints->v[TW_ENV_START];
	int64_t last = first + it->ints->v[TW_ENV_COUNT];

	return first < last && first < end && begin < last;
}

/* Decide whether new points replace the old ones or, if other envelopes use those, come last. */
static int find_place(
	const struct tw_map *m, const struct tw_item *own, bool *ret_append, struct error *e)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);
	bool shared = false, beyond = false;
	struct tw_points old;
	uint32_t begin, end;

	tw_points_get_all(m, &old);
	tw_points_range(&old, own, &begin, &end);
	for (uint32_t i = 0; i < t->n_base; i++) {
		const struct tw_item *it = &m->items[t->items[i]];

		/* An envelope with own points uses no old ones. */
		if (it == own || it->own_data || it->ints->n <= TW_ENV_COUNT)
			continue;
		shared |= overlaps(it, begin, end);
		beyond |= overlaps(it, old.n, INT64_MAX);
	}
	if (shared && beyond)
		return error_set_unresolved(e,
			error_set(e, -EINVAL,
				"other envelopes use these points and points beyond the map's (%u)",
				old.n));
	*ret_append = shared;
	return 0;
}

int tw_points_set_own(struct tw_change *c, uint32_t item, struct tw_ints *take,
	const int32_t (*points)[TW_POINT_FULL], uint32_t n, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *ints = take, *own = NULL;
	const struct tw_item *it = &c->base->items[item];
	bool append = false;
	int r = it->made_name ? 0 : find_place(c->base, it, &append, e);

	if (r < 0)
		return r;
	own = tw_ints_new(TW_OWN_POINTS + n * TW_POINT_FULL);
	if (!own)
		return error_set(e, -ENOMEM, "out of memory");
	own->v[TW_OWN_VERSION] = tw_get_int(it, 0, 0);
	own->v[TW_OWN_APPENDED] = append;
	if (n)
		memcpy(own->v + TW_OWN_POINTS, points, n * sizeof(*points));
	tw_change_set_extra(c, item, TAKE(own));
	tw_change_set_ints(c, item, TAKE(ints));
	return 0;
}
