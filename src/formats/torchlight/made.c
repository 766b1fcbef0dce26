/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/made.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/lens.h"

static uint32_t bucket_of(const struct tl_made_list *l, uint32_t dir, const char *name, size_t n)
{
	uint32_t h = dir * 0x9E3779B1U;

	for (size_t i = 0; i < n; i++)
		h = (h ^ ((uint8_t)name[i] | 0x20U)) * 0x01000193U;
	return (h >> 4) & (l->room - 1);
}

static bool is_at(const struct tl_made *made, uint32_t dir, const char *name, size_t n)
{
	return made->dir == dir && strlen(made->name) == n && !strncasecmp(made->name, name, n);
}

static uint32_t search(
	const struct tl_made_list *l, uint32_t k, uint32_t dir, const char *name, size_t n)
{
	while (k != TL_NONE && !is_at(&l->all[k], dir, name, n))
		k = l->all[k].next;
	return k;
}

uint32_t tl_made_find(const struct tl_made_list *l, uint32_t dir, const char *name, size_t n)
{
	return l->n ? search(l, l->buckets[bucket_of(l, dir, name, n)], dir, name, n) : TL_NONE;
}

uint32_t tl_made_older(const struct tl_made_list *l, uint32_t k)
{
	const struct tl_made *made = &l->all[k];

	return search(l, made->next, made->dir, made->name, strlen(made->name));
}

static void enter(struct tl_made_list *l, uint32_t k)
{
	struct tl_made *made = &l->all[k];
	uint32_t b = bucket_of(l, made->dir, made->name, strlen(made->name));

	made->next = l->buckets[b];
	l->buckets[b] = k;
}

static int grow(struct tl_made_list *l)
{
	uint32_t room = l->room ? 2 * l->room : 64;
	struct tl_made *all = reallocarray(l->all, room, sizeof(*all));
	uint32_t *buckets;

	if (!all)
		return -ENOMEM;
	l->all = all;
	buckets = malloc(room * sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	free(l->buckets);
	l->buckets = buckets;
	l->room = room;
	for (uint32_t i = 0; i < room; i++)
		buckets[i] = TL_NONE;
	for (uint32_t k = 0; k < l->n; k++)
		enter(l, k);
	return 0;
}

int tl_made_append(struct tl_made_list *l, uint32_t dir, const char *name, size_t n, bool text)
{
	char *copy = strndup(name, n);

	if (!copy || (l->n == l->room && grow(l) < 0)) {
		free(copy);
		return -ENOMEM;
	}
	l->all[l->n] = (struct tl_made){.dir = dir, .name = copy, .text = text};
	enter(l, l->n++);
	return 0;
}

bool tl_made_shows_other(const struct tl_map *m, uint32_t handle, uint32_t dir)
{
	uint64_t size, filetime;
	bool saved = handle < m->base->n && m->base->spots[handle].here;

	return saved ||
	       (dir < m->shared->tree->n_dirs && tl_map_facts(m, handle, &size, &filetime));
}

static bool has_other(const struct tl_map *m, uint32_t k)
{
	const struct tl_made *made = &m->shared->files.all[k];

	return compiled_kind_of(made->name) != COMPILED_NONE &&
	       tl_made_shows_other(m, m->shared->manifest->n_entries + k, made->dir);
}

static entry_id other_id(const struct tl_shared *sh, uint32_t k)
{
	return tl_id(sh->files.all[k].text ? TL_FILE : TL_TEXT, sh->manifest->n_entries + k);
}

bool tl_made_other(const struct tl_map *m, uint32_t dir, const char *name, entry_id *ret)
{
	struct tl_shared *sh = m->shared;
	size_t stem = tl_text_stem(name);
	uint32_t k;
	bool found;

	pthread_mutex_lock(&sh->lock);
	k = tl_made_find(&sh->files, dir, name, stem ? stem : strlen(name));
	found = k != TL_NONE && sh->files.all[k].text == !stem && has_other(m, k);
	if (found)
		*ret = other_id(sh, k);
	pthread_mutex_unlock(&sh->lock);
	return found;
}

/* The other name of file k, where that is the newest of its place and the name is nobody else's. */
static bool name_other(const struct tl_map *m, uint32_t k, char *name)
{
	const struct tl_shared *sh = m->shared;
	const struct tl_made *made = &sh->files.all[k];
	const char *ending = compiled_ending(compiled_kind_of(made->name));
	size_t n = strlen(made->name);

	if (!ending || n + strlen(ending) > NAME_MAX || !has_other(m, k) ||
		tl_made_find(&sh->files, made->dir, made->name, n) != k)
		return false;
	memcpy(name, made->name, n + 1);
	if (!made->text)
		strcpy(name + n, ending);
	return made->dir >= sh->tree->n_dirs || !tree_find(sh->tree, made->dir, name);
}

bool tl_made_list_next(const struct tl_map *m, uint32_t dir, uint64_t *k, char *name, entry_id *ret)
{
	struct tl_shared *sh = m->shared;
	bool found = false;

	pthread_mutex_lock(&sh->lock);
	while (!found && *k < sh->files.n) {
		uint32_t i = (uint32_t)(*k)++;

		found = sh->files.all[i].dir == dir && name_other(m, i, name);
		if (found)
			*ret = other_id(sh, i);
	}
	pthread_mutex_unlock(&sh->lock);
	return found;
}
