/* SPDX-License-Identifier: Zlib */
/* create: a map of nothing but its version. What else a game needs is added at the save. */
#include <errno.h>

#include "formats/teeworlds/format.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/structure.h"

enum { FILE_VERSION = 4 };

int tw_create(
	const char *name, const struct format_context *ctx, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct tw_ints *version;
	struct tw_map *m;
	uint32_t item;
	int r = tw_map_begin(ctx, &m, e);

	(void)name;
	if (r < 0)
		return r;
	s = &m->base;
	m->shared->typed = true;
	m->shared->fresh = true;
	m->shared->file_version = FILE_VERSION;
	version = tw_ints_new(1);
	if (version)
		version->v[0] = 1;
	r = tw_map_add_item(m, TW_VERSION, 0, version, &item);
	if (r == 0)
		r = tw_map_reindex(m);
	if (r < 0)
		return error_set(e, r, "no memory for a map");
	r = tw_names_need(m, e);
	if (r == 0)
		*ret = TAKE(s);
	return r;
}
