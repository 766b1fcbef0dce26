/* SPDX-License-Identifier: Zlib */
/* envelope: an envelope with its points (layout rules 16, 19). */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/points_text.h"
#include "formats/teeworlds/model/fields.h"

enum { JSON_MAX = 512 << 20 };
enum { SYNCHRONIZED_SINCE = 2, COLOR_CHANNELS = 4 };
enum { POINTS_MAX = 1 << 18 /* that can be written to a map */ };

static const struct tw_key keys[] = {
	{"version", .at = 0, .n = 1, .min = 1, .max = 3},
	{"channels", .at = TW_ENV_CHANNELS, .n = 1, .fixed = true},
	{"synchronized", .at = TW_ENV_SYNCHRONIZED, .n = 1, .version = SYNCHRONIZED_SINCE,
		.words = json_flags},
	{NULL},
};

static struct tw_record record_of(struct tw_ints *ints)
{
	return (struct tw_record){
		.keys = keys, .v = ints->v, .n = ints->n, .version = ints->n ? ints->v[0] : 0};
}

static int find_envelope(
	const struct tw_map *m, entry_id id, const struct tw_item **ret, struct error *e)
{
	*ret = tw_item_at(m, TW_ENVELOPE, tw_id_index(id));
	return *ret ? 0 : error_set(e, -ENOENT, "no such envelope");
}

/* For reading: a new one has to have content. */
static int find_content(
	const struct tw_map *m, entry_id id, const struct tw_item **ret, struct error *e)
{
	int r = find_envelope(m, id, ret, e);

	return r == 0 && tw_is_empty(*ret)
		       ? error_set(e, -ENODATA, "the envelope has no content yet")
		       : r;
}

static bool has_points(const struct tw_item *it)
{
	return it->ints->n > TW_ENV_COUNT;
}

/* What of the text stands before off may be passed over. */
static int write_envelope(
	struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t off, struct error *e)
{
	const struct tw_item *it;
	struct tw_record rec;
	int r = find_content(m, id, &it, e);

	if (r < 0)
		return r;
	rec = record_of(it->ints);
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	if (has_points(it))
		r = tw_points_write(w, m, it, off, e);
	if (r == 0 && !jsonw_done(w))
		jsonw_end(w);
	return r;
}

static int envelope_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	struct jsonw w;
	int r;

	jsonw_to_nowhere(&w);
	r = write_envelope(&w, m, id, UINT64_MAX, e);
	if (r == 0)
		*ret = w.size;
	return r;
}

static int envelope_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	const struct tw_item *it;
	uint32_t begin, end;
	struct tw_points p;
	uint64_t size = 0;
	int r = find_content(m, id, &it, e);

	if (r < 0)
		return r;
	tw_points_for(m, it, &p);
	tw_points_range(&p, it, &begin, &end);
	tw_stat_file(ret, 0, true);
	/* To format very many points is a worker's business. */
	ret->sized = end - begin <= TW_POINTS_AT_ONCE;
	if (ret->sized)
		r = envelope_size(m, id, &size, e);
	ret->size = size;
	return r;
}

static int envelope_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct jsonw w;

	if (n == 0)
		return 0;
	jsonw_to_range(&w, off, dst, n);
	return write_envelope(&w, m, id, off, e);
}

/* The points of a file. */
struct taken {
	int32_t (*v)[TW_POINT_FULL];
	uint32_t n, room;
};

/* Points on their way from the file; what one leaves out is that of the old one in its place. */
struct taking {
	const struct tw_map *m;
	struct tw_points old;
	uint32_t begin, end; /* of the old ones */
	uint64_t most;
	struct taken *to;
};

static void begin_taking(
	struct taking *t, const struct tw_map *m, const struct tw_item *it, struct taken *to)
{
	uint64_t others;

	*t = (struct taking){.m = m, .to = to};
	tw_points_for(m, it, &t->old);
	tw_points_range(&t->old, it, &t->begin, &t->end);
	others = tw_points_count(m) - (t->end - t->begin);
	t->most = others < POINTS_MAX ? POINTS_MAX - others : 0;
	if (t->most < t->end - t->begin)
		t->most = t->end - t->begin;
}

static int take_point(void *arg, const struct json_at *at, struct error *e)
{
	struct taking *t = arg;
	int32_t v[TW_POINT_FULL] = {0};
	struct tw_record rec = {.keys = tw_point_keys, .v = v, .n = TW_POINT_FULL};
	struct taken *to = t->to;
	int r = tw_record_expect(at, tw_point_keys, NULL, e);

	if (r == 0 && to->n >= t->most)
		r = json_refuse(at, e, "there is room for %u points: a map has at most %d", to->n,
			POINTS_MAX);
	if (r < 0)
		return r;
	if (to->n < t->end - t->begin)
		tw_points_get(&t->old, t->begin + to->n, v);
	else
		tw_record_reset(&rec);
	r = tw_record_read(at, t->m, &rec, e);
	if (r < 0)
		return r;
	if (!array_room(to->v, to->n, to->room))
		return error_set(e, -ENOMEM, "no memory for the points");
	memcpy(to->v[to->n++], v, sizeof(v));
	return 0;
}

static int old_points(const struct tw_map *m, const struct tw_item *it, struct taken *ret)
{
	struct tw_points p;
	uint32_t begin, end;

	tw_points_for(m, it, &p);
	tw_points_range(&p, it, &begin, &end);
	ret->n = end - begin;
	ret->v = calloc(ret->n ? ret->n : 1, sizeof(*ret->v));
	for (uint32_t i = 0; ret->v && i < ret->n; i++)
		tw_points_get(&p, begin + i, ret->v[i]);
	return ret->v ? 0 : -ENOMEM;
}

