/* SPDX-License-Identifier: Zlib */
/* Build the manifest of a finalized archive. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "formats/torchlight/finalize/plan.h"

/* A record of the new manifest: an old or a new one. */
struct slot {
	struct hash_link link; /* by path */
	struct str path;
	const struct manifest_record *old; /* NULL: it is new */
	uint32_t anchor;                   /* it comes before this old record */
	bool has_file, has_dir;
	const struct tl_new_entry *first; /* entries to add; n of them */
	size_t n;
};

struct table_builder {
	struct finalizer *st;
	struct slot *slots; /* the old ones in order, then new ones */
	size_t n, n_old;
	struct hash by_path;
	uint32_t last_file; /* index of the last old one with files, + 1 */
};

static int take_old(struct table_builder *b)
{
	const struct manifest *old = b->st->old;

	b->slots = calloc((size_t)old->n_records + b->st->n_new_entries + 1, sizeof(*b->slots));
	if (!b->slots)
		return -ENOMEM;
	b->n = b->n_old = old->n_records;
	for (uint32_t i = 0; i < old->n_records; i++) {
		const struct manifest_record *r = &old->records[i];
		uint32_t dir = b->st->sh->tree->record_dirs[i];
		struct slot *s = &b->slots[i];

		*s = (struct slot){.path = manifest_path(old, r), .old = r, .anchor = i};
		if (b->st->dirs[dir].is_moved)
			s->path = str_of(tl_new_path(b->st, dir, false));
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			*(old->entries[k].type == MANIFEST_DIR ? &s->has_dir : &s->has_file) = true;
		if (s->has_file)
			b->last_file = i + 1;
		if (!hash_reserve(&b->by_path))
			return -ENOMEM;
		hash_add(&b->by_path, &s->link, str_key(0, s->path));
	}
	return 0;
}

/* Find the record of a path to which files (or if dirs, directories) are added: the first that has
 * some; else the last of the path (if records are split, the last empty one); else NULL. */
static struct slot *find_slot(const struct table_builder *b, struct str path, bool dirs)
{
	bool split = b->st->sh->tree->split;
	struct slot *first = NULL, *other = NULL;

	for (struct hash_link *l = hash_find(&b->by_path, str_key(0, path)); l;
		l = hash_find_next(l)) {
		struct slot *s = container_of(l, struct slot, link);

		if (!str_equal(s->path, path))
			continue;
		if (dirs ? s->has_dir : s->has_file)
			first = !first || s < first ? s : first;
		else if (!split || (!s->has_dir && !s->has_file))
			other = !other || s > other ? s : other;
	}
	return first ? first : other;
}

