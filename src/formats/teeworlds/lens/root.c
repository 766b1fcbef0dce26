/* SPDX-License-Identifier: Zlib */
/* root: the root directory, and other directories whose entries are always the same. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/names/paths.h"

/* The name is NULL for files of info/, whose names are in names/paths.h. */
static const struct {
	enum tw_kind_id dir;
	const char *name;
	enum tw_kind_id kind;
	uint32_t index;
} entries[] = {
	{TW_K_ROOT, "info", TW_K_INFO_DIR, 0},
	{TW_K_ROOT, "images", TW_K_IMAGES, 0},
	{TW_K_ROOT, "sounds", TW_K_SOUNDS, 0},
	{TW_K_ROOT, "envelopes", TW_K_ENVELOPES, 0},
	{TW_K_ROOT, "groups", TW_K_GROUPS, 0},
	{TW_K_ROOT, "raw", TW_K_RAW, 0},
	{TW_K_ROOT, "preview.png", TW_K_PICTURE, TW_PICTURE_PREVIEW},
	{TW_K_ROOT, "entities.png", TW_K_PICTURE, TW_PICTURE_ENTITIES},
	{TW_K_INFO_DIR, NULL, TW_K_INFO, 0},
	{TW_K_INFO_DIR, NULL, TW_K_INFO, 1},
	{TW_K_INFO_DIR, NULL, TW_K_INFO, 2},
	{TW_K_INFO_DIR, NULL, TW_K_INFO, 3},
	{TW_K_INFO_DIR, NULL, TW_K_INFO, 4},
	{TW_K_GROUP, "group.json", TW_K_GROUP_JSON, 0},
	{TW_K_GROUP, "layers", TW_K_LAYERS, 0},
	{TW_K_RAW, "items", TW_K_RAW_ITEMS, 0},
	{TW_K_RAW, "data", TW_K_RAW_DATA_DIR, 0},
};

enum { N_ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static bool is_entry_shown(const struct tw_map *m, entry_id dir, size_t i)
{
	const struct tw_item *group = tw_item_at(m, TW_GROUP, tw_id_a(dir));

	if (entries[i].kind == TW_K_RAW)
		return m->shared->raw != TW_RAW_OFF;
	/* The overlay shows the group.json of a new group. */
	if (entries[i].kind == TW_K_GROUP_JSON)
		return !group || !group->made_name;
	return entries[i].dir != TW_K_ROOT ||
	       (m->shared->is_typed && (entries[i].kind != TW_K_PICTURE || m->shared->preview));
}

static const char *entry_name(size_t i)
{
	return entries[i].name ? entries[i].name : tw_info_names[entries[i].index];
}

int tw_fixed_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	for (; *cookie < N_ENTRIES; (*cookie)++) {
		size_t i = (size_t)*cookie;

		if (entries[i].dir != tw_id_kind(dir) || !is_entry_shown(m, dir, i))
			continue;
		strcpy(name, entry_name(i));
		*ret = tw_id2(entries[i].kind, tw_id_a(dir), entries[i].index, 0);
		(*cookie)++;
		return 1;
	}
	return 0;
}

int tw_fixed_find(entry_id dir, const char *name, entry_id *ret)
{
	for (size_t i = 0; i < N_ENTRIES; i++) {
		if (entries[i].dir != tw_id_kind(dir) || strcmp(entry_name(i), name) != 0)
			continue;
		*ret = tw_id2(entries[i].kind, tw_id_a(dir), entries[i].index, 0);
		return 0;
	}
	return -ENOENT;
}

const struct tw_kind tw_kind_root = {
	.label = "root",
	.stat = tw_stat_fixed,
	.child = tw_fixed_child,
};
