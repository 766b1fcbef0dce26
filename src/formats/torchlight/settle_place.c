/* SPDX-License-Identifier: Zlib */
/* Where each file and directory is to stand. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "codec/text.h"
#include "formats/torchlight/lens.h"
#include "formats/torchlight/settle.h"
#include "formats/torchlight/settle_plan.h"
#include "formats/torchlight/structure.h"

const char *tl_table_own(struct tl_table *t, char *take)
{
	char **owned;

	if (!take)
		return NULL;
	if ((t->n_owned & (t->n_owned - 1)) == 0) {
		owned = realloc(t->owned, (t->n_owned ? 2 * t->n_owned : 1) * sizeof(*owned));
		if (!owned) {
			free(take);
			return NULL;
		}
		t->owned = owned;
	}
	t->owned[t->n_owned++] = take;
	return take;
}

/* The first n bytes of a path's name as they are stored: unescaped, ASCII letters upper case. */
static void put_stored(struct buffer *out, const char *name, size_t n)
{
	char stored[NAME_MAX + 1];

	n = name_unescape(name, n < NAME_MAX ? n : NAME_MAX, stored);
	for (size_t i = 0; i < n; i++)
		if (stored[i] >= 'a' && stored[i] <= 'z')
			stored[i] = (char)(stored[i] - 32);
	buffer_append(out, stored, n);
}

/* A directory of the mount that stays: its name as it is stored, in whichever case. */
static void put_kept(struct buffer *out, const char *name)
{
	char stored[NAME_MAX + 1];
	size_t n = name_unescape(name, strlen(name), stored);

	buffer_append(out, stored, n);
}

static const char *made_dir(struct settling *st, uint32_t dir, uint32_t *ret_above)
{
	uint32_t k = dir - st->sh->tree->n_dirs;
	const char *name;

	pthread_mutex_lock(&st->sh->lock);
	name = st->sh->dirs.all[k].name;
	*ret_above = st->sh->dirs.all[k].dir;
	pthread_mutex_unlock(&st->sh->lock);
	return name;
}

/* depth is for a tree that was tied into a loop, which nobody should be able to do. */
static void put_dir(struct settling *st, uint32_t dir, struct buffer *out, unsigned depth)
{
	const struct tree *t = st->sh->tree;
	const struct tl_state *s = &st->dirs[dir];
	const char *name;
	uint32_t above;

	if (dir == 0 || depth > UINT16_MAX)
		return;
	if (s->what == TL_PLACED) {
		put_dir(st, s->dir, out, depth + 1);
		put_stored(out, s->name, strlen(s->name));
	} else if (dir < t->n_dirs) {
		put_dir(st, t->dirs[dir].parent, out, depth + 1);
		put_kept(out, tree_name(t, &t->children[t->dirs[dir].self]));
	} else {
		name = made_dir(st, dir, &above);
		put_dir(st, above, out, depth + 1);
		put_stored(out, name, strlen(name));
	}
	buffer_byte(out, '/');
}

static char *finish(struct buffer *b)
{
	char *s;

	buffer_byte(b, 0);
	s = b->error ? NULL : strdup((const char *)b->data);
	buffer_finish_free(b);
	return s;
}

const char *tl_settled_path(struct settling *st, uint32_t dir)
{
	struct buffer b = BUFFER_INIT;

	put_dir(st, dir, &b, 0);
	return tl_table_own(st->table, finish(&b));
}

static void add(struct settling *st, struct tl_homes *l, struct tl_home home)
{
	struct tl_home *all;

	if (!home.path || !home.name) {
		st->error = -ENOMEM;
		return;
	}
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 64;

		all = reallocarray(l->all, room, sizeof(*all));
		if (!all) {
			st->error = -ENOMEM;
			return;
		}
		l->all = all;
		l->room = room;
	}
	l->all[l->n++] = home;
}

