/* SPDX-License-Identifier: Zlib */
/* The overlay: names that differ from what the format says. */
#include "vfs/tree/dentry.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/name.h"

/* The same for names that differ in the case of ASCII letters alone, which some formats make one.
 */
static size_t bucket_of(uint64_t parent, const char *name, size_t n_buckets)
{
	uint64_t h = parent * 0x9e3779b97f4a7c15ULL;

	for (; *name; name++) {
		uint8_t c = (uint8_t)*name;

		h = (h ^ (c >= 'a' && c <= 'z' ? c - 32U : c)) * 0x100000001b3ULL;
	}
	return (size_t)(h >> 24) & (n_buckets - 1);
}

static struct dentry **dentry_at(struct vfs *v, uint64_t parent, const char *name)
{
	struct dentry **d = &v->dentries[bucket_of(parent, name, v->n_dentry_buckets)];
	int (*compare)(const char *, const char *) = v->vol->format->nocase ? strcasecmp : strcmp;

	while (*d && ((*d)->parent != parent || compare((*d)->name, name) != 0))
		d = &(*d)->next;
	return d;
}

struct dentry *dentry_find(struct vfs *v, uint64_t parent, const char *name)
{
	return v->n_dentries ? *dentry_at(v, parent, name) : NULL;
}

static int grow(struct vfs *v)
{
	size_t n_buckets = v->n_dentry_buckets ? 4 * v->n_dentry_buckets : 64;
	struct dentry **dentries;

	if (v->n_dentries < v->n_dentry_buckets)
		return 0;
	dentries = calloc(n_buckets, sizeof(struct dentry *));
	if (!dentries)
		return v->n_dentry_buckets ? 0 : -ENOMEM;
	for (size_t i = 0; i < v->n_dentry_buckets; i++) {
		struct dentry *d = v->dentries[i], *next;

		for (; d; d = next) {
			size_t to = bucket_of(d->parent, d->name, n_buckets);

			next = d->next;
			d->next = dentries[to];
			dentries[to] = d;
		}
	}
	free(v->dentries);
	v->dentries = dentries;
	v->n_dentry_buckets = n_buckets;
	return 0;
}

int dentry_set(struct vfs *v, struct node *parent, const char *name, struct node *node)
{
	struct dentry **at, *d;
	struct node *old;

	if (grow(v) < 0)
		return -ENOMEM;
	at = dentry_at(v, parent->ino, name);
	d = *at;
	if (!d) {
		d = calloc(1, sizeof(*d) + strlen(name) + 1);
		if (!d)
			return -ENOMEM;
		memcpy(d->name, name, strlen(name));
		d->parent = parent->ino;
		d->cookie = ++v->next_cookie;
		*at = d;
		v->n_dentries++;
	}
	old = d->node;
	d->node = node;
	if (node)
		node->named = true;
	if (old && old != node) {
		old->named = false;
		node_settle(v, old);
	}
	return 0;
}

void dentry_remove(struct vfs *v, uint64_t parent, const char *name)
{
	struct dentry **at, *d;

	if (!v->n_dentries)
		return;
	at = dentry_at(v, parent, name);
	d = *at;
	if (!d)
		return;
	*at = d->next;
	v->n_dentries--;
	if (d->node) {
		d->node->named = false;
		node_settle(v, d->node);
	}
	free(d);
}

int names_resolve(
	struct vfs *v, struct node *parent, const char *name, struct node **ret, struct error *e)
{
	int r = name_check(name, strlen(name));
	struct dentry *d = r == 0 ? dentry_find(v, parent->ino, name) : NULL;
	struct entry en;

	if (r < 0)
		return r;
	if (d) {
		if (!d->node)
			return -ENOENT;
		*ret = d->node;
		return 0;
	}
	if (!parent->has_id)
		return -ENOENT;
	r = parent->vol->format->lookup(parent->vol->now, parent->id, name, &en, e);
	if (r < 0)
		return r;
	*ret = node_of_entry(v, parent, name, &en);
	return *ret ? 0 : -ENOMEM;
}

void names_restore(struct vfs *v)
{
	for (size_t i = 0; i < v->n_dentry_buckets; i++)
		for (struct dentry *d = v->dentries[i], *next; d; d = next) {
			next = d->next;
			if (!d->standing)
				continue;
			if (v->host->forget_name)
				v->host->forget_name(v->host, d->parent, d->name, NULL);
			dentry_remove(v, d->parent, d->name);
		}
}

int names_walk(struct vfs *v, const char *path, struct node **ret, struct error *e)
{
	struct node *n = v->root, *next;
	char name[NAME_MAX + 1];
	int r;

	while (*path) {
		r = path_next(&path, name);
		if (r == 0)
			r = names_resolve(v, n, name, &next, e);
		if (r < 0) {
			node_settle(v, n);
			return r;
		}
		n = next;
	}
	*ret = n;
	return 0;
}
