/* SPDX-License-Identifier: Zlib */
/* envelopes: the directory of envelopes. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/names/mounted.h"

static int dir_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	(void)m, (void)id, (void)e;
	tw_stat_dir(ret, true);
	return 0;
}

static int dir_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const char *dot = strrchr(name, '.');
	uint32_t i;

	(void)dir;
	if (!dot || strcmp(dot, ".json") != 0 ||
		tw_stem_find(m, TW_N_ENVELOPES, name, (size_t)(dot - name), &i) < 0)
		return -ENOENT;
	*ret = tw_id(TW_K_ENVELOPE, i, 0);
	return 0;
}

static int dir_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	uint32_t i = (uint32_t)*cookie;

	(void)dir;
	if (*cookie >= tw_names(m, TW_N_ENVELOPES)->n)
		return 0;
	strcpy(name + tw_stem(m, TW_N_ENVELOPES, i, name), ".json");
	*ret = tw_id(TW_K_ENVELOPE, i, 0);
	(*cookie)++;
	return 1;
}

const struct tw_kind tw_kind_envelopes = {
	.label = "envelopes/",
	.stat = dir_stat,
	.find = dir_find,
	.child = dir_child,
};