/* Of a file that only changed its name, the kind that somebody gave it stays. */
static uint8_t type_for(const struct settling *st, uint32_t handle, struct str name)
{
	const struct manifest *m = st->sh->manifest;
	uint8_t type = manifest_type(name);

	if (handle < m->n_entries && manifest_type(manifest_name(m, &m->entries[handle])) == type)
		return m->entries[handle].type;
	return type;
}

/* The file of this handle stands at the state's place. */
static void add_home(struct settling *st, uint32_t handle, const struct tl_state *s, bool text)
{
	struct buffer b = BUFFER_INIT;
	size_t n = text ? tl_text_stem(s->name) : strlen(s->name);
	struct tl_home home = {.handle = handle, .seq = (uint32_t)st->homes.n};

	put_stored(&b, s->name, n);
	home.name = tl_table_own(st->table, finish(&b));
	home.path = tl_settled_path(st, s->dir);
	if (home.name)
		home.type = type_for(st, handle, str_of(home.name));
	add(st, &st->homes, home);
}

static bool same_place(const struct tl_state *file, const struct tl_state *text)
{
	size_t n = tl_text_stem(text->name);

	return file->dir == text->dir && strlen(file->name) == n &&
	       !strncasecmp(file->name, text->name, n);
}

/* A file by its two names: the rules are told in structure.h. */
static void place_file(struct settling *st, uint32_t h)
{
	struct tl_state *file = &st->files[h], *text = &st->texts[h];
	const struct manifest *m = st->sh->manifest;
	bool made = h >= m->n_entries;
	uint64_t size, time;

	if (!made && st->gone[st->sh->tree->record_dirs[m->entries[h].record]]) {
		file->what = file->what == TL_STAYS ? TL_GONE : file->what;
		text->what = text->what == TL_STAYS ? TL_GONE : text->what;
	}

	if (file->what == TL_STAYS && text->what != TL_PLACED)
		return;
	if (!tl_map_facts(st->m, h, &size, &time))
		return; /* it was never given any content */
	if (file->what == TL_GONE && text->what == TL_STAYS && !made && tl_written_last(st->sh, h))
		return;
	st->drop[h] = true;
	if (file->what == TL_PLACED)
		add_home(st, h, file, false);
	if (text->what == TL_PLACED && (file->what != TL_PLACED || !same_place(file, text)))
		add_home(st, h, text, true);
}

static void place_dir(struct settling *st, uint32_t dir)
{
	const struct tl_state *s = &st->dirs[dir];
	struct tl_home home = {.handle = TL_NONE, .type = MANIFEST_DIR};
	struct buffer b = BUFFER_INIT;

	if (s->what != TL_PLACED)
		return;
	put_stored(&b, s->name, strlen(s->name));
	buffer_byte(&b, '/');
	home.name = tl_table_own(st->table, finish(&b));
	home.path = tl_settled_path(st, s->dir);
	add(st, &st->subdirs, home);
}

static void take(struct settling *st, const struct placement *p)
{
	uint32_t i = tl_index(p->id);
	struct tl_state s = {p->removed ? TL_GONE : TL_PLACED, tl_index(p->dir), p->name};

	if (!p->removed && !p->name)
		s.what = TL_STAYS;
	if (tl_kind_of(p->id) == TL_DIR && i < st->n_dirs)
		st->dirs[i] = s;
	else if (tl_kind_of(p->id) == TL_FILE && i < st->n_files)
		st->files[i] = s;
	else if (tl_kind_of(p->id) == TL_TEXT && i < st->n_files)
		st->texts[i] = s;
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
static void sort(struct tl_homes *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->all, l->n, sizeof(*l->all), compare);
	for (size_t i = 0; i < l->n; i++) {
		if (n && !strcmp(l->all[n - 1].path, l->all[i].path) &&
			!strcmp(l->all[n - 1].name, l->all[i].name))
			n--;
		l->all[n++] = l->all[i];
	}
	l->n = n;
}

