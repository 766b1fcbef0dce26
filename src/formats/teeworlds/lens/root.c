/* SPDX-License-Identifier: Zlib */
/* root: the root directory. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/picture.h"

static const struct {
	const char *name;
	enum tw_kind_id kind;
} entries[] = {
	{"info", TW_K_INFO_DIR},
	{"images", TW_K_IMAGES},
	{"sounds", TW_K_SOUNDS},
	{"envelopes", TW_K_ENVELOPES},
	{"groups", TW_K_GROUPS},
	{"raw", TW_K_RAW},
};

/* Files, after the directories. */
static const char *const pictures[TW_PICTURES] = {
	[TW_PICTURE_PREVIEW] = "preview.png",
	[TW_PICTURE_ENTITIES] = "entities.png",
};

enum { N_ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static bool is_shown(const struct tw_map *m, size_t i)
{
	if (entries[i].kind == TW_K_RAW)
		return m->shared->raw != TW_RAW_OFF;
	return m->shared->typed;
}

enum tw_picture tw_picture_named(const char *name)
{
	uint32_t i = 0;

	while (i < TW_PICTURES && strcmp(pictures[i], name) != 0)
		i++;
	return (enum tw_picture)i;
}

static bool has_pictures(const struct tw_map *m)
{
	return m->shared->typed && m->shared->preview;
}

static int root_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	(void)dir;
	for (size_t i = 0; i < N_ENTRIES; i++) {
		if (is_shown(m, i) && strcmp(entries[i].name, name) == 0) {
			*ret = tw_id(entries[i].kind, 0, 0);
			return 0;
		}
	}
	if (!has_pictures(m) || tw_picture_named(name) == TW_PICTURES)
		return -ENOENT;
	*ret = tw_id(TW_K_PICTURE, tw_picture_named(name), 0);
	return 0;
}

static int root_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	(void)dir;
	for (; *cookie < N_ENTRIES; (*cookie)++) {
		if (!is_shown(m, *cookie))
			continue;
		strcpy(name, entries[*cookie].name);
		*ret = tw_id(entries[*cookie].kind, 0, 0);
		(*cookie)++;
		return 1;
	}
	if (!has_pictures(m) || *cookie >= N_ENTRIES + TW_PICTURES)
		return 0;
	strcpy(name, pictures[*cookie - N_ENTRIES]);
	*ret = tw_id(TW_K_PICTURE, (uint32_t)(*cookie - N_ENTRIES), 0);
	(*cookie)++;
	return 1;
}

const struct tw_kind tw_kind_root = {
	.label = "root",
	.stat = tw_stat_fixed,
	.find = root_find,
	.child = root_child,
};
