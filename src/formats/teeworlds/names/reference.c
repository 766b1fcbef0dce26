/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/reference.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/parse.h"

int tw_ref_position(const struct tw_map *m, enum tw_sort sort, int32_t ref, uint32_t *ret)
{
	uint32_t mounted = tw_count_mounted(m, tw_sort_type(sort));
	int64_t made = (int64_t)ref - TW_MADE;

	if (ref >= 0 && (uint32_t)ref < mounted)
		*ret = (uint32_t)ref;
	else if (made >= 0 && made < tw_count(m, tw_sort_type(sort)) - mounted)
		*ret = mounted + (uint32_t)made;
	else
		return -ENOENT;
	return 0;
}

int32_t tw_ref_of(const struct tw_map *m, enum tw_sort sort, uint32_t position)
{
	uint32_t mounted = tw_count_mounted(m, tw_sort_type(sort));

	return position < mounted ? (int32_t)position
				  : (int32_t)(TW_MADE + (int64_t)(position - mounted));
}

size_t tw_ref_stem(const struct tw_map *m, enum tw_sort sort, int32_t ref, char dst[NAME_MAX + 1])
{
	const struct tw_item *it;
	uint32_t position;

	if (tw_ref_position(m, sort, ref, &position) < 0)
		return 0;
	it = tw_item_at(m, tw_sort_type(sort), position);
	if (!it->made_name)
		return position < tw_names(m, sort)->n ? tw_mounted_stem(m, sort, 0, position, dst)
						       : 0;
	memcpy(dst, it->made_name->data, it->made_name->size);
	return it->made_name->size;
}

/* Does the placement give an object of this sort a name? */
static bool names_object(const struct placement *p, enum tw_sort sort)
{
	unsigned kind = tw_id_kind(p->id);

	return p->name && (kind == tw_sorts[sort].kind || kind == tw_sorts[sort].json);
}

static int find_placed(
	const struct build_context *o, enum tw_sort sort, const char *stem, size_t n, uint32_t *ret)
{
	for (size_t i = 0; o && i < o->n_placements; i++) {
		const struct placement *p = &o->placements[i];

		if (!names_object(p, sort) || tw_stem_length(sort, p->name, NULL) != n ||
			memcmp(p->name, stem, n) != 0)
			continue;
		*ret = tw_object_position(p->id);
		return 0;
	}
	return -ENOENT;
}

/* Can the file refer to this envelope? One without a name must have the required channels, because
 * only its number identifies it. A new one always fits: it was copied together with the file. */
static bool fits_channels(
	const struct tw_naming *names, enum tw_sort sort, uint32_t position, int channels)
{
	const struct tw_name_list *list = tw_names(names->m, sort);

	return !names->is_in_new_object || !channels || position >= list->n ||
	       list->v[position].size > 0 ||
	       tw_get_int(tw_item_at(names->m, TW_ENVELOPE, position), TW_ENV_CHANNELS, 0) ==
		       channels;
}

static bool is_placed(const struct build_context *o, enum tw_sort sort, uint32_t position)
{
	for (size_t i = 0; i < o->n_placements; i++)
		if (tw_sort_of(o->placements[i].id) == sort &&
			tw_object_position(o->placements[i].id) == position)
			return true;
	return false;
}

struct named {
	const struct tw_naming *names;
	enum tw_sort sort;
	uint32_t *at; /* positions of those found; only the first `room` of them */
	size_t n, room;
};

static void append_named(struct named *f, uint32_t position)
{
	if (f->n < f->room)
		f->at[f->n] = position;
	f->n++;
}

static void collect_named(struct named *f, const char *name, size_t n)
{
	const struct build_context *o = f->names->others;
	const struct tw_name_list *list = tw_names(f->names->m, f->sort);

	for (uint32_t i = 0; n && i < list->n; i++)
		if (list->v[i].size == n && memcmp(list->v[i].text, name, n) == 0 &&
			!is_placed(o, f->sort, i))
			append_named(f, i);
	for (size_t i = 0; n && i < o->n_placements; i++) {
		const struct placement *p = &o->placements[i];
		struct tw_parsed_name own;

		if (names_object(p, f->sort) &&
			tw_numbered_parse(f->sort, p->name, tw_stem_length(f->sort, p->name, NULL),
				&own, NULL) == 0 &&
			own.n == n && memcmp(own.name, name, n) == 0)
			append_named(f, tw_object_position(p->id));
	}
}

/* Find the objects, with any number, whose name is the stem or, if there are none, the part behind
 * its number. Returns how many there are. */
static size_t find_named(const struct tw_naming *names, enum tw_sort sort, const char *stem,
	size_t n, uint32_t *ret, size_t room)
{
	struct named f = {.names = names, .sort = sort, .at = ret, .room = room};
	char name[NAME_MAX + 1];
	struct tw_parsed_name parsed;

	if (n > NAME_MAX || !names->others)
		return 0;
	collect_named(&f, name, name_unescape(stem, n, name));
	if (!f.n && tw_numbered_parse(sort, stem, n, &parsed, NULL) == 0)
		collect_named(&f, parsed.name, parsed.n);
	return f.n;
}

int tw_ref_find(const struct tw_naming *names, enum tw_sort sort, const char *stem, size_t n,
	int channels, int32_t *ret)
{
	uint32_t position;
	size_t found = 1;

	if ((find_placed(names->others, sort, stem, n, &position) < 0 &&
		    tw_mounted_find(names->m, sort, 0, stem, n, &position) < 0) ||
		!fits_channels(names, sort, position, channels))
		found = find_named(names, sort, stem, n, &position, 1);
	if (found != 1)
		return found ? -ENOTUNIQ : -ENOENT;
	*ret = tw_ref_of(names->m, sort, position);
	return 0;
}

void tw_ref_list(const struct tw_naming *names, enum tw_sort sort, const char *name, size_t n,
	char dst[TW_REF_LIST_MAX])
{
	enum { LISTED = 4 };
	uint32_t at[LISTED];
	size_t found = find_named(names, sort, name, n, at, LISTED), len = 0;
	char stem[NAME_MAX + 1];

	for (size_t i = 0; i < found && i < LISTED && len < TW_REF_LIST_MAX; i++) {
		stem[tw_ref_stem(names->m, sort, tw_ref_of(names->m, sort, at[i]), stem)] = '\0';
		len += (size_t)snprintf(
			dst + len, TW_REF_LIST_MAX - len, "%s%s", i ? ", " : "", stem);
	}
	if (found > LISTED && len < TW_REF_LIST_MAX)
		snprintf(dst + len, TW_REF_LIST_MAX - len, " and %zu more", found - LISTED);
}
