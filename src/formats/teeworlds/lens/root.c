/* SPDX-License-Identifier: Zlib */
/* root: the root directory. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"

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

enum { N_ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static bool is_shown(const struct tw_map *m, size_t i)
{
	if (entries[i].kind == TW_K_RAW)
		return m->shared->raw != TW_RAW_OFF;
	return m->shared->typed;
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
	return -ENOENT;
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
	return 0;
}

const struct tw_kind tw_kind_root = {
	.label = "root",
	.stat = tw_stat_fixed,
	.find = root_find,
	.child = root_child,
};
