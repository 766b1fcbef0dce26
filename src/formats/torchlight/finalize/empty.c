/* SPDX-License-Identifier: Zlib */
/*
 * Directories that stand and that nothing in the new table names: what was in them went or moved.
 * An entry of their own says that they are there.
 */
#include <errno.h>
#include <string.h>

#include "formats/torchlight/finalize/plan.h"

/* In the archive that is to be written. */
static uint32_t above(const struct finalizing *st, uint32_t dir)
{
	if (st->dirs[dir].what == TL_PLACED)
		return st->dirs[dir].dir;
	return dir < st->sh->tree->n_dirs ? st->sh->tree->dirs[dir].parent : 0;
}

/* A path names all directories in it. */
static void name(const struct finalizing *st, bool *named, uint32_t dir)
{
	for (; dir < st->n_dirs && !named[dir]; dir = above(st, dir))
		named[dir] = true;
}

static void name_old(const struct finalizing *st, bool *named)
{
	const struct tl_table *old = st->old;

	for (uint32_t i = 0; i < old->n_records; i++) {
		const struct tl_record *r = &old->records[i];

		if (r->dir == TL_NONE || st->gone[r->dir])
			continue;
		if (!r->n)
			name(st, named, r->dir);
		for (uint32_t k = r->first; k < r->first + r->n; k++) {
			const struct tl_row *row = &old->rows[k];

			if (!tl_finalize_keeps(st, r, row))
				continue;
			name(st, named,
				row->type == MANIFEST_DIR
					? tl_finalize_find_dir(st, r->dir, row->name)
					: r->dir);
		}
	}
}

static void name_new(const struct finalizing *st, bool *named)
{
	for (uint32_t i = 0; i < st->n_files; i++)
		if (st->drop[i] && st->files[i].what == TL_PLACED)
			name(st, named, st->files[i].dir);
	for (uint32_t i = 1; i < st->n_dirs; i++)
		if (st->dirs[i].what == TL_PLACED)
			name(st, named, i);
	for (size_t i = 0; i < st->homes.n; i++)
		if (st->homes.all[i].handle == TL_NONE)
			name(st, named, tl_finalize_find_dir(st, 0, str_of(st->homes.all[i].path)));
}

static int add_entry(struct finalizing *st, uint32_t dir)
{
	const char *path = tl_finalized_path(st, dir);
	const char *last;

	if (!path)
		return -ENOMEM;
	last = memrchr(path, '/', strlen(path) - 1);
	last = last ? last + 1 : path;
	return tl_homes_add(st, &st->subdirs,
		(struct tl_home){
			.path = tl_table_own(
				st->table, str_dup((struct str){path, (size_t)(last - path)})),
			.name = last,
			.handle = TL_NONE,
			.type = MANIFEST_DIR,
		});
}

int tl_finalize_empty(struct finalizing *st)
{
	bool *named = calloc((size_t)st->n_dirs + 1, sizeof(*named));
	int r = named ? 0 : -ENOMEM;

	if (r == 0) {
		name_old(st, named);
		name_new(st, named);
	}
	/* Directories are numbered after the one they are in: the deepest come first. */
	for (uint32_t i = st->sh->tree->n_dirs; r == 0 && i-- > 1;) {
		if (named[i] || st->gone[i])
			continue;
		r = add_entry(st, i);
		name(st, named, i);
	}
	tl_homes_sort(&st->subdirs);
	free(named);
	return r;
}
