/* SPDX-License-Identifier: Zlib */
/* The records and entries of a finalized archive. */
#include <errno.h>
#include <string.h>

#include "codec/text/text.h"
#include "base/array.h"
#include "formats/torchlight/finalize/plan.h"

/* A record of the new table while it is made: an old one, or one that is new. */
struct slot {
	struct str path;
	uint32_t old;    /* in the old table, or TL_NONE */
	uint32_t anchor; /* it stands before this old one */
	bool has_file, has_dir;
	const struct tl_home *first; /* added to it */
	size_t n;
	const struct tl_home *first_dir;
	size_t n_dirs;
};

struct building {
	struct finalizing *st;
	struct slot *slots; /* the old ones, in order, then new ones */
	size_t n, room, n_old;
	uint32_t *sorted;   /* old ones by path */
	uint32_t last_file; /* the last old one that has files, + 1 */
};

static struct slot *new_slot(struct building *b)
{
	if (!array_room(b->slots, b->n, b->room))
		return NULL;
	b->slots[b->n] = (struct slot){.old = TL_NONE};
	return &b->slots[b->n++];
}

static int take_old(struct building *b)
{
	const struct tl_table *old = b->st->old;

	for (uint32_t i = 0; i < old->n_records; i++) {
		const struct tl_record *r = &old->records[i];
		struct slot *s = new_slot(b);

		if (!s)
			return -ENOMEM;
		s->path = r->path;
		s->old = i;
		s->anchor = i;
		if (r->dir != TL_NONE && b->st->changed[r->dir]) {
			const char *path = tl_finalized_path(b->st, r->dir);

			if (!path)
				return -ENOMEM;
			s->path = str_of(path);
		}
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			*(old->rows[k].type == MANIFEST_DIR ? &s->has_dir : &s->has_file) = true;
		if (s->has_file)
			b->last_file = i + 1;
	}
	b->n_old = b->n;
	return 0;
}

static int by_path(const void *x, const void *y, void *arg)
{
	const struct slot *slots = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int r = str_compare(slots[a].path, slots[b].path);

	return r ? r : (a > b) - (a < b);
}

static int sort_old(struct building *b)
{
	b->sorted = calloc(b->n_old + 1, sizeof(*b->sorted));
	if (!b->sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->n_old; i++)
		b->sorted[i] = i;
	qsort_r(b->sorted, b->n_old, sizeof(*b->sorted), by_path, b->slots);
	return 0;
}

