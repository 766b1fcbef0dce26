/* SPDX-License-Identifier: Zlib */
/* Copies of single objects. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "codec/text/text.h"
#include "formats/teeworlds/check/game_images.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/cp/cp.h"

enum { ITEMS_MAX = 65535, IMAGES_MAX = 64, POINTS_MAX = 262144 };

int tw_cp_refuse(const struct tw_copying *k, const struct tw_item *it, int r, struct error *e)
{
	char path[TW_PATH_MAX];

	tw_path_item(k->from, (uint32_t)(it - k->from->items), path);
	error_context(e, "%s", path);
	return r;
}

int tw_cp_report(struct tw_copying *k, const struct tw_copy_line *l, struct error *e)
{
	/* Several patterns may match a part that is left out. */
	for (size_t i = 0; l->event == CP_LEFT_OUT && i < k->n_lines; i++)
		if (k->lines[i].event == CP_LEFT_OUT && k->lines[i].from == l->from)
			return 0;
	if (!array_reserve(k->lines, k->n_lines, k->room_lines))
		return error_set(e, -ENOMEM, "out of memory");
	k->lines[k->n_lines++] = *l;
	return 0;
}

static int check_room(const struct tw_copying *k, enum tw_sort sort, struct error *e)
{
	uint32_t n = tw_count(k->to, tw_sort_type(sort)) + k->n_made[sort] + 1;
	uint32_t most = sort == TW_SORT_IMAGE ? IMAGES_MAX : ITEMS_MAX;

	return n <= most ? 0
			 : error_set(e, -EINVAL, "the map would have %u %ss (at most %u)", n,
				   tw_sorts[sort].noun, most);
}

/* Give a copy the data items of the original. A number that names none must not name one of the new
 * map. The integers are not shared yet. */
static int copy_data(
	struct tw_copying *k, const struct tw_item *original, uint32_t copy, struct error *e)
{
	struct tw_map *m = k->change->result;
	uint32_t fields[TW_FIELDS_MAX], added;
	unsigned n = tw_data_fields(original, fields);
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++) {
		struct blob *b = tw_get_blob(k->from, original, fields[i]);

		m->items[copy].ints->v[fields[i]] = -1;
		if (!b)
			continue;
		/* Check it now, because an error of the save has no path. */
		r = blob_check(b, e);
		if (r == 0 && tw_map_add_blob(m, blob_ref(b), &added) < 0)
			r = error_set(e, -ENOMEM, "out of memory");
		if (r == 0)
			m->items[copy].ints->v[fields[i]] = (int32_t)added;
	}
	return r;
}

/* Make the file name of a copy. Its number is the place, and the rest is its name, whatever that
 * looks like. The caller frees it. NULL if memory is exhausted. */
static char *make_name(enum tw_sort sort, uint32_t place, const struct tw_name *name)
{
	const char *ending = name->is_json ? ".json" : tw_sorts[sort].ending;
	CLEANUP(free) char *escaped = malloc(3 * (size_t)name->size + 1);

	if (!escaped)
		return NULL;
	name_escape(name->text, name->size, escaped, 3 * (size_t)name->size);
	return text_printf("%u_%s%s", place, escaped, ending);
}

static int name_copy(struct tw_copying *k, struct tw_copy_line *l, uint32_t position,
	struct tw_item *it, struct error *e)
{
	const struct tw_name *name = &tw_names(k->from, l->sort)->v[position];
	uint32_t place = l->sort == TW_SORT_LAYER ? k->n_layers[l->group]++
						  : tw_count(k->to, it->type) + k->n_made[l->sort];
	char stem[NAME_MAX + 1];

	if (name->size > tw_sorts[l->sort].name_max)
		return error_set(e, -EINVAL, "its name has %u bytes (at most %zu)", name->size,
			tw_sorts[l->sort].name_max);
	l->name = make_name(l->sort, place, name);
	it->made_name = bytes_copy(
		stem, tw_name_write(stem, place, place, name, tw_sorts[l->sort].stem_max));
	if (!l->name || !it->made_name)
		return error_set(e, -ENOMEM, "out of memory");
	return 0;
}

