/* SPDX-License-Identifier: Zlib */
/* objects: the directories of objects: images/, sounds/, envelopes/, groups/ and layers/. */
#include <errno.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/names/mounted.h"

/* The objects that a directory showed at the mount. Their positions are consecutive. */
struct listed_objects {
	enum tw_sort sort;
	uint32_t group; /* position of the layers' group; else 0 */
	uint32_t first; /* position of the first object */
	uint32_t n;     /* number of objects */
};

static bool find_listed_objects(const struct tw_map *m, entry_id dir, struct listed_objects *ret)
{
	*ret = (struct listed_objects){.sort = tw_sort_in(dir)};
	if (ret->sort == TW_SORTS)
		return false;
	if (ret->sort == TW_SORT_LAYER)
		ret->group = tw_id_a(dir);
	if (!tw_mounted_range(m, ret->sort, ret->group, &ret->first, &ret->n))
		return false;
	if (ret->sort == TW_SORT_GROUP)
		ret->n = tw_shown_groups(m);
	return true;
}

int tw_object_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	struct listed_objects s;
	bool json = false;
	uint32_t i;

	if (!find_listed_objects(m, dir, &s) ||
		tw_mounted_file(m, s.sort, s.group, name, &i, &json) < 0 || i >= s.n)
		return -ENOENT;
	*ret = tw_object_id(s.sort, dir, s.first + i, json);
	return 0;
}

static int dir_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *)
{
	struct listed_objects s;

	if (!find_listed_objects(m, id, &s) && !tw_made_object(m, id))
		return -ENOENT;
	tw_stat_dir(ret, true);
	return 0;
}

static int dir_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	enum tw_sort sort = tw_sort_in(dir);
	int r = tw_object_find(m, dir, name, ret);

	if (r == 0 && tw_sorts[sort].is_embedded &&
		tw_names(m, sort)->v[tw_object_position(*ret)].is_json != (*ret & ENTRY_FORM))
		return -ENOENT;
	return r;
}

static int dir_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	uint32_t i = (uint32_t)*cookie;
	struct listed_objects s;
	bool json;

	if (!find_listed_objects(m, dir, &s) || *cookie >= s.n)
		return 0;
	json = tw_names(m, s.sort)->v[s.first + i].is_json;
	tw_mounted_name(m, s.sort, s.group, i, json ? ".json" : tw_sorts[s.sort].ending, name);
	*ret = tw_object_id(s.sort, dir, s.first + i, json);
	(*cookie)++;
	return 1;
}

#define DIRECTORY(name, words)                                                                     \
	const struct tw_kind name = {                                                              \
		.label = (words), .stat = dir_stat, .find = dir_find, .child = dir_child}

DIRECTORY(tw_kind_images, "images/");
DIRECTORY(tw_kind_sounds, "sounds/");
DIRECTORY(tw_kind_envelopes, "envelopes/");
DIRECTORY(tw_kind_groups, "groups/");
DIRECTORY(tw_kind_layers, "layers/");
