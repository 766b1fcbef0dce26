/* SPDX-License-Identifier: Zlib */
/* mounted_find: names of objects and objects by name, from the name table or else from the map. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/teeworlds/names/mounted.h"

bool tw_mounted_range(const struct tw_map *m, enum tw_sort sort, uint32_t group,
	uint32_t *ret_first, uint32_t *ret_n)
{
	const struct tw_layer_range *at;

	*ret_first = 0;
	*ret_n = tw_names(m, sort)->n;
	if (sort != TW_SORT_LAYER)
		return true;
	at = tw_mounted_group(m, group);
	if (!at)
		return false;
	*ret_first = at->first;
	*ret_n = at->n;
	return true;
}

/* Write the stem that the map gives, regardless of the name table. */
static size_t own_stem(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	char dst[NAME_MAX + 1])
{
	uint32_t first, n;

	tw_mounted_range(m, sort, group, &first, &n);
	return tw_name_write(
		dst, place, n, &tw_names(m, sort)->v[first + place], tw_sorts[sort].stem_max);
}

size_t tw_mounted_stem(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	char dst[NAME_MAX + 1])
{
	const struct tw_table_entry *listed =
		tw_listing_at(&tw_mounted(m)->table, sort, group, place);

	if (!listed)
		return own_stem(m, sort, group, place, dst);
	memcpy(dst, listed->name, listed->n);
	dst[listed->n] = '\0';
	return listed->n;
}

void tw_mounted_name(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	const char *ending, char dst[NAME_MAX + 1])
{
	const struct tw_table_entry *listed =
		tw_listing_at(&tw_mounted(m)->table, sort, group, place);
	size_t n = tw_mounted_stem(m, sort, group, place, dst);

	/* Keep capitals in the ending, as the file was created with them. */
	if (listed && strcasecmp(listed->name + n, ending) == 0)
		ending = listed->name + n;
	snprintf(dst + n, NAME_MAX + 1 - n, "%s", ending);
}

/* Find an object that is not in the name table by its stem. */
static int find_own(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *stem,
	size_t n, uint32_t *ret)
{
	char name[NAME_MAX + 1];
	uint32_t first, count;

	if (!tw_mounted_range(m, sort, group, &first, &count) ||
		tw_name_position(stem, n, count, ret) < 0 ||
		tw_listing_at(&tw_mounted(m)->table, sort, group, *ret))
		return -ENOENT;
	return own_stem(m, sort, group, *ret, name) == n && memcmp(name, stem, n) == 0 ? 0
										       : -ENOENT;
}

int tw_mounted_find(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *stem,
	size_t n, uint32_t *ret)
{
	const struct tw_name_table *l = &tw_mounted(m)->table;
	size_t i = tw_listing_from(l, sort, group, stem, n);

	if (!tw_listing_has(l, i, sort, group, stem, n))
		return find_own(m, sort, group, stem, n, ret);
	*ret = l->by_stem[i]->place;
	return 0;
}

/* Is `name` the object's file in its current or other form? An ending in capitals belongs to
 * another object, unless the name table has it for this one. */
static bool is_file(const struct tw_map *m, enum tw_sort sort, uint32_t group, uint32_t place,
	const char *name, size_t n, bool json)
{
	const char *ending = json ? ".json" : tw_sorts[sort].ending;
	char shown[NAME_MAX + 1];
	uint32_t first, count;

	tw_mounted_range(m, sort, group, &first, &count);
	if (tw_names(m, sort)->v[first + place].is_json != json)
		return strcmp(name + n, ending) == 0;
	tw_mounted_name(m, sort, group, place, ending, shown);
	return strcmp(shown, name) == 0;
}

int tw_mounted_file(const struct tw_map *m, enum tw_sort sort, uint32_t group, const char *name,
	uint32_t *ret, bool *ret_json)
{
	const struct tw_name_table *l = &tw_mounted(m)->table;
	size_t n = tw_stem_length(sort, name, ret_json), i;

	if (n == 0)
		return -ENOENT;
	if (!*tw_sorts[sort].ending)
		return tw_mounted_find(m, sort, group, name, n, ret);
	if (!tw_sorts[sort].is_embedded)
		*ret_json = false;
	for (i = tw_listing_from(l, sort, group, name, n);
		tw_listing_has(l, i, sort, group, name, n); i++) {
		*ret = l->by_stem[i]->place;
		if (is_file(m, sort, group, *ret, name, n, *ret_json))
			return 0;
	}
	return find_own(m, sort, group, name, n, ret) == 0 &&
			       is_file(m, sort, group, *ret, name, n, *ret_json)
		       ? 0
		       : -ENOENT;
}

int tw_mounted_check(const struct tw_map *m, struct error *e)
{
	const struct tw_name_table *l = &tw_mounted(m)->table;

	for (size_t i = 0; i < l->n; i++) {
		const struct tw_table_entry *v = &l->v[i];
		const char *ending = tw_sorts[v->sort].ending;
		char name[NAME_MAX + 1];
		uint32_t first, n, other;
		bool json;

		if (!tw_mounted_range(m, v->sort, v->group, &first, &n) || v->place >= n)
			return error_set(e, -EINVAL, "names: line %zu: the map has no such %s",
				i + 1, tw_sorts[v->sort].noun);
		if (tw_names(m, v->sort)->v[first + v->place].is_json)
			ending = ".json";
		if (v->n + strlen(ending) > NAME_MAX)
			return error_set(
				e, -EINVAL, "names: line %zu: the name is too long", i + 1);
		tw_mounted_name(m, v->sort, v->group, v->place, ending, name);
		if (tw_mounted_file(m, v->sort, v->group, name, &other, &json) < 0 ||
			other != v->place ||
			find_own(m, v->sort, v->group, v->name, v->n, &other) == 0)
			return error_set(
				e, -EINVAL, "names: line %zu: the name is already used", i + 1);
	}
	return 0;
}
