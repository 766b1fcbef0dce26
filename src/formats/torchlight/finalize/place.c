/* SPDX-License-Identifier: Zlib */
/* Where each file and directory is to stand. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "codec/text/text.h"
#include "formats/torchlight/finalize/finalize.h"
#include "formats/torchlight/finalize/plan.h"

int tl_homes_add(struct finalizing *st, struct tl_homes *l, struct tl_home home)
{
	if (home.path && home.name && (home.shown || home.handle == TL_NONE) &&
		array_room(l->all, l->n, l->room))
		l->all[l->n++] = home;
	else
		st->error = -ENOMEM;
	return st->error;
}

/* Of a file that only changed its name, the kind that somebody gave it stays. */
static uint8_t type_for(const struct finalizing *st, uint32_t handle, struct str name)
{
	const struct manifest *m = st->sh->manifest;
	uint8_t type = manifest_type(name);

	if (handle < m->n_entries && manifest_type(manifest_name(m, &m->entries[handle])) == type)
		return m->entries[handle].type;
	return type;
}

/* What is called by other escapes than a mount would choose is so no more: it looks for names in
 * one form (tree_find). */
static const char *shown_as(struct finalizing *st, const char *name, const char *stored)
{
	char own[NAME_MAX + 1] = "";

	if (stored)
		name_escape_whole(stored, strlen(stored), own, NAME_MAX);
	return tl_table_own(st->table, strdup(strcasecmp(name, own) ? own : name));
}

/* What was made is told as placed even where it stands as it was made. */
static void place_file(struct finalizing *st, uint32_t h)
{
	const struct tl_state *s = &st->files[h];
	const struct manifest *m = st->sh->manifest;
	struct tl_home home = {.handle = h, .seq = (uint32_t)st->homes.n};
	struct buffer b = BUFFER_INIT;
	uint64_t size, time;

	if (!tl_map_facts(st->m, h, &size, &time))
		return; /* it was never given any content */
	if (s->what == TL_STAYS && h < m->n_entries &&
		!st->gone[st->sh->tree->record_dirs[m->entries[h].record]])
		return;
	st->drop[h] = true;
	if (s->what != TL_PLACED)
		return;
	tl_put_stored(&b, s->name);
	home.name = tl_table_own_buffer(st->table, &b);
	home.shown = shown_as(st, s->name, home.name);
	home.path = tl_finalized_path(st, s->dir);
	if (home.name)
		home.type = type_for(st, h, str_of(home.name));
	(void)tl_homes_add(st, &st->homes, home);
}

static void place_dir(struct finalizing *st, uint32_t dir)
{
	const struct tl_state *s = &st->dirs[dir];
	struct tl_home home = {.handle = TL_NONE, .type = MANIFEST_DIR};
	struct buffer b = BUFFER_INIT;

	if (s->what != TL_PLACED)
		return;
	tl_put_stored(&b, s->name);
	buffer_byte(&b, '/');
	home.name = tl_table_own_buffer(st->table, &b);
	home.path = tl_finalized_path(st, s->dir);
	(void)tl_homes_add(st, &st->subdirs, home);
}

/* It is told of for the letters that its name is written in. */
static bool stays(const struct finalizing *st, const struct placement *p, struct tl_state *s)
{
	const struct tree *t = st->sh->tree;
	const struct tree_child *c = s->dir < t->n_dirs ? tree_find(t, s->dir, p->name) : NULL;

	if (!c || c->index != tl_index(p->id) || c->dir != (tl_kind_of(p->id) == TL_DIR))
		return false;
	if (strcasecmp(p->name, tree_name(t, c)) != 0)
		s->name = NULL;
	return true;
}

static void take(struct finalizing *st, const struct placement *p)
{
	uint32_t i = tl_index(p->id);
	struct tl_state s = {p->removed ? TL_GONE : TL_PLACED, tl_index(p->dir), p->name};

	if (p->stamp) {
		if (i < st->n_files && tl_kind_of(p->id) == TL_FILE)
			st->times[i] = tl_filetime(&p->mtime);
		return;
	}
	if (!p->removed && (!p->name || stays(st, p, &s)))
		s.what = TL_STAYS;
	if (tl_kind_of(p->id) == TL_DIR && i < st->n_dirs)
		st->dirs[i] = s;
	else if (tl_kind_of(p->id) == TL_CONTROL && i == TL_CONTROL_INFO)
		st->info_removed = p->removed;
	else if (p->id == tl_id(TL_CONTROL, TL_CONTROL_KIT))
		st->kit_removed = p->removed;
	else if (tl_kind_of(p->id) == TL_FILE && i < st->n_files)
		st->files[i] = s;
}

