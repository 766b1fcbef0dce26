/* SPDX-License-Identifier: Zlib */
/* envelope: an envelope with its points as JSON (layout rules 16, 19). */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/rows.h"
#include "formats/teeworlds/model/fields.h"

enum { JSON_MAX = 512 << 20 };
enum { SYNCHRONIZED_SINCE = 2, COLOR_CHANNELS = 4 };
enum { POINTS_MAX = 1 << 18 /* points that a written map may have */ };

static const struct tw_key keys[] = {
	{"version", .first = 0, .n = 1},
	{"channels", .first = TW_ENV_CHANNELS, .n = 1, .is_fixed = true},
	{"synchronized", .first = TW_ENV_SYNCHRONIZED, .n = 1, .version = SYNCHRONIZED_SINCE,
		.words = json_flags},
	{NULL},
};

static const struct tw_layout layout = {
	.keys = keys, .type = TW_ENVELOPE, .convert = tw_envelope_convert};

static const struct json_word curve_words[] = {
	{"step", 0},
	{"linear", 1},
	{"slow", 2},
	{"fast", 3},
	{"smooth", 4},
	{"bezier", 5},
	{NULL, 0},
};

static const char points_key[] = "points";

static const struct tw_key point_keys[] = {
	{"time", .first = 0, .n = 1},
	{"curve_type", .first = 1, .n = 1, .initial = 1, .words = curve_words},
	{"values", .first = 2, .n = 4},
	{"in_tangent_dx", .first = 6, .n = 4},
	{"in_tangent_dy", .first = 10, .n = 4},
	{"out_tangent_dx", .first = 14, .n = 4},
	{"out_tangent_dy", .first = 18, .n = 4},
	{NULL},
};

struct points {
	struct tw_points all;
	uint32_t first;
	struct tw_rows rows;
};

static int get_point(void *arg, uint32_t i, int32_t *v, struct error *)
{
	const struct points *p = arg;

	tw_points_get(&p->all, p->first + i, v);
	return 0;
}

/* Find the points of an envelope. ret refers to itself, so it must not be moved. */
static void init_points(const struct tw_map *m, const struct tw_item *it, struct points *ret)
{
	uint32_t end;

	tw_points_get_envelope(m, it, &ret->all);
	tw_points_range(&ret->all, it, &ret->first, &end);
	/* No other version of the map has this serial, and serials fit 32 bits. */
	ret->rows = (struct tw_rows){.m = m,
		.keys = point_keys,
		.n = end - ret->first,
		.n_ints = TW_POINT_FULL,
		.get = get_point,
		.arg = ret,
		.blob = m->shared->points,
		.key = m->serial << 32 | (uint32_t)(it - m->items)};
}

/* Show tangents if the map stores them. A new envelope is shown with them if the map will store
 * them, because of this envelope or another one. */
static bool shows_tangents(
	const struct tw_map *m, const struct tw_item *it, const struct tw_points *p)
{
	struct tw_points all;

	if (!it->made_name)
		return tw_points_have_tangents(p);
	tw_points_get_all(m, &all);
	if (it->ints->v[0] >= TW_ENV_TANGENTS_SINCE || tw_points_have_tangents(&all))
		return true;
	for (uint32_t i = 0; i < p->n * TW_POINT_FULL; i++)
		if (i % TW_POINT_FULL >= TW_POINT_PLAIN && p->own[i] != 0)
			return true;
	return false;
}

/* Find an envelope that can be read. -ENODATA: it is new and has no content yet. */
static int find_content(
	const struct tw_map *m, entry_id id, const struct tw_item **ret, struct error *e)
{
	*ret = tw_item_at(m, TW_ENVELOPE, tw_id_index(id));
	if (!*ret)
		return error_set(e, -ENOENT, "no such envelope");
	return tw_is_empty(*ret) ? error_set(e, -ENODATA, "the envelope has no content yet") : 0;
}

static bool has_points(const struct tw_ints *v)
{
	return v->n > TW_ENV_COUNT;
}

static int write_envelope(
	struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t off, struct error *e)
{
	const struct tw_item *it;
	struct tw_record rec;
	struct points p;
	int r = find_content(m, id, &it, e);

	if (r < 0)
		return r;
	rec = tw_record_of(&layout, it->ints);
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	if (has_points(it->ints)) {
		init_points(m, it, &p);
		p.rows.n_ints = shows_tangents(m, it, &p.all) ? TW_POINT_FULL : TW_POINT_PLAIN;
		jsonw_key(w, points_key);
		r = tw_rows_write(w, &p.rows, off, e);
	}
	if (r == 0 && !jsonw_done(w))
		jsonw_end(w);
	return r;
}

