/* SPDX-License-Identifier: Zlib */
/*
 * Envelopes: move the tangents of Bezier curves. 0.7 stores them in the points, DDNet in a separate
 * item (item/points.h), and 0.6 does not have such curves.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/convert/convert.h"

enum { CURVE = 1 /* in a point */, BEZIER = 5, WITHOUT_TANGENTS = TW_ENV_TANGENTS_SINCE - 1 };

/* Count the Bezier curves before each point. Returns NULL if memory is exhausted. */
static uint32_t *count_curves(const struct tw_points *p)
{
	uint32_t *n = calloc((size_t)p->n + 1, sizeof(*n));
	int32_t point[TW_POINT_FULL];

	for (uint32_t i = 0; n && i < p->n; i++) {
		tw_points_get(p, i, point);
		n[i + 1] = n[i] + (point[CURVE] == BEZIER);
	}
	return n;
}

static bool is_curved(const struct tw_points *p, const uint32_t *curves, const struct tw_item *it)
{
	uint32_t begin, end;

	tw_points_range(p, it, &begin, &end);
	return curves[end] > curves[begin];
}

/* Copy the integers [from, from + n) of each point. Returns NULL on failure. */
static struct tw_ints *copy_columns(const struct tw_points *p, uint32_t from, uint32_t n)
{
	struct tw_ints *v = (uint64_t)p->n * n <= INT32_MAX / 4 ? tw_ints_new(p->n * n) : NULL;
	int32_t point[TW_POINT_FULL];

	for (uint32_t i = 0; v && i < p->n; i++) {
		tw_points_get(p, i, point);
		memcpy(v->v + (size_t)i * n, point + from, n * sizeof(int32_t));
	}
	return v;
}

static bool is_zero(const struct tw_ints *v)
{
	uint32_t i = 0;

	while (i < v->n && v->v[i] == 0)
		i++;
	return i == v->n;
}

/* Make DDNet's item of tangents from the points of 0.7, in place of an existing one. */
static void put_tangents(struct tw_converting *k, const struct tw_points *p)
{
	const struct tw_item *it = tw_uuid_item(k->m, TW_BEZIER, 0);
	CLEANUP(tw_ints_unref)
	struct tw_ints *v = copy_columns(p, TW_POINT_PLAIN, TW_POINT_TANGENTS);

	if (k->to == TW_GAME_06 && k->how->strip)
		return;
	if (v && is_zero(v))
		tw_points_drop_tangents(k->m, p->n, k->change);
	else if (it)
		tw_change_set_ints(k->change, (uint32_t)(it - k->m->items), TAKE(v));
	else
		tw_change_add_uuid(k->change, TW_BEZIER, TAKE(v));
}

static void put_points(struct tw_converting *k, const struct tw_points *p, bool tangents)
{
	if (p->item)
		tw_change_set_ints(k->change, (uint32_t)(p->item - k->m->items),
			copy_columns(p, 0, tangents ? TW_POINT_FULL : TW_POINT_PLAIN));
	if (tangents)
		tw_points_drop_tangents(k->m, p->n, k->change);
	else if (p->item)
		put_tangents(k, p);
}

/* Must the tangents of an envelope move? A check reports that instead, and returns false. */
static bool check_envelope(
	struct tw_converting *k, const struct tw_points *p, const struct tw_item *it, bool curved)
{
	const struct tw_place place = tw_in_item((uint32_t)(it - k->m->items));
	int32_t version = tw_get_int(it, 0, 0);
	const struct tw_text digits = tw_digits(version);

	if (k->to == TW_GAME_06 && !k->how && curved)
		convert_report(k, place, "curve_type", "bezier", "step to smooth",
			"0.6 draws lines instead of Bezier curves");
	if (k->to == TW_GAME_07 ? !curved || !p->bezier || p->stride == TW_POINT_FULL
				: version < TW_ENV_TANGENTS_SINCE)
		return false;
	if (!k->how && k->to == TW_GAME_07)
		convert_report(k, place, "version", digits.text, "3",
			"its tangents are outside the points, where 0.7 does not read them");
	else if (!k->how)
		convert_report(k, place, "version", digits.text, "at most 2",
			"its points have tangents (only in 0.7)");
	return k->how;
}

int convert_envelopes(struct tw_converting *k, struct error *e)
{
	bool to_07 = k->to == TW_GAME_07;
	CLEANUP(free) uint32_t *curves = NULL;
	struct tw_points p;
	uint32_t n = 0;

	tw_points_get_all(k->m, &p);
	curves = count_curves(&p);
	if (!curves)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < tw_count(k->m, TW_ENVELOPE); i++) {
		const struct tw_item *it = tw_item_at(k->m, TW_ENVELOPE, i);

		if (!check_envelope(k, &p, it, is_curved(&p, curves, it)))
			continue;
		tw_change_set_ints(k->change, (uint32_t)(it - k->m->items),
			tw_envelope_convert(
				it->ints, to_07 ? TW_ENV_TANGENTS_SINCE : WITHOUT_TANGENTS));
		n++;
	}
	if (!n)
		return 0;
	tw_whole_report(&k->whole, WHOLE_DONE,
		"converted envelopes: tangents of %" PRIu32 " are now %s the points, as in %s", n,
		to_07 ? "in" : "outside", to_07 ? "0.7" : "DDNet");
	put_points(k, &p, to_07);
	return 0;
}