static int compare(const void *x, const void *y)
{
	const struct tl_home *a = x, *b = y;
	int r = strcmp(a->path, b->path);

	if (r == 0)
		r = strcmp(a->name, b->name);
	return r ? r : (a->seq > b->seq) - (a->seq < b->seq);
}

/* In order; where two have one place, what came last has it. */
void tl_homes_sort(struct tl_homes *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->all, l->n, sizeof(*l->all), compare);
	for (size_t i = 0; i < l->n; i++) {
		if (n && strcmp(l->all[n - 1].path, l->all[i].path) == 0 &&
			strcmp(l->all[n - 1].name, l->all[i].name) == 0)
			n--;
		l->all[n++] = l->all[i];
	}
	l->n = n;
}

static bool has_path(const struct tl_home *home, struct str path)
{
	struct str dir = str_of(home->path), name = {path.s + dir.n, path.n - dir.n};

	return path.n > dir.n && str_equal_nocase((struct str){path.s, dir.n}, dir) &&
	       str_equal_nocase(name, str_of(home->name));
}

bool tl_finalize_has_home(const struct finalizing *st, struct str path)
{
	/* Not by bisection: paths of a different depth are sorted another way than whole ones. */
	for (size_t i = 0; i < st->homes.n; i++)
		if (st->homes.all[i].handle != TL_NONE && has_path(&st->homes.all[i], path))
			return true;
	return false;
}

static int allocate(struct finalizing *st)
{
	st->n_files = tl_n_files(st->m);
	st->n_dirs = tl_n_dirs(st->m);
	st->files = calloc((size_t)st->n_files + 1, sizeof(*st->files));
	st->dirs = calloc((size_t)st->n_dirs + 1, sizeof(*st->dirs));
	st->times = calloc((size_t)st->n_files + 1, sizeof(*st->times));
	st->drop = calloc((size_t)st->n_files + 1, sizeof(*st->drop));
	st->changed = calloc((size_t)st->sh->tree->n_dirs + 1, sizeof(*st->changed));
	st->gone = calloc((size_t)st->n_dirs + 1, sizeof(*st->gone));
	st->table = calloc(1, sizeof(*st->table));
	if (!st->gone || !st->files || !st->dirs || !st->times || !st->drop || !st->changed ||
		!st->table)
		return -ENOMEM;
	atomic_init(&st->table->refs, 1);
	return removed_set_of(st->m->removed, &st->removed);
}

int tl_finalize_begin(struct finalizing *st, const struct placement *p, size_t n)
{
	const struct tree *t = st->sh->tree;
	int r = allocate(st);

	if (r == 0)
		r = tl_table_of(st->m, &st->old, NULL);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		take(st, &p[i]);
	/* Directories are numbered after the one they are in. */
	for (uint32_t i = 1; i < t->n_dirs; i++) {
		enum tl_what what = st->dirs[i].what;
		uint32_t above = t->dirs[i].parent;

		st->changed[i] = what == TL_PLACED || st->changed[above];
		st->gone[i] = what == TL_GONE || (what == TL_STAYS && st->gone[above]);
	}
	/* What was made and stands is told as placed. */
	for (uint32_t i = t->n_dirs; i < st->n_dirs; i++)
		st->gone[i] = st->dirs[i].what != TL_PLACED;
	for (uint32_t i = 0; i < st->n_files; i++)
		place_file(st, i);
	for (uint32_t i = 1; i < st->n_dirs; i++)
		place_dir(st, i);
	tl_homes_sort(&st->homes);
	tl_homes_sort(&st->subdirs);
	return st->error;
}

void tl_finalize_finish(struct finalizing *st)
{
	free(st->files);
	free(st->dirs);
	free(st->times);
	free(st->drop);
	free(st->changed);
	free(st->gone);
	free(st->homes.all);
	free(st->subdirs.all);
	tl_table_unref(st->old);
	tl_table_unref(st->table);
	tl_header_unref(st->kit);
	removed_set_finish(&st->removed);
}
