/* SPDX-License-Identifier: Zlib */
/* Determine where each file and directory goes. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

void tl_add_entry(struct finalizer *st, struct tl_new_entry entry)
{
	if (array_reserve(st->new_entries, st->n_new_entries, st->room_new_entries))
		st->new_entries[st->n_new_entries++] = entry;
	else
		st->error = -ENOMEM;
}

/* A renamed file keeps its type, unless the new ending means another type. */
static uint8_t type_for(const struct finalizer *st, uint32_t handle, struct str name)
{
	const struct manifest_entry *x = manifest_file(st->old, handle);
	uint8_t type = manifest_type(name);

	return x && manifest_type(manifest_name(st->old, x)) == type ? x->type : type;
}

/* The name to show. A name with other escapes than a mount would choose is replaced by the chosen
 * one, because a mount looks up that form only (tree_find). */
static const char *shown_as(struct finalizer *st, const char *name, const char *stored)
{
	char own[NAME_MAX + 1] = "";

	name_escape_whole(stored, strlen(stored), own, NAME_MAX);
	return tl_own_string(st, strdup(strcasecmp(name, own) ? own : name));
}

/* New files have a placement even if they were not moved. */
static void place_file(struct finalizer *st, uint32_t h)
{
	struct tl_state *s = &st->files[h];
	const struct manifest_entry *x = manifest_file(st->old, h);
	struct tl_new_entry entry = {.handle = h, .dir = s->dir};
	struct buffer b = BUFFER_INIT;
	uint64_t size, time;

	if (!tl_map_facts(st->m, h, &size, &time))
		return; /* it never got content */
	s->has_left = s->outcome != TL_STAYS || !x ||
		      st->dirs[st->sh->tree->record_dirs[x->record]].is_gone;
	/* The case of its name may have changed. */
	if (!s->has_left && s->name)
		st->table->shown[h] = tl_own_string(st, strdup(s->name));
	if (s->outcome != TL_PLACED)
		return;
	tl_put_stored(&b, s->name, false);
	entry.name = tl_own_buffer(st, &b);
	entry.path = tl_new_path(st, s->dir, false);
	entry.type = type_for(st, h, str_of(entry.name));
	st->table->shown[h] = shown_as(st, s->name, entry.name);
	tl_add_entry(st, entry);
}

static void place_dir(struct finalizer *st, uint32_t dir)
{
	const struct tl_state *s = &st->dirs[dir];
	struct tl_new_entry entry = {
		.handle = MANIFEST_NO_FILE, .type = MANIFEST_DIR, .dir = s->dir};
	struct buffer b = BUFFER_INIT;

	if (s->outcome != TL_PLACED)
		return;
	tl_put_stored(&b, s->name, false);
	buffer_byte(&b, '/');
	entry.name = tl_own_buffer(st, &b);
	entry.path = tl_new_path(st, s->dir, false);
	tl_add_entry(st, entry);
}

/* Does the entry stay at its path? Then keep s->name if it differs at most in case. */
static bool has_stayed(const struct finalizer *st, const struct placement *p, struct tl_state *s)
{
	const struct tree *t = st->sh->tree;
	const struct tree_child *c = s->dir < t->n_dirs ? tree_find(t, s->dir, p->name) : NULL;

	if (!c || c->index != tl_index(p->id) || c->is_dir != (tl_kind_of(p->id) == TL_DIR))
		return false;
	if (strcasecmp(p->name, tree_name(t, c)) != 0)
		s->name = NULL;
	return true;
}

static void take_placement(struct finalizer *st, const struct placement *p)
{
	uint32_t i = tl_index(p->id);
	bool file = tl_kind_of(p->id) == TL_FILE && i < st->n_files;
	struct tl_state s = {.outcome = p->is_removed ? TL_GONE : TL_PLACED,
		.dir = tl_index(p->dir),
		.name = p->name,
		.time = file ? st->files[i].time : 0};

	if (!p->is_removed && !p->is_time_only && (!p->name || has_stayed(st, p, &s)))
		s.outcome = TL_STAYS;
	if (p->is_time_only && file)
		st->files[i].time = tl_filetime(&p->mtime);
	else if (file)
		st->files[i] = s;
	else if (tl_kind_of(p->id) == TL_DIR && i < st->n_dirs)
		st->dirs[i] = s;
	else if (p->id == tl_id(TL_CONTROL, TL_CONTROL_INFO))
		st->info_removed = p->is_removed;
	else if (p->id == tl_id(TL_CONTROL, TL_CONTROL_KIT))
		st->kit_removed = p->is_removed;
}

static int allocate(struct finalizer *st)
{
	const struct tree *t = st->sh->tree;

	st->n_files = tl_n_files(st->m);
	st->n_dirs = tl_n_dirs(st->m);
	st->files = calloc((size_t)st->n_files + 1, sizeof(*st->files));
	st->dirs = calloc((size_t)st->n_dirs + 1, sizeof(*st->dirs));
	st->table = calloc(1, sizeof(*st->table));
	if (!st->files || !st->dirs || !st->table)
		return -ENOMEM;
	st->table->manifest = manifest_new(st->old->version, manifest_root(st->old));
	st->table->shown = calloc((size_t)st->n_files + 1, sizeof(*st->table->shown));
	if (!st->table->manifest || !st->table->shown)
		return -ENOMEM;
	st->table->manifest->step = st->old->step;
	for (uint32_t i = 0; i < t->n_children; i++)
		if (!t->children[i].is_dir)
			st->table->shown[t->children[i].index] = tree_name(t, &t->children[i]);
	return 0;
}

int tl_finalize_begin(struct finalizer *st, const struct placement *p, size_t n)
{
	const struct tree *t = st->sh->tree;
	int r = allocate(st);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		take_placement(st, &p[i]);
	/* A directory has a higher number than its parent. */
	for (uint32_t i = 1; i < t->n_dirs; i++) {
		struct tl_state *s = &st->dirs[i];
		const struct tl_state *above = &st->dirs[t->dirs[i].parent];

		s->is_moved = s->outcome == TL_PLACED || above->is_moved;
		s->is_gone = s->outcome == TL_GONE || (s->outcome == TL_STAYS && above->is_gone);
	}
	/* A new directory that still exists has a placement. */
	for (uint32_t i = t->n_dirs; i < st->n_dirs; i++)
		st->dirs[i].is_gone = st->dirs[i].outcome != TL_PLACED;
	for (uint32_t i = 0; i < st->n_files; i++)
		place_file(st, i);
	for (uint32_t i = 1; i < st->n_dirs; i++)
		place_dir(st, i);
	return st->error;
}

void tl_finalize_finish(struct finalizer *st)
{
	free(st->files);
	free(st->dirs);
	free(st->new_entries);
	tl_table_free(st->table);
	modheader_unref(st->kit);
	removed_set_finish(&st->removed);
}
