/* SPDX-License-Identifier: Zlib */
/* Which entries of the old manifest stay where they are. */
#include <limits.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

bool tl_finalize_find_dir(const struct finalizing *st, uint32_t dir, struct str path, uint32_t *ret)
{
	char shown[NAME_MAX + 1];

	*ret = dir;
	while (path.n) {
		struct str part = str_cut(&path, '/');
		const struct tree_child *c = NULL;

		if (!part.n)
			continue;
		if (name_escape_whole(part.s, part.n, shown, NAME_MAX))
			c = tree_find(st->sh->tree, *ret, shown);
		if (!c || !c->dir)
			return true;
		if (st->dirs[c->index].what != TL_STAYS || st->dirs[c->index].gone)
			return false;
		*ret = c->index;
	}
	return true;
}

static bool keep_removed(const struct finalizing *st, const struct manifest_entry *x)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
	const struct removed_path *p;

	manifest_put_path(st->old, x, &path);
	p = removed_set_find(&st->removed, str_of_buffer(&path));
	return path.error || (p && !p->provided);
}

bool tl_finalize_keeps(const struct finalizing *st, const struct manifest_entry *x)
{
	uint32_t dir = st->sh->tree->record_dirs[x->record];

	if (x->type == MANIFEST_DIR)
		return tl_finalize_find_dir(st, dir, manifest_name(st->old, x), &dir);
	/* Of a directory that moved the paths stay: removed.c names them anew. */
	if (manifest_removed(x))
		return !st->dirs[dir].moved && keep_removed(st, x);
	return !st->files[x->handle].away;
}
