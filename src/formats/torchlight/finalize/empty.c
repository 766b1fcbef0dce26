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

static void name_path(const struct finalizing *st, bool *named, uint32_t dir, struct str path)
{
	if (tl_finalize_find_dir(st, dir, path, &dir))
		name(st, named, dir);
}

static void name_old(const struct finalizing *st, bool *named)
{
	const uint32_t *dirs = st->sh->tree->record_dirs;

	for (uint32_t i = 0; i < st->old->n_records; i++)
		if (!st->dirs[dirs[i]].gone && !st->old->records[i].n)
			name(st, named, dirs[i]);
	for (uint32_t i = 0; i < st->old->n_entries; i++) {
		const struct manifest_entry *x = &st->old->entries[i];
		uint32_t dir = dirs[x->record];

		if (st->dirs[dir].gone || !tl_finalize_keeps(st, x))
			continue;
		if (x->type == MANIFEST_DIR)
			name_path(st, named, dir, manifest_name(st->old, x));
		else
			name(st, named, dir);
	}
}

static void name_new(const struct finalizing *st, bool *named)
{
	for (uint32_t i = 0; i < st->n_files; i++)
		if (st->files[i].away && st->files[i].what == TL_PLACED)
			name(st, named, st->files[i].dir);
	for (uint32_t i = 1; i < st->n_dirs; i++)
		if (st->dirs[i].what == TL_PLACED)
			name(st, named, i);
	for (size_t i = 0; i < st->n_homes; i++)
		if (st->homes[i].handle == MANIFEST_NO_FILE && st->homes[i].type != MANIFEST_DIR)
			name_path(st, named, 0, str_of(st->homes[i].path));
}

static void add_entry(struct finalizing *st, uint32_t dir)
{
	const char *path = tl_new_path(st, dir, false);
	size_t n = strlen(path);
	const char *slash = memrchr(path, '/', n ? n - 1 : 0);

	n = slash ? (size_t)(slash - path) + 1 : 0;
	tl_home_add(st, (struct tl_home){
				.path = tl_own(st, str_dup((struct str){path, n})),
				.name = path + n,
				.handle = MANIFEST_NO_FILE,
				.type = MANIFEST_DIR,
			});
}

int tl_finalize_empty(struct finalizing *st)
{
	CLEANUP(free) bool *named = calloc((size_t)st->n_dirs + 1, sizeof(*named));

	if (!named)
		return -ENOMEM;
	name_old(st, named);
	name_new(st, named);
	/* Directories are numbered after the one they are in: the deepest come first. */
	for (uint32_t i = st->sh->tree->n_dirs; i-- > 1;) {
		if (named[i] || st->dirs[i].gone)
			continue;
		add_entry(st, i);
		name(st, named, i);
	}
	return st->error;
}
