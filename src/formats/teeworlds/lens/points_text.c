/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/points_text.h"

#include <errno.h>

#include "formats/teeworlds/model/fields.h"

enum { EVERY = 256 /* points between two that are remembered */ };

static const struct json_word curve_words[] = {
	{"step", 0},
	{"linear", 1},
	{"slow", 2},
	{"fast", 3},
	{"smooth", 4},
	{"bezier", 5},
	{NULL, 0},
};

const struct tw_key tw_point_keys[] = {
	{"time", .at = 0, .n = 1},
	{"curve_type", .at = 1, .n = 1, .initial = 1, .words = curve_words},
	{"values", .at = 2, .n = 4},
	{"in_tangent_dx", .at = 6, .n = 4},
	{"in_tangent_dy", .at = 10, .n = 4},
	{"out_tangent_dx", .at = 14, .n = 4},
	{"out_tangent_dy", .at = 18, .n = 4},
	{NULL},
};

const char tw_points_key[] = "points";

/* An envelope's points. */
struct listing {
	const struct tw_map *m;
	const struct tw_item *envelope;
	struct tw_points p;
	uint32_t begin, end;
	uint32_t ints; /* of a point, that are shown */
	uint64_t key;
};

/* Where texts begin, from the first one's begin on. */
struct offsets {
	uint64_t key;
	uint64_t off[]; /* of the points 0, EVERY, 2 * EVERY ... */
};

/* Tangents are shown where the map stores them; with a new envelope it will where they say
 * something. */
static bool shows_tangents(
	const struct tw_map *m, const struct tw_item *it, const struct tw_points *p)
{
	struct tw_points all;

	if (!it->made)
		return tw_points_have_tangents(p);
	tw_points_of(m, &all);
	if (it->ints->v[0] >= TW_ENV_TANGENTS_SINCE || tw_points_have_tangents(&all))
		return true;
	for (uint32_t i = 0; i < p->n * TW_POINT_FULL; i++)
		if (i % TW_POINT_FULL >= TW_POINT_PLAIN && p->own->v[i] != 0)
			return true;
	return false;
}

static void write_point(struct jsonw *w, const struct listing *l, uint32_t i)
{
	int32_t v[TW_POINT_FULL];
	const struct tw_record rec = {.keys = tw_point_keys, .v = v, .n = l->ints};

	tw_points_get(&l->p, i, v);
	jsonw_object(w);
	tw_record_write(w, l->m, &rec);
	jsonw_end(w);
}

static int measure(void *arg, struct bytes **ret, struct error *e)
{
	const struct listing *l = arg;
	struct offsets *o;
	struct jsonw w;
	uint64_t first;
	uint8_t *data;

	*ret = bytes_new(sizeof(*o) + ((l->end - l->begin) / EVERY + 1) * sizeof(o->off[0]), &data);
	if (!*ret)
		return error_set(e, -ENOMEM, "no memory for the offsets of points");
	o = (struct offsets *)data;
	o->key = l->key;
	jsonw_to_nowhere(&w);
	jsonw_object(&w);
	jsonw_key(&w, tw_points_key);
	jsonw_array(&w);
	first = w.size;
	for (uint32_t i = l->begin; i < l->end; i++) {
		if ((i - l->begin) % EVERY == 0)
			o->off[(i - l->begin) / EVERY] = w.size - first;
		write_point(&w, l, i);
	}
	return 0;
}

/* Goes on at the last remembered point that begins at off or before. */
static int skip(
	struct jsonw *w, struct listing *l, uint64_t off, uint32_t *ret_first, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	uint64_t first = w->size;
	const struct offsets *o;
	size_t low = 0, high;
	int r = blob_derive(l->m->shared->points, l->key, measure, l, &b, e);

	if (r < 0)
		return r;
	o = (const struct offsets *)b->data;
	for (high = (l->end - l->begin - 1) / EVERY + 1; high - low > 1;) {
		size_t mid = low + (high - low) / 2;

		*(o->off[mid] <= off - first ? &low : &high) = mid;
	}
	if (low) {
		/* So that the writer knows of one before. */
		jsonw_object(w);
		jsonw_end(w);
		w->size = first + o->off[low];
	}
	*ret_first = l->begin + (uint32_t)low * EVERY;
	return 0;
}

int tw_points_write(struct jsonw *w, const struct tw_map *m, const struct tw_item *envelope,
	uint64_t off, struct error *e)
{
	struct listing l = {.m = m, .envelope = envelope};
	uint32_t i;
	int r = 0;

	tw_points_for(m, envelope, &l.p);
	tw_points_range(&l.p, envelope, &l.begin, &l.end);
	l.ints = shows_tangents(m, envelope, &l.p) ? TW_POINT_FULL : TW_POINT_PLAIN;
	/* No other version has the serial, and there are not so many of them. */
	l.key = m->serial << 32 | (uint32_t)(envelope - m->items);
	jsonw_key(w, tw_points_key);
	jsonw_array(w);
	i = l.begin;
	if (l.end - l.begin > TW_POINTS_AT_ONCE && off > w->size)
		r = skip(w, &l, off, &i, e);
	if (r < 0)
		return r;
	for (; i < l.end && !jsonw_done(w); i++)
		write_point(w, &l, i);
	if (i == l.end)
		jsonw_end(w);
	return 0;
}