/* The first of the sorted old ones that is not before path. */
static size_t lower(const struct building *b, struct str path)
{
	size_t low = 0, high = b->n_old;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (str_compare(b->slots[b->sorted[mid]].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The record of this path for files, or for directories; NULL: none that would do. */
static struct slot *find(struct building *b, struct str path, bool dirs)
{
	struct slot *other = NULL, *s;

	for (size_t i = lower(b, path); i < b->n_old; i++) {
		s = &b->slots[b->sorted[i]];
		if (!str_equal(s->path, path))
			break;
		if (dirs ? s->has_dir : s->has_file)
			return s;
		if (!b->st->sh->split || (!s->has_dir && !s->has_file))
			other = s;
	}
	/* New ones are made in the order of their paths. */
	for (size_t i = b->n; !other && i-- > b->n_old;)
		if (str_equal(b->slots[i].path, path) &&
			(!b->st->sh->split || (dirs ? b->slots[i].has_dir : b->slots[i].has_file)))
			return &b->slots[i];
	return other;
}

static uint32_t anchor_of(const struct building *b, struct str path, bool dirs)
{
	bool split = b->st->sh->split;
	uint32_t from = split && dirs ? b->last_file : 0;
	uint32_t to = split && !dirs ? b->last_file : (uint32_t)b->n_old;

	/* The record of the root, which names MEDIA, comes first. */
	if (from == 0 && b->n_old && !b->slots[0].path.n)
		from = 1;
	for (uint32_t i = from; i < to; i++) {
		const struct slot *s = &b->slots[i];

		if (split && !(dirs ? s->has_dir : s->has_file))
			continue;
		if (str_compare(s->path, path) > 0)
			return i;
	}
	return to > from ? to : from;
}

static struct slot *need(struct building *b, const char *path, bool dirs)
{
	struct slot *s = find(b, str_of(path), dirs);

	if (s)
		return s;
	s = new_slot(b);
	if (!s)
		return NULL;
	s->path = str_of(path);
	s->anchor = anchor_of(b, s->path, dirs);
	*(dirs ? &s->has_dir : &s->has_file) = true;
	return s;
}

static int add_all(struct building *b, const struct tl_homes *l, bool dirs)
{
	for (size_t i = 0, n; i < l->n; i += n) {
		struct slot *s = need(b, l->all[i].path, dirs);

		if (!s)
			return -ENOMEM;
		for (n = 1; i + n < l->n && !strcmp(l->all[i + n].path, l->all[i].path); n++)
			;
		*(dirs ? &s->first_dir : &s->first) = &l->all[i];
		*(dirs ? &s->n_dirs : &s->n) = n;
	}
	return 0;
}

static int by_anchor(const void *x, const void *y)
{
	const struct slot *a = x, *b = y;

	if (a->anchor != b->anchor)
		return a->anchor < b->anchor ? -1 : 1;
	/* What is new stands before the one it was made for, files before directories. */
	if ((a->old == TL_NONE) != (b->old == TL_NONE))
		return a->old == TL_NONE ? -1 : 1;
	if (a->has_dir != b->has_dir && a->old == TL_NONE)
		return a->has_dir ? 1 : -1;
	return str_compare(a->path, b->path);
}

static void put_row(
	struct building *b, struct str name, uint32_t handle, uint8_t type, const char *shown)
{
	struct tl_table *t = b->st->table;
	struct tl_record *r = &t->records[t->n_records];

	for (uint32_t i = r->first; type == MANIFEST_DIR && i < t->n_rows; i++)
		if (t->rows[i].type == MANIFEST_DIR && str_equal_nocase(t->rows[i].name, name))
			return;
	t->rows[t->n_rows++] = (struct tl_row){
		name, handle, type, shown, handle == TL_NONE ? 0 : b->st->times[handle]};
	r->n++;
}

/* One that the archive has without an entry is a directory; of others empty.c told. */
static bool is_needed(const struct building *b, const struct tl_record *old)
{
	if (b->st->table->records[b->st->table->n_records].n)
		return true;
	return old && !old->n && !(old->dir != TL_NONE && b->st->gone[old->dir]);
}

/* What stayed may be called in other letters; NULL: it is not. */
static const char *shown_as(const struct building *b, const struct tl_row *row)
{
	const char *name = row->handle == TL_NONE ? NULL : b->st->files[row->handle].name;

	if (name && !(name = tl_table_own(b->st->table, strdup(name))))
		b->st->error = -ENOMEM;
	return name;
}

static void put_record(struct building *b, const struct slot *s)
{
	const struct finalizing *st = b->st;
	struct tl_table *t = b->st->table;
	const struct tl_record *old = s->old == TL_NONE ? NULL : &st->old->records[s->old];

	t->records[t->n_records] = (struct tl_record){
		.path = s->path, .dir = old ? old->dir : TL_NONE, .first = t->n_rows};
	for (uint32_t i = 0; old && i < old->n; i++) {
		const struct tl_row *row = &st->old->rows[old->first + i];

		if (tl_finalize_keeps(st, old, row))
			put_row(b, row->name, row->handle, row->type, shown_as(b, row));
	}
	for (size_t i = 0; i < s->n; i++)
		put_row(b, str_of(s->first[i].name), s->first[i].handle, s->first[i].type,
			s->first[i].shown);
	for (size_t i = 0; i < s->n_dirs; i++)
		put_row(b, str_of(s->first_dir[i].name), TL_NONE, MANIFEST_DIR, NULL);
	t->n_records += is_needed(b, old);
}

/* Directories that stand, and may be called otherwise than the archive has them. */
static int call_dirs(struct finalizing *st)
{
	const struct tree *old = st->sh->tree;
	struct tl_table *t = st->table;

	t->dirs = calloc((size_t)st->n_dirs + 1, sizeof(*t->dirs));
	for (uint32_t i = 1; t->dirs && i < st->n_dirs; i++) {
		if (st->gone[i] || (!st->dirs[i].name && !old->dirs[i].called))
			continue;
		t->dirs[t->n_dirs] = tl_shown_path(st, i);
		if (!t->dirs[t->n_dirs++])
			return -ENOMEM;
	}
	return t->dirs ? 0 : -ENOMEM;
}

int tl_finalize_table(struct finalizing *st)
{
	struct building b = {.st = st};
	struct tl_table *t = st->table;
	int r = take_old(&b);

	if (r == 0)
		r = sort_old(&b);
	if (r == 0)
		r = add_all(&b, &st->homes, false);
	if (r == 0)
		r = add_all(&b, &st->subdirs, true);
	if (r == 0) {
		size_t n = st->old->n_rows + st->homes.n + st->subdirs.n;

		t->records = calloc(b.n + 1, sizeof(*t->records));
		t->rows = calloc(n + 1, sizeof(*t->rows));
		r = t->records && t->rows ? 0 : -ENOMEM;
	}
	if (r == 0) {
		if (b.n)
			qsort(b.slots, b.n, sizeof(*b.slots), by_anchor);
		for (size_t i = 0; i < b.n; i++)
			put_record(&b, &b.slots[i]);
		r = call_dirs(st);
	}
	free(b.slots);
	free(b.sorted);
	return r;
}