static uint32_t anchor_of(const struct table_builder *b, struct str path, bool dirs)
{
	bool split = b->st->sh->tree->split;
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

static struct slot *find_or_add_slot(struct table_builder *b, struct str path, bool dirs)
{
	struct slot *s = find_slot(b, path, dirs);

	if (s || !hash_reserve(&b->by_path))
		return s;
	s = &b->slots[b->n++];
	s->path = path;
	s->anchor = anchor_of(b, path, dirs);
	*(dirs ? &s->has_dir : &s->has_file) = true;
	hash_add(&b->by_path, &s->link, str_key(0, path));
	return s;
}

static bool is_dir(const struct tl_new_entry *h)
{
	return h->type == MANIFEST_DIR;
}

/* Files come before directories of the same path. */
static int compare_new_entries(const void *x, const void *y)
{
	const struct tl_new_entry *a = x, *b = y;

	return strcmp(a->path, b->path) ?: is_dir(a) - is_dir(b) ?: strcmp(a->name, b->name);
}

static int add_entries(struct table_builder *b)
{
	struct finalizer *st = b->st;

	if (st->n_new_entries)
		qsort(st->new_entries, st->n_new_entries, sizeof(*st->new_entries),
			compare_new_entries);
	for (size_t i = 0, n; i < st->n_new_entries; i += n) {
		const struct tl_new_entry *first = &st->new_entries[i];
		struct slot *s = find_or_add_slot(b, str_of(first->path), is_dir(first));

		if (!s)
			return -ENOMEM;
		for (n = 1; i + n < st->n_new_entries && is_dir(&first[n]) == is_dir(first) &&
			    !strcmp(first[n].path, first->path);)
			n++;
		if (!s->n)
			s->first = first;
		s->n += n;
	}
	return 0;
}

static int by_anchor(const void *x, const void *y)
{
	const struct slot *a = x, *b = y;

	if (a->anchor != b->anchor)
		return a->anchor < b->anchor ? -1 : 1;
	/* New records come before their anchor, those for files before those for directories. */
	if (!a->old != !b->old)
		return a->old ? 1 : -1;
	if (a->has_dir != b->has_dir && !a->old)
		return a->has_dir ? 1 : -1;
	return str_compare(a->path, b->path);
}

static void put_entry(struct table_builder *b, struct str name, uint32_t handle, uint8_t type)
{
	struct manifest *t = b->st->table->manifest;
	struct manifest_entry x = {.handle = handle,
		.type = type,
		.filetime = handle == MANIFEST_NO_FILE ? 0 : b->st->files[handle].time};

	if (t->text.error)
		return;
	for (uint32_t i = t->records[t->n_records - 1].first;
		type == MANIFEST_DIR && i < t->n_entries; i++)
		if (t->entries[i].type == MANIFEST_DIR &&
			str_equal_nocase(manifest_name(t, &t->entries[i]), name))
			return;
	manifest_add_entry(t, &x, name);
}

/* Is the last record needed? An empty record of the old archive is, while its directory exists.
 * keep.c adds entries for other directories. */
static bool is_needed(const struct finalizer *st, const struct manifest_record *old)
{
	const struct manifest *t = st->table->manifest;

	if (t->text.error || t->records[t->n_records - 1].n)
		return true;
	return old && !old->n &&
	       !st->dirs[st->sh->tree->record_dirs[old - st->old->records]].is_gone;
}

static void put_record(struct table_builder *b, const struct slot *s)
{
	const struct finalizer *st = b->st;

	manifest_add_record(st->table->manifest, s->path);
	for (uint32_t i = 0; s->old && i < s->old->n; i++) {
		const struct manifest_entry *x = &st->old->entries[s->old->first + i];

		if (tl_finalize_keeps(st, x))
			put_entry(b, manifest_name(st->old, x), x->handle, x->type);
	}
	for (size_t i = 0; i < s->n; i++)
		put_entry(b, str_of(s->first[i].name), s->first[i].handle, s->first[i].type);
	if (!is_needed(st, s->old))
		st->table->manifest->n_records--;
}

/* List the directories whose shown name may differ from the stored one. */
static int list_renamed_dirs(struct finalizer *st)
{
	const struct tree *old = st->sh->tree;
	struct tl_table *t = st->table;

	t->dirs = calloc((size_t)st->n_dirs + 1, sizeof(*t->dirs));
	for (uint32_t i = 1; t->dirs && i < st->n_dirs; i++)
		if (!st->dirs[i].is_gone && (st->dirs[i].name || old->dirs[i].is_renamed))
			t->dirs[t->n_dirs++] = tl_new_path(st, i, true);
	return t->dirs ? st->error : -ENOMEM;
}

int tl_finalize_table(struct finalizer *st)
{
	struct table_builder b = {.st = st};
	int r = take_old(&b);

	if (r == 0)
		r = add_entries(&b);
	if (r == 0 && b.n)
		qsort(b.slots, b.n, sizeof(*b.slots), by_anchor);
	for (size_t i = 0; r == 0 && i < b.n; i++)
		put_record(&b, &b.slots[i]);
	if (r == 0)
		r = st->table->manifest->text.error;
	if (r == 0)
		r = list_renamed_dirs(st);
	free(b.slots);
	hash_finish(&b.by_path);
	return r;
}
