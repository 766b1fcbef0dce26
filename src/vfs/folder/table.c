/* SPDX-License-Identifier: Zlib */
#include "vfs/folder/table.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum { INDEX_BITS = INO_DYNAMIC_SHIFT - ENTRY_ID_BITS };
#define INDEX_MAX (((size_t)1 << INDEX_BITS) - 1)

static uint64_t key_of(const struct level *in, const char *name)
{
	return hash_text(in ? in->ino : 0, name);
}

static struct level *level_find(
	const struct folder *f, const struct level *parent, const char *name)
{
	struct hash_link *l = hash_find(&f->levels, key_of(parent, name));

	for (; l; l = hash_find_next(l)) {
		struct level *found = (struct level *)l;

		if (found->parent == parent && strcmp(found->name, name) == 0)
			return found;
	}
	return NULL;
}

struct level *level_get(struct folder *f, struct level *parent, const char *name)
{
	struct level *l = level_find(f, parent, name), **all;

	if (l)
		return l;
	all = reallocarray(f->by_number, f->n_levels + 1, sizeof(struct level *));
	if (!all)
		return NULL;
	f->by_number = all;
	l = hash_reserve(&f->levels) ? calloc(1, sizeof(*l)) : NULL;
	if (l)
		l->name = strdup(name);
	if (!l || !l->name) {
		free(l);
		return NULL;
	}
	l->parent = parent;
	l->ino = VFS_ROOT_INO + f->n_levels;
	all[f->n_levels++] = l;
	hash_add(&f->levels, &l->link, key_of(parent, name));
	return l;
}

struct level *level_of(const struct folder *f, uint64_t ino)
{
	uint64_t n = ino - VFS_ROOT_INO;

	return n < f->n_levels ? f->by_number[n] : NULL;
}

char *level_path(const struct level *l, const char *name)
{
	char *path = strdup(name ? name : "");

	for (; path && l->parent; l = l->parent) {
		CLEANUP(free) char *below = path;

		if (asprintf(&path, *below ? "%s/%s" : "%s%s", l->name, below) < 0)
			path = NULL;
	}
	return path;
}

struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){st->st_dev, st->st_ino, st->st_size, st->st_mtim, st->st_ctim};
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool stamp_same(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       same_time(a->mtime, b->mtime) && same_time(a->ctime, b->ctime);
}

struct map *map_find(const struct folder *f, const struct level *in, const char *name)
{
	struct hash_link *l = hash_find(&f->names, key_of(in, name));

	for (; l; l = hash_find_next(l)) {
		struct map *m = (struct map *)l;

		if (m->in == in && strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

/* Return an unused index; 0 if there is none. Indexes are reused only when all have been used. */
static unsigned free_index(struct folder *f)
{
	struct map **all;
	size_t n = f->n_maps;

	if (n <= INDEX_MAX && (n & (n - 1)) == 0) { /* the array is full */
		all = reallocarray(f->by_index, 2 * n, sizeof(struct map *));
		if (!all)
			return 0;
		f->by_index = all;
	}
	if (n <= INDEX_MAX) {
		f->by_index[n] = NULL;
		return (unsigned)f->n_maps++;
	}
	for (size_t i = 1; i < f->n_maps; i++)
		if (!f->by_index[i])
			return (unsigned)i;
	return 0;
}

struct map *map_new(struct folder *f, struct level *in, const char *name, const struct stat *st)
{
	unsigned index = free_index(f);
	struct map *m = index && hash_reserve(&f->names) ? calloc(1, sizeof(*m)) : NULL;

	if (m)
		m->name = strdup(name);
	if (!m || !m->name) {
		free(m);
		return NULL;
	}
	m->in = in;
	m->index = index;
	m->stamp = stamp_of(st);
	f->by_index[index] = m;
	hash_add(&f->names, &m->link, key_of(in, name));
	return m;
}

void map_replace(struct folder *f, struct map *m)
{
	if (!m->replaced)
		hash_remove(&f->names, &m->link);
	m->replaced = true;
	map_settle(f, m);
}

void map_settle(struct folder *f, struct map *m)
{
	if (!m->replaced || m->lookups || m->opened)
		return;
	f->by_index[m->index] = NULL;
	free(m->name);
	free(m);
}

struct map *map_of(const struct folder *f, uint64_t ino)
{
	uint64_t number = ino >> INO_DYNAMIC_SHIFT ? ino : ino - VFS_ROOT_INO;
	uint64_t index = number >> ENTRY_ID_BITS & INDEX_MAX;

	return index && index < f->n_maps ? f->by_index[index] : NULL;
}

uint64_t map_root(const struct map *m)
{
	return VFS_ROOT_INO + ((uint64_t)m->index << ENTRY_ID_BITS | ENTRY_ROOT);
}

void table_finish(struct folder *f)
{
	for (size_t i = 1; i < f->n_maps; i++) {
		struct map *m = f->by_index[i];

		if (m)
			free(m->name);
		free(m);
	}
	for (size_t i = 0; i < f->n_levels; i++) {
		free(f->by_number[i]->name);
		free(f->by_number[i]);
	}
	free(f->by_index);
	free(f->by_number);
	hash_finish(&f->names);
	hash_finish(&f->levels);
}