static int compare_path(const struct tl_home *home, struct str path)
{
	size_t n = strlen(home->path);
	int r = strncasecmp(home->path, path.s, n < path.n ? n : path.n);

	if (r || path.n <= n)
		return r ? r : 1;
	r = strncasecmp(home->name, path.s + n, path.n - n);
	return r ? r : strlen(home->name) > path.n - n;
}

bool tl_settle_has_home(const struct settling *st, struct str path)
{
	/* Not by bisection: paths of a different depth are sorted another way than whole ones. */
	for (size_t i = 0; i < st->homes.n; i++)
		if (st->homes.all[i].handle != TL_NONE && !compare_path(&st->homes.all[i], path))
			return true;
	return false;
}

/* Removed files that no entry says yet. */
static int add_removed(struct settling *st)
{
	const struct manifest *m = st->sh->manifest;
	CLEANUP_BUFFER struct buffer said = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct removed_set set = {0};
	struct str path;
	size_t at = 0;
	int r;

	for (uint32_t i = 0; i < m->n_entries; i++) {
		if (!m->entries[i].removed ||
			st->changed[st->sh->tree->record_dirs[m->entries[i].record]])
			continue;
		buffer_str(&said, manifest_path(m, &m->records[m->entries[i].record]));
		buffer_str(&said, manifest_name(m, &m->entries[i]));
		buffer_byte(&said, '\n');
	}
	r = buffer_finish(&said, &text);
	if (r == 0)
		r = removed_set_of(text, &set);
	while (r == 0 && removed_next(st->m->removed, &at, &path)) {
		const char *slash = memrchr(path.s, '/', path.n);
		size_t dir = slash ? (size_t)(slash - path.s) + 1 : 0;
		struct tl_home home = {.handle = TL_NONE, .seq = (uint32_t)st->homes.n};

		if (removed_set_has(&set, path) || dir == path.n)
			continue;
		home.path = tl_table_own(st->table, strndup(path.s, dir));
		home.name = tl_table_own(st->table, strndup(path.s + dir, path.n - dir));
		home.type = manifest_type((struct str){path.s + dir, path.n - dir});
		add(st, &st->homes, home);
		r = st->error;
	}
	removed_set_finish(&set);
	return r;
}

static int allocate(struct settling *st)
{
	st->n_files = tl_n_files(st->sh);
	st->n_dirs = tl_n_dirs(st->sh);
	st->files = calloc((size_t)st->n_files + 1, sizeof(*st->files));
	st->texts = calloc((size_t)st->n_files + 1, sizeof(*st->texts));
	st->dirs = calloc((size_t)st->n_dirs + 1, sizeof(*st->dirs));
	st->drop = calloc((size_t)st->n_files + 1, sizeof(*st->drop));
	st->changed = calloc((size_t)st->sh->tree->n_dirs + 1, sizeof(*st->changed));
	st->gone = calloc((size_t)st->sh->tree->n_dirs + 1, sizeof(*st->gone));
	st->table = calloc(1, sizeof(*st->table));
	if (!st->gone || !st->files || !st->texts || !st->dirs || !st->drop || !st->changed ||
		!st->table)
		return -ENOMEM;
	atomic_init(&st->table->refs, 1);
	return removed_set_of(st->m->removed, &st->removed);
}

int tl_settle_begin(struct settling *st, const struct placement *p, size_t n)
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
	for (uint32_t i = 0; i < st->n_files; i++)
		place_file(st, i);
	for (uint32_t i = 1; i < st->n_dirs; i++)
		place_dir(st, i);
	r = st->error ? st->error : add_removed(st);
	sort(&st->homes);
	sort(&st->subdirs);
	return r;
}

void tl_settle_finish(struct settling *st)
{
	free(st->files);
	free(st->texts);
	free(st->dirs);
	free(st->drop);
	free(st->changed);
	free(st->gone);
	free(st->homes.all);
	free(st->subdirs.all);
	tl_table_unref(st->old);
	tl_table_unref(st->table);
	removed_set_finish(&st->removed);
}
