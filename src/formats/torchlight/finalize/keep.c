/* SPDX-License-Identifier: Zlib */
/* Which rows of the old table stay where they are. */
#include <limits.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

uint32_t tl_finalize_find_dir(const struct finalizing *st, uint32_t dir, struct str path)
{
	const struct tree *t = st->sh->tree;
	char shown[NAME_MAX + 1];

	while (path.n) {
		struct str part = str_cut(&path, '/');
		const struct tree_child *c = NULL;

		if (!part.n)
			continue;
		if (name_escape_whole(part.s, part.n, shown, NAME_MAX))
			c = tree_find(t, dir, shown);
		if (!c || !c->dir)
			return dir;
		if (st->dirs[c->index].what != TL_STAYS || st->gone[c->index])
			return TL_NONE;
		dir = c->index;
	}
	return dir;
}

static bool keep_removed(const struct finalizing *st, const struct tl_record *r, struct str name)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
	struct str whole;

	buffer_str(&path, r->path);
	buffer_str(&path, name);
	whole = str_of_buffer(&path);
	return path.error ||
	       (removed_set_has(&st->removed, whole) && !tl_finalize_has_home(st, whole));
}

bool tl_finalize_keeps(
	const struct finalizing *st, const struct tl_record *r, const struct tl_row *row)
{
	if (row->type == MANIFEST_DIR)
		return r->dir == TL_NONE || tl_finalize_find_dir(st, r->dir, row->name) != TL_NONE;
	/* Of a directory that moved the paths stay: place.c names them anew. */
	if (row->handle == TL_NONE)
		return !(r->dir != TL_NONE && st->changed[r->dir]) &&
		       keep_removed(st, r, row->name);
	return !st->drop[row->handle];
}
