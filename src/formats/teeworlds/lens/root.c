/* SPDX-License-Identifier: Zlib */
/* root: the root directory. */
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"

/* Directories, then files. */
static const struct {
	const char *name;
	enum tw_kind_id kind;
	uint32_t index;
} entries[] = {
	{"info", TW_K_INFO_DIR, 0},
	{"images", TW_K_IMAGES, 0},
	{"sounds", TW_K_SOUNDS, 0},
	{"envelopes", TW_K_ENVELOPES, 0},
	{"groups", TW_K_GROUPS, 0},
	{"raw", TW_K_RAW, 0},
	{"preview.png", TW_K_PICTURE, TW_PICTURE_PREVIEW},
	{"entities.png", TW_K_PICTURE, TW_PICTURE_ENTITIES},
};

enum { N_ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static bool is_shown(const struct tw_map *m, size_t i)
{
	if (entries[i].kind == TW_K_RAW)
		return m->shared->raw != TW_RAW_OFF;
	return m->shared->typed && (entries[i].kind != TW_K_PICTURE || m->shared->preview);
}

bool tw_is_picture(const char *name)
{
	for (size_t i = 0; i < N_ENTRIES; i++)
		if (entries[i].kind == TW_K_PICTURE && strcmp(entries[i].name, name) == 0)
			return true;
	return false;
}

static int root_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	(void)dir;
	while (*cookie < N_ENTRIES && !is_shown(m, *cookie))
		(*cookie)++;
	if (*cookie >= N_ENTRIES)
		return 0;
	strcpy(name, entries[*cookie].name);
	*ret = tw_id(entries[*cookie].kind, entries[*cookie].index, 0);
	(*cookie)++;
	return 1;
}

const struct tw_kind tw_kind_root = {
	.label = "root",
	.stat = tw_stat_fixed,
	.child = root_child,
};
