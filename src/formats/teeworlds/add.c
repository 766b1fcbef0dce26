/* SPDX-License-Identifier: Zlib */
/* add: create objects and raw/ entries, whose items are empty until content is applied. */
#include <errno.h>
#include <stdlib.h>

#include "formats/teeworlds/names/sort.h"
#include "formats/teeworlds/structure.h"

static int add_object(struct tw_map *m, enum tw_sort sort, entry_id dir, const char *name, size_t n,
	uint32_t *ret_position)
{
	unsigned type = tw_sort_type(sort);
	uint32_t position = tw_count(m, type), item;
	int r = tw_map_add_item(m, (uint16_t)type, (uint16_t)position, tw_ints_new(0), &item);

	if (r < 0)
		return r;
	if (sort == TW_SORT_LAYER)
		m->items[item].group = (uint16_t)tw_id_a(dir);
	m->items[item].made_name = bytes_copy(name, n);
	if (!m->items[item].made_name)
		return -ENOMEM;
	*ret_position = position;
	return tw_map_reindex(m);
}

static int add_raw_item(struct tw_map *m, unsigned type, const char *name, entry_id *ret)
{
	uint16_t id = (uint16_t)strtoul(name, NULL, 10);
	uint32_t item;
	int r = tw_map_add_item(m, (uint16_t)type, id, tw_ints_new(0), &item);

	if (r < 0)
		return r;
	m->items[item].is_removed = m->items[item].is_reserved = true;
	*ret = tw_id(TW_K_RAW_ITEM, item, 0);
	return 0;
}

/* Add the entry that a classified name describes to m. */
static int add_entry(struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	enum tw_sort sort = tw_sort_in(dir);
	uint32_t position = 0;
	bool json = false;
	size_t n;
	int r;

	if (tw_id_kind(dir) == TW_K_RAW_DATA_DIR) {
		r = tw_map_reserve_blob(m, &position);
		if (r == 0)
			*ret = tw_id(TW_K_RAW_DATA, position, 0);
		return r;
	}
	if (tw_id_kind(dir) == TW_K_RAW_TYPE)
		return add_raw_item(m, tw_id_index(dir), name, ret);
	n = tw_stem_length(sort, name, &json);
	r = add_object(m, sort, dir, name, n, &position);
	if (r == 0)
		*ret = tw_object_id(sort, dir, position, json);
	return r;
}

int tw_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	enum tw_sort sort = tw_sort_in(dir);
	struct name_class meaning;
	struct tw_map *m;
	int r = tw_classify(*s, dir, name, is_dir, ENTRY_ROOT, &meaning, e);

	if (r < 0)
		return r;
	if (meaning.kind == NAME_SCRATCH)
		return error_set(e, -EINVAL, "%s: not a valid name in this directory", name);
	if (meaning.kind == NAME_PART && tw_id_kind(dir) < TW_K_RAW)
		return tw_part(tw_map_of(*s), dir, name, is_dir, ret);
	if (meaning.kind == NAME_OBJECT && tw_count(tw_map_of(*s), tw_sort_type(sort)) > UINT16_MAX)
		return error_set(e, -ENOSPC, "the map has %u %ss (at most 65536)",
			tw_count(tw_map_of(*s), tw_sort_type(sort)), tw_sorts[sort].noun);
	m = tw_map_copy(tw_map_of(*s));
	if (!m)
		return error_set(e, -ENOMEM, "out of memory");
	done = &m->base;
	r = add_entry(m, dir, name, ret);
	if (r < 0)
		return error_set(e, r, "out of memory");
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