/* The item as the file wants it, but for where its points are. */
static int take_item(const struct json_at *root, const struct tw_map *m, const struct tw_item *it,
	struct tw_ints **ret, struct error *e)
{
	struct tw_record rec = record_of(it->ints);
	int32_t version = rec.version;
	struct tw_ints *v;
	struct json_at at;
	int r = json_get_int(root, "version", &version, NULL, e);

	if (r < 0)
		return r;
	if (version < SYNCHRONIZED_SINCE && json_get(root, "synchronized", &at))
		version = SYNCHRONIZED_SINCE;
	v = version != rec.version && it->ints->n ? tw_envelope_to(it->ints, version)
						  : tw_ints_copy(it->ints, it->ints->n, 0);
	if (!v)
		return error_set(e, -ENOMEM, "no memory for an envelope");
	/* The range of a changed version is judged from what it was. */
	if (v->n)
		v->v[0] = rec.version;
	rec.v = v->v;
	rec.n = v->n;
	rec.version = version;
	r = tw_record_read(root, m, &rec, e);
	if (v->n)
		v->v[0] = version;
	if (r < 0)
		tw_ints_unref(v);
	else
		*ret = v;
	return r;
}

/* Does the file say what stands there? */
static bool is_same(const struct tw_ints *a, const struct tw_ints *b, const struct taken *old,
	const struct taken *fresh)
{
	return a->n == b->n && memcmp(a->v, b->v, 4 * (size_t)a->n) == 0 && old->n == fresh->n &&
	       (!old->n || memcmp(old->v, fresh->v, old->n * sizeof(*old->v)) == 0);
}

static int take_file(const struct json_at *root, const struct tw_map *m, const struct tw_item *it,
	struct tw_ints **ret, struct taken *old, struct taken *fresh, struct error *e)
{
	struct json_at at;
	bool listed = json_get(root, tw_points_key, &at);
	int r;

	if (listed && !has_points(it))
		return json_refuse(&at, e, "what the map holds is too short for it");
	r = old_points(m, it, old);
	if (r == 0 && !listed)
		r = old_points(m, it, fresh);
	if (r == -ENOMEM)
		return error_set(e, r, "no memory for the points");
	return r < 0 ? r : take_item(root, m, it, ret, e);
}

/* A new envelope's item, before the file says more: of the map's newest kind. */
static int initial_item(const struct json_at *root, const struct tw_map *m,
	const struct tw_item *it, struct tw_ints **ret, struct error *e)
{
	const struct tw_type *t = tw_type(m, TW_ENVELOPE);
	int32_t channels = COLOR_CHANNELS, version = SYNCHRONIZED_SINCE;
	struct tw_ints *v = NULL;
	struct json_at at;
	int64_t fresh = channels;
	int r = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (tw_int(&m->items[t->items[i]], 0, 0) >= TW_ENV_TANGENTS_SINCE)
			version = TW_ENV_TANGENTS_SINCE;
	if (!tw_is_empty(it)) {
		channels = it->ints->v[TW_ENV_CHANNELS];
		r = json_get_int(root, "channels", &channels, NULL, e);
	} else if (json_get(root, "channels", &at)) {
		r = json_as_int_within(&at, 1, COLOR_CHANNELS, &fresh, e);
		channels = (int32_t)fresh;
	}
	if (r < 0)
		return r;
	v = tw_is_empty(it) ? tw_initial_envelope(version, channels)
			    : tw_ints_copy(it->ints, it->ints->n, 0);
	if (!v)
		return error_set(e, -ENOMEM, "no memory for an envelope");
	v->v[TW_ENV_CHANNELS] = channels;
	*ret = v;
	return 0;
}

static int put_envelope(const struct json_at *root, const struct tw_map *m,
	const struct tw_item *there, struct taken *fresh, struct tw_change *c, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL, *first = NULL;
	uint32_t item = (uint32_t)(there - m->items);
	struct tw_item it = *there;
	struct taken old = {0};
	int r = tw_record_expect(root, keys, tw_points_key, e);

	if (r == 0 && there->made)
		r = initial_item(root, m, there, &first, e);
	if (r < 0)
		return r;
	if (first)
		it.ints = first;
	r = take_file(root, m, &it, &v, &old, fresh, e);
	if (r == 0 && tw_is_empty(there) && v->v[0] < SYNCHRONIZED_SINCE)
		v->n = TW_ENV_SYNCHRONIZED;
	if (r == 0 && (tw_is_empty(there) || !is_same(v, there->ints, &old, fresh))) {
		if (has_points(&it))
			r = tw_points_replace(m, item, TAKE(v), fresh->v, fresh->n, c, e);
		else
			tw_change_item(c, item, TAKE(v));
	}
	free(old.v);
	return r;
}

static int envelope_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	CLEANUP_JSON struct json_doc rest = {0};
	const struct tw_item *there;
	struct taken fresh = {0};
	struct taking t;
	struct json_at root;
	int r = find_envelope(m, id, &there, e);

	if (r < 0)
		return r;
	begin_taking(&t, m, there, &fresh);
	r = json_list_read(in, JSON_MAX, tw_points_key, take_point, &t, &rest, e);
	root = json_root(&rest);
	if (r == 0)
		r = put_envelope(&root, m, there, &fresh, c, e);
	free(fresh.v);
	return r;
}

/* The points are of all envelopes, as is their form. */
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
	.size = envelope_size,
	.get = envelope_get,
	.most = JSON_MAX,
	.parse = envelope_parse,
	.touch = envelope_touch,
};