static int envelope_stat(
	const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct tw_item *it;
	struct points p;
	struct jsonw w;
	int r = find_content(m, id, &it, e);

	if (r < 0)
		return r;
	init_points(m, it, &p);
	jsonw_to_nowhere(&w);
	/* stat runs on the owner's thread, so it does not format very many points. */
	if (p.rows.n <= TW_ROWS_AT_ONCE)
		r = write_envelope(&w, m, id, 0, e);
	tw_stat_file(ret, w.size, true);
	ret->has_size = p.rows.n <= TW_ROWS_AT_ONCE;
	return r;
}

/* Collects the points of a file. */
struct point_reader {
	struct points old;
	uint64_t max_points;
	int32_t (*v)[TW_POINT_FULL];
	uint32_t n, room;
	bool differs; /* a point differs from the old one */
};

static int add_point(struct point_reader *t, const int32_t v[TW_POINT_FULL], struct error *e)
{
	if (!array_reserve(t->v, t->n, t->room))
		return error_set(e, -ENOMEM, "out of memory");
	memcpy(t->v[t->n++], v, sizeof(*t->v));
	return 0;
}

static int read_point(void *arg, const struct json_at *at, struct error *e)
{
	struct point_reader *t = arg;
	int32_t v[TW_ROW_MAX];
	int r = tw_rows_read(at, &t->old.rows, t->n, NULL, v, &t->differs, e);

	if (r == 0 && t->n >= t->max_points)
		r = json_refuse(at, e, "at most %u points: a map has at most %d", t->n, POINTS_MAX);
	return r < 0 ? r : add_point(t, v, e);
}

/* Keep the old points, if the file has no key "points". */
static int copy_old_points(struct point_reader *t, struct error *e)
{
	int32_t v[TW_ROW_MAX];
	int r = 0;

	while (r == 0 && t->n < t->old.rows.n) {
		get_point(&t->old, t->n, v, e);
		r = add_point(t, v, e);
	}
	return r;
}

/* The item of a new envelope, before the keys of the file are applied. Its version is 2,
 * or 3 if another envelope has version 3. */
static int initial_item(const struct json_at *root, const struct tw_map *m,
	const struct tw_item *it, struct tw_ints **ret, struct error *e)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);
	bool empty = tw_is_empty(it);
	int64_t channels = empty ? COLOR_CHANNELS : it->ints->v[TW_ENV_CHANNELS];
	int32_t version = SYNCHRONIZED_SINCE;
	struct json_at at;
	int r = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (tw_get_int(&m->items[t->items[i]], 0, 0) >= TW_ENV_TANGENTS_SINCE)
			version = TW_ENV_TANGENTS_SINCE;
	if (json_get(root, "channels", &at))
		r = json_as_int_within(&at, 1, COLOR_CHANNELS, &channels, e);
	if (r < 0)
		return r;
	*ret = empty ? tw_initial_envelope(version, 0) : tw_ints_copy(it->ints, it->ints->n, 0);
	if (!*ret)
		return error_set(e, -ENOMEM, "out of memory");
	(*ret)->v[TW_ENV_CHANNELS] = (int32_t)channels;
	return 0;
}

struct parsed_envelope {
	struct parsed parsed; /* first */
	struct json_doc doc;  /* the file without its points */
	bool lists_points;
	int32_t (*points)[TW_POINT_FULL];
	uint32_t n;
};

static void finish_parsed(struct parsed *parsed)
{
	struct parsed_envelope *p = (struct parsed_envelope *)parsed;

	json_doc_finish(&p->doc);
	free(p->points);
}

/* Make the item that the file describes. The place of its points is not set yet. */
static int read_item(const struct parsed_envelope *p, const struct tw_map *m,
	const struct tw_item *there, struct tw_ints **ret, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *first = tw_ints_ref(there->ints);
	struct json_at root = json_root(&p->doc), at;
	int r = tw_record_expect(&root, keys, points_key, e);

	if (r == 0 && there->made_name) {
		tw_ints_unref(TAKE(first));
		r = initial_item(&root, m, there, &first, e);
	}
	if (r == 0 && json_get(&root, points_key, &at) && !has_points(first))
		r = json_refuse(&at, e, "the item in the map is too short for this key");
	if (r == 0)
		r = tw_record_item(&root, NULL, &layout, first, ret, e);
	if (r == 0 && tw_is_empty(there) && (*ret)->v[0] < SYNCHRONIZED_SINCE)
		(*ret)->n = TW_ENV_SYNCHRONIZED;
	return r;
}

