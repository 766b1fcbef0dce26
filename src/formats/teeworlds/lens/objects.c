/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/objects.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/tree.h"

/* What a directory showed at the mount: objects of a sort, counted from one of them. */
struct shown {
	enum tw_sort sort;
	const struct tw_name *names;
	uint32_t first; /* the position of names[0] */
	uint32_t n;     /* that are shown */
	uint32_t count; /* that numbers in names are as wide as */
};

static bool find_shown(const struct tw_map *m, entry_id dir, struct shown *ret)
{
	const struct tw_group_at *group = NULL;
	const struct tw_name_list *list;

	*ret = (struct shown){.sort = tw_sort_in(dir)};
	if (ret->sort == TW_SORTS)
		return false;
	list = tw_names(m, ret->sort);
	ret->names = list->v;
	ret->n = ret->count = list->n;
	if (ret->sort == TW_SORT_GROUP)
		ret->n = tw_shown_groups(m);
	if (ret->sort != TW_SORT_LAYER)
		return true;
	group = tw_mounted_group(m, tw_id_a(dir));
	if (!group)
		return false;
	ret->first = group->first;
	ret->names += group->first;
	ret->n = ret->count = group->n;
	return true;
}

/* The stem of object i of them. */
static size_t write_stem(const struct shown *s, uint32_t i, char *dst)
{
	return tw_name_write(dst, i, s->count, &s->names[i], tw_sorts[s->sort].stem_max);
}

/* *ret_json: the name ends in .json. */
static int find(const struct shown *s, const char *name, uint32_t *ret, bool *ret_json)
{
	size_t n = tw_stem_length(s->sort, name, ret_json);
	char right[NAME_MAX + 1];

	if (n == 0 || tw_name_position(name, n, s->count, ret) < 0 || *ret >= s->n)
		return -ENOENT;
	/* In capitals it is another file, and so another object until the next mount. */
	for (const char *c = name + n; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			return -ENOENT;
	return write_stem(s, *ret, right) == n && memcmp(right, name, n) == 0 ? 0 : -ENOENT;
}

int tw_object_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	struct shown s;
	bool json = false;
	uint32_t i;

	if (!find_shown(m, dir, &s) || find(&s, name, &i, &json) < 0)
		return -ENOENT;
	*ret = tw_object_id(s.sort, dir, s.first + i, json);
	return 0;
}

static int dir_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	struct shown s;

	(void)e;
	if (!find_shown(m, id, &s) && !tw_made_at(m, id))
		return -ENOENT;
	tw_stat_dir(ret, true);
	return 0;
}

static int dir_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	struct shown s;
	bool json = false;
	uint32_t i;

	if (!find_shown(m, dir, &s) || find(&s, name, &i, &json) < 0)
		return -ENOENT;
	if (tw_sorts[s.sort].embedded && s.names[i].json != json)
		return -ENOENT;
	*ret = tw_object_id(s.sort, dir, s.first + i, json);
	return 0;
}

static int dir_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	uint32_t i = (uint32_t)*cookie;
	struct shown s;

	if (!find_shown(m, dir, &s) || *cookie >= s.n)
		return 0;
	strcpy(name + write_stem(&s, i, name), s.names[i].json ? ".json" : tw_sorts[s.sort].ending);
	*ret = tw_object_id(s.sort, dir, s.first + i, s.names[i].json);
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
