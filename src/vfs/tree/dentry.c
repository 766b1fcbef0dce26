/* SPDX-License-Identifier: Zlib */
/* The overlay: names that differ from what the format says. */
#include "vfs/tree/dentry.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "vfs/tree/wait.h"

/* Those of one directory. */
struct overlay {
	struct hash_link link; /* by dir; first */
	uint64_t dir;
	struct dentry *first, *last;
	struct dentry *at; /* where a listing went on last */
	size_t n_nodes;
};

static struct overlay *overlay_find(const struct vfs *v, uint64_t dir)
{
	struct hash_link *l = hash_find(&v->overlays, hash_number(dir));

	while (l && ((struct overlay *)l)->dir != dir)
		l = hash_again(l);
	return (struct overlay *)l;
}

static struct overlay *overlay_need(struct vfs *v, uint64_t dir)
{
	struct overlay *o = overlay_find(v, dir);

	if (o)
		return o;
	o = hash_room(&v->overlays) ? calloc(1, sizeof(*o)) : NULL;
	if (!o)
		return NULL;
	o->dir = dir;
	hash_add(&v->overlays, &o->link, hash_number(dir));
	return o;
}

/* One that is empty goes. */
static void overlay_settle(struct vfs *v, struct overlay *o)
{
	if (o->first)
		return;
	hash_remove(&v->overlays, &o->link);
	free(o);
}

bool names_equal(const struct vfs *v, const char *a, const char *b)
{
	return (v->vol->format->nocase ? strcasecmp : strcmp)(a, b) == 0;
}

struct dentry *dentry_find(struct vfs *v, uint64_t parent, const char *name)
{
	struct hash_link *l = hash_find(&v->dentries, hash_text(parent, name));

	for (; l; l = hash_again(l)) {
		struct dentry *d = (struct dentry *)l;

		if (d->parent == parent && names_equal(v, d->name, name))
			return d;
	}
	return NULL;
}

static struct dentry *dentry_new(struct vfs *v, uint64_t parent, const char *name)
{
	struct overlay *o = hash_room(&v->dentries) ? overlay_need(v, parent) : NULL;
	struct dentry *d = o ? calloc(1, sizeof(*d) + strlen(name) + 1) : NULL;

	if (o && !d)
		overlay_settle(v, o);
	if (!d)
		return NULL;
	strcpy(d->name, name);
	d->in = o;
	d->parent = parent;
	d->cookie = ++v->next_cookie;
	d->prev = o->last;
	*(o->last ? &o->last->next : &o->first) = d;
	o->last = d;
	hash_add(&v->dentries, &d->link, hash_text(parent, name));
	return d;
}

/* What it points to from now on. */
static void point(struct vfs *v, struct dentry *d, struct node *node)
{
	struct node *old = d->node;

	assert(volume_is_owner(v->vol));
	d->node = node;
	if (node) {
		node->names++;
		d->in->n_nodes++;
	}
	if (old) {
		d->in->n_nodes--;
		old->names--;
		node_free_unused(v, old);
	}
}

int dentry_set(struct vfs *v, struct node *parent, const char *name, struct node *node)
{
	struct dentry *d = dentry_find(v, parent->ino, name);

	if (!d)
		d = dentry_new(v, parent->ino, name);
	if (!d)
		return -ENOMEM;
	point(v, d, node);
	return 0;
}

void dentry_remove(struct vfs *v, uint64_t parent, const char *name)
{
	struct dentry *d = dentry_find(v, parent, name);
	struct overlay *o = d ? d->in : NULL;

	if (!d)
		return;
	*(d->prev ? &d->prev->next : &o->first) = d->next;
	*(d->next ? &d->next->prev : &o->last) = d->prev;
	if (o->at == d)
		o->at = d->next;
	hash_remove(&v->dentries, &d->link);
	point(v, d, NULL);
	free(d);
	overlay_settle(v, o);
}

struct dentry *dentry_after(struct vfs *v, uint64_t dir, uint64_t after)
{
	struct overlay *o = overlay_find(v, dir);
	struct dentry *d = o ? o->at : NULL;

	if (!o)
		return NULL;
	if (!d || (d->prev && d->prev->cookie > after))
		d = o->first;
	while (d && d->cookie <= after)
		d = d->next;
	o->at = d;
	return d;
}

size_t dentry_count(const struct vfs *v, uint64_t dir)
{
	const struct overlay *o = overlay_find(v, dir);

	return o ? o->n_nodes : 0;
}

void dentries_finish(struct vfs *v)
{
	for (struct hash_link *l = hash_next(&v->dentries, NULL), *next; l; l = next) {
		next = hash_next(&v->dentries, l);
		free(l);
	}
	for (struct hash_link *l = hash_next(&v->overlays, NULL), *next; l; l = next) {
		next = hash_next(&v->overlays, l);
		free(l);
	}
	hash_finish(&v->dentries);
	hash_finish(&v->overlays);
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
	if (parent->lens == LENS_NONE)
		return -ENOENT;
	r = parent->vol->format->lookup(parent->vol->now, parent->id, name, &en, e);
	if (r < 0)
		return r;
	*ret = node_of_entry(v, parent, name, &en);
	return *ret ? 0 : -ENOMEM;
}

void names_restore(struct vfs *v)
{
	for (struct hash_link *l = hash_next(&v->dentries, NULL), *next; l; l = next) {
		struct dentry *d = (struct dentry *)l;
		struct node *dir;

		next = hash_next(&v->dentries, l);
		if (!d->standing)
			continue;
		dir = node_find(v, d->parent);
		if (dir)
			names_tell(v, dir);
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
			node_free_unused(v, n);
			return r;
		}
		n = next;
	}
	*ret = n;
	return 0;
}