static int read_file(const struct tw_map *m, const struct tw_item *there, struct point_reader *t,
	struct parsed_envelope *p, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	struct json_at root, at;
	int r = json_list_read(
		&p->parsed.content->bytes, JSON_MAX, points_key, read_point, t, &p->doc, e);

	p->points = t->v;
	p->n = t->n;
	if (r < 0)
		return r;
	root = json_root(&p->doc);
	p->lists_points = json_get(&root, points_key, &at);
	r = read_item(p, m, there, &v, e);
	if (r < 0)
		return r;
	p->parsed.is_unchanged = !tw_is_empty(there) && tw_ints_same(v, there->ints) &&
				 !t->differs && (!p->lists_points || t->n == t->old.rows.n);
	return 0;
}

static int envelope_parse(const struct tw_map *m, entry_id id, struct content *in,
	struct parsed **ret, struct error *e)
{
	const struct tw_item *there = tw_item_at(m, TW_ENVELOPE, tw_id_index(id));
	struct point_reader t = {.max_points = POINTS_MAX};
	struct parsed_envelope *p;

	if (!there)
		return error_set(e, -ENOENT, "no such envelope");
	p = parsed_new(sizeof(*p), in, finish_parsed);
	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	init_points(m, there, &t.old);
	if (t.max_points < t.old.rows.n)
		t.max_points = t.old.rows.n;
	return parsed_finish(&p->parsed, read_file(m, there, &t, p, e), ret);
}

/* Check that n points fit the map beside those of the other envelopes. */
static int check_room(
	const struct tw_map *m, const struct tw_item *there, uint32_t n, struct error *e)
{
	uint64_t others, most;
	struct points old;

	init_points(m, there, &old);
	others = tw_points_count(m) - old.rows.n;
	most = others < POINTS_MAX ? POINTS_MAX - others : 0;
	if (n <= most || n <= old.rows.n)
		return 0;
	return error_set_unresolved(
		e, error_set(e, -EINVAL,
			   "points has %u elements (at most %ju: a map has at most %d points)", n,
			   (uintmax_t)most, POINTS_MAX));
}

/* Store the points of the file, or the old ones if it has no key "points". */
static int put_points(struct tw_change *c, const struct tw_item *there,
	const struct parsed_envelope *p, struct tw_ints *take, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = take;
	uint32_t item = (uint32_t)(there - c->base->items);
	struct point_reader t = {0};
	int r = 0;

	init_points(c->base, there, &t.old);
	if (p->lists_points)
		r = check_room(c->base, there, p->n, e);
	else
		r = copy_old_points(&t, e);
	if (r == 0 && p->lists_points)
		r = tw_points_set_own(c, item, TAKE(v), p->points, p->n, e);
	else if (r == 0)
		r = tw_points_set_own(c, item, TAKE(v), t.v, t.n, e);
	free(t.v);
	return r;
}

/* Do the points of the file differ from those of the map being built? */
static bool points_differ(const struct points *there, const struct parsed_envelope *p)
{
	int32_t v[TW_ROW_MAX];

	if (!p->lists_points || p->n != there->rows.n)
		return p->lists_points;
	for (uint32_t i = 0; i < p->n; i++) {
		get_point((void *)(uintptr_t)there, i, v, NULL);
		if (memcmp(v, p->points[i], sizeof(p->points[i])) != 0)
			return true;
	}
	return false;
}

static int envelope_apply(
	struct tw_change *c, entry_id id, const struct parsed *parsed, struct error *e)
{
	const struct parsed_envelope *p = (const struct parsed_envelope *)parsed;
	const struct tw_item *there = tw_item_at(c->base, TW_ENVELOPE, tw_id_index(id));
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	struct points old;
	int r;

	if (!there)
		return error_set(e, -ENOENT, "no such envelope");
	r = read_item(p, c->base, there, &v, e);
	if (r < 0)
		return r;
	init_points(c->base, there, &old);
	if (!tw_is_empty(there) && tw_ints_same(v, there->ints) && !points_differ(&old, p))
		return 0;
	if (has_points(v))
		return put_points(c, there, p, TAKE(v), e);
	tw_change_set_ints(c, (uint32_t)(there - c->base->items), TAKE(v));
	return 0;
}

/* Envelopes share the items of points, so a change of one may affect all of them. */
static void envelope_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	uint16_t type = m->items[item].type;

	if (type == TW_POINTS || type == tw_uuid_type(m, TW_BEZIER))
		for (uint32_t i = 0; i < tw_count(m, TW_ENVELOPE); i++)
			touched_add(t, tw_id(TW_K_ENVELOPE, i, 0));
}

const struct tw_kind tw_kind_envelope = {
	.label = "envelope",
	.stat = envelope_stat,
	.stat_formats = true,
	.write = write_envelope,
	.max_size = JSON_MAX,
	.parse = envelope_parse,
	.apply = envelope_apply,
	.touch = envelope_touch,
};