int tw_cp_add(struct tw_copying *k, enum tw_sort sort, uint32_t position, uint32_t group,
	uint32_t *ret, struct error *e)
{
	const struct tw_item *original = tw_item_at(k->from, tw_sort_type(sort), position);
	struct tw_copy_line l = {.sort = sort, .group = group};
	struct tw_map *m = k->change->result;
	uint32_t place = tw_count(k->to, original->type) + k->n_made[sort];
	int r = check_room(k, sort, e);

	if (r < 0)
		return tw_cp_refuse(k, original, r, e);
	if (tw_map_add_item(m, original->type, (uint16_t)place,
		    tw_ints_copy(original->ints, original->ints->n, 0), ret) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	m->items[*ret].group = (uint16_t)group;
	l.from = (uint32_t)(original - k->from->items);
	l.to = *ret;
	k->copies[sort][position].is_done = true;
	r = name_copy(k, &l, position, &m->items[*ret], e);
	k->n_made[sort]++;
	if (r == 0)
		r = copy_data(k, original, *ret, e);
	if (r == 0 && k->from_07 && !k->to_07)
		r = tw_cp_lower(k, *ret, e);
	if (r == 0)
		r = tw_cp_report(k, &l, e);
	if (r < 0)
		free(l.name);
	return r < 0 ? tw_cp_refuse(k, original, r, e) : 0;
}

/* Give a copied envelope its points. Without a Bezier curve nothing uses the tangents, so they do
 * not add tangents to the points of a map that has none. 0.7 reads tangents only in points. */
static int copy_points(
	struct tw_copying *k, const struct tw_item *original, uint32_t copy, struct error *e)
{
	struct tw_item *it = &k->change->result->items[copy];
	struct tw_points p, all;
	uint32_t begin, end;
	struct tw_ints *v;
	bool curved, has_tangents;

	tw_points_get_envelope(k->from, original, &p);
	tw_points_range(&p, original, &begin, &end);
	tw_points_get_all(k->to, &all);
	curved = tw_cp_is_curved(&p, begin, end);
	has_tangents = tw_points_have_tangents(&all) || curved;
	k->n_points += end - begin;
	if (k->n_points > POINTS_MAX)
		return error_set(e, -EINVAL, "the map would have %llu envelope points (at most %d)",
			(unsigned long long)k->n_points, POINTS_MAX);
	v = tw_ints_new(TW_OWN_POINTS + (end - begin) * TW_POINT_FULL);
	if (!v)
		return error_set(e, -ENOMEM, "out of memory");
	if (k->to_07 && curved && tw_get_int(it, 0, 0) < TW_ENV_TANGENTS_SINCE)
		tw_change_set_ints(
			k->change, copy, tw_envelope_convert(it->ints, TW_ENV_TANGENTS_SINCE));
	v->v[TW_OWN_VERSION] = tw_get_int(it, 0, 0);
	for (uint32_t i = begin; i < end; i++) {
		int32_t *point = v->v + TW_OWN_POINTS + (size_t)(i - begin) * TW_POINT_FULL;

		tw_points_get(&p, i, point);
		if (!has_tangents)
			memset(point + TW_POINT_PLAIN, 0, TW_POINT_TANGENTS * sizeof(*point));
	}
	it->own_data = v;
	return 0;
}

/* Refuse an object that the game of the changed map shows differently, or does not have. */
static int check_game(
	const struct tw_copying *k, enum tw_sort sort, uint32_t position, struct error *e)
{
	const struct tw_name *name = &tw_names(k->from, sort)->v[position];
	const struct tw_item *it = tw_item_at(k->from, tw_sort_type(sort), position);
	const struct tw_game_image *image;

	if (sort == TW_SORT_SOUND && k->to_07)
		return error_set(e, -EINVAL, "Teeworlds 0.7 has no sounds");
	if (sort != TW_SORT_IMAGE || k->from_07 == k->to_07 ||
		tw_get_int(it, TW_IMG_EXTERNAL, 0) == 0)
		return 0;
	image = tw_game_image(name->text, name->size);
	return image && image->in_07 == TW_OTHER_IN_07
		       ? error_set(e, -EINVAL,
				 "0.6 and 0.7 have different images of this name (use mapfs "
				 "convert first)")
		       : 0;
}

static int copy_object(struct tw_copying *k, enum tw_sort sort, uint32_t position, struct error *e)
{
	const struct tw_item *original = tw_item_at(k->from, tw_sort_type(sort), position);
	uint32_t copy;
	int r;

	k->copies[sort][position].ref = (int32_t)(TW_MADE + (int64_t)k->n_made[sort]);
	r = tw_cp_add(k, sort, position, 0, &copy, e);
	if (r == 0 && sort == TW_SORT_ENVELOPE) {
		r = copy_points(k, original, copy, e);
		r = r < 0 ? tw_cp_refuse(k, original, r, e) : r;
	}
	return r;
}

int tw_cp_carry(struct tw_copying *k, enum tw_sort sort, uint32_t position, struct error *e)
{
	const struct tw_item *original = tw_item_at(k->from, tw_sort_type(sort), position);
	struct tw_copy *copy = &k->copies[sort][position];
	struct tw_copy_line l = {.event = CP_REUSED, .sort = sort};
	int64_t equal = -1;
	int r;

	if (copy->is_done)
		return 0;
	r = check_game(k, sort, position, e);
	if (r == 0)
		r = tw_cp_find_equal(k, sort, position, &equal, e);
	if (r < 0)
		return tw_cp_refuse(k, original, r, e);
	if (equal < 0)
		return copy_object(k, sort, position, e);
	*copy = (struct tw_copy){true, (int32_t)equal};
	l.from = (uint32_t)(original - k->from->items);
	l.to = tw_type(k->to, original->type)->items[equal];
	return tw_cp_report(k, &l, e);
}
