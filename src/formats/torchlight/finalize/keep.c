/* SPDX-License-Identifier: Zlib */
/*
 * Find the old entries that keep their place. Add entries for directories that no path names any
 * more, because their content was moved or removed.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

uint32_t tl_finalize_find_dir(const struct finalizer *st, uint32_t dir, struct str path)
{
	char shown[NAME_MAX + 1];

	while (path.n) {
		struct str part = str_cut(&path, '/');
		const struct tree_child *c = NULL;

		if (!part.n)
			continue;
		if (name_escape_whole(part.s, part.n, shown, NAME_MAX))
			c = tree_find(st->sh->tree, dir, shown);
		if (!c || !c->is_dir)
			return dir;
		if (st->dirs[c->index].outcome != TL_STAYS || st->dirs[c->index].is_gone)
			return NO_DIR;
		dir = c->index;
	}
	return dir;
}

static bool keep_removed(const struct finalizer *st, const struct manifest_entry *x)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
	const struct removed_path *p;

	manifest_put_path(st->old, x, &path);
	p = removed_set_find(&st->removed, str_of_buffer(&path));
	return path.error || (p && !p->is_provided);
}

bool tl_finalize_keeps(const struct finalizer *st, const struct manifest_entry *x)
{
	uint32_t dir = st->sh->tree->record_dirs[x->record];

	if (x->type == MANIFEST_DIR)
		return tl_finalize_find_dir(st, dir, manifest_name(st->old, x)) != NO_DIR;
	/* Removed files keep their paths: removed.c adds new entries if the directory moved. */
	if (manifest_removed(x))
		return !st->dirs[dir].is_moved && keep_removed(st, x);
	return !st->files[x->handle].has_left;
}

static uint32_t new_parent(const struct finalizer *st, uint32_t dir)
{
	if (st->dirs[dir].outcome == TL_PLACED)
		return st->dirs[dir].dir;
	return dir < st->sh->tree->n_dirs ? st->sh->tree->dirs[dir].parent : 0;
}

/* Mark a directory and its parents: a path names all directories in it. */
static void mark_named(const struct finalizer *st, bool *named, uint32_t dir)
{
	for (; dir < st->n_dirs && !named[dir]; dir = new_parent(st, dir))
		named[dir] = true;
}

static void mark_named_by_old(const struct finalizer *st, bool *named)
{
	const uint32_t *dirs = st->sh->tree->record_dirs;

	for (uint32_t i = 0; i < st->old->n_records; i++)
		if (!st->dirs[dirs[i]].is_gone && !st->old->records[i].n)
			mark_named(st, named, dirs[i]);
	for (uint32_t i = 0; i < st->old->n_entries; i++) {
		const struct manifest_entry *x = &st->old->entries[i];
		uint32_t dir = dirs[x->record];

		if (st->dirs[dir].is_gone || !tl_finalize_keeps(st, x))
			continue;
		mark_named(st, named,
			x->type == MANIFEST_DIR
				? tl_finalize_find_dir(st, dir, manifest_name(st->old, x))
				: dir);
	}
}

static void add_dir_entry(struct finalizer *st, uint32_t dir)
{
	const char *path = tl_new_path(st, dir, false);
	size_t n = strlen(path);
	const char *slash = memrchr(path, '/', n ? n - 1 : 0);

	n = slash ? (size_t)(slash - path) + 1 : 0;
	tl_add_entry(st, (struct tl_new_entry){
				 .path = tl_own_string(st, str_dup((struct str){path, n})),
				 .name = path + n,
				 .handle = MANIFEST_NO_FILE,
				 .type = MANIFEST_DIR,
			 });
}

int tl_finalize_dirs(struct finalizer *st)
{
	CLEANUP(free) bool *named = calloc((size_t)st->n_dirs + 1, sizeof(*named));

	if (!named)
		return -ENOMEM;
	mark_named_by_old(st, named);
	for (size_t i = 0; i < st->n_new_entries; i++)
		mark_named(st, named, st->new_entries[i].dir);
	/* A directory has a higher number than its parent, so the deepest come first. */
	for (uint32_t i = st->sh->tree->n_dirs; i-- > 1;) {
		if (named[i] || st->dirs[i].is_gone || st->dirs[i].outcome == TL_PLACED)
			continue;
		add_dir_entry(st, i);
		mark_named(st, named, i);
	}
	return st->error;
}
