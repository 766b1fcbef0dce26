/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/node.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/stage.h"

uint64_t entry_ino(const struct volume *vol, entry_id id)
{
	return VFS_ROOT_INO + ((uint64_t)vol->index << ENTRY_ID_BITS | id);
}

struct node *node_find(struct vfs *v, uint64_t ino)
{
	struct hash_link *l = hash_find(&v->nodes, hash_number(ino));

	while (l && ((struct node *)l)->ino != ino)
		l = hash_again(l);
	return (struct node *)l;
}

struct node *node_next(const struct vfs *v, const struct node *n)
{
	return (struct node *)hash_next(&v->nodes, n ? &n->link : NULL);
}

static struct node *node_make(struct vfs *v, struct volume *vol, uint64_t ino, bool dir)
{
	bool room = hash_room(&v->nodes) && hash_room(&v->shown);
	struct node *n = room ? calloc(1, sizeof(*n)) : NULL;

	assert(volume_is_owner(vol));
	if (!n)
		return NULL;
	n->ino = ino;
	n->vol = vol;
	n->dir = dir;
	n->waiting_end = &n->waiting;
	hash_add(&v->nodes, &n->link, hash_number(ino));
	return n;
}

struct node *node_root(struct vfs *v, struct volume *vol)
{
	struct node *n = node_make(v, vol, entry_ino(vol, ENTRY_ROOT), true);

	if (n) {
		node_show(v, n, LENS_LIVE, ENTRY_ROOT);
		n->fixed = true;
		v->root = n;
	}
	return n;
}

bool node_is_root(const struct node *n)
{
	return n == n->vol->vfs->root;
}

int node_place(struct node *n, struct node *parent, const char *name)
{
	char *copy = parent ? strdup(name) : NULL;

	if (parent && !copy)
		return -ENOMEM;
	/* The new parent first: it may be the old one, held by this child alone. */
	if (parent)
		parent->children++;
	if (n->parent)
		n->parent->children--;
	n->parent = parent;
	free(n->name);
	n->name = copy;
	return 0;
}

struct node *node_of_entry(
	struct vfs *v, struct node *parent, const char *name, const struct entry *en)
{
	uint64_t ino = entry_ino(parent->vol, en->id);
	struct node *n = node_find(v, ino);

	if (n && n->parent)
		return n;
	if (!n)
		n = node_make(v, parent->vol, ino, en->dir);
	if (!n)
		return NULL;
	node_show(v, n, LENS_LIVE, en->id);
	n->fixed = en->fixed;
	if (node_place(n, parent, name) < 0) {
		node_free_unused(v, n);
		return NULL;
	}
	return n;
}

struct node *node_new(struct vfs *v, struct volume *vol, bool dir)
{
	uint64_t ino = (uint64_t)1 << INO_DYNAMIC_SHIFT | (uint64_t)vol->index << ENTRY_ID_BITS |
		       v->next_dynamic;
	struct node *n = node_make(v, vol, ino, dir);

	if (n)
		v->next_dynamic++;
	return n;
}

struct node *node_showing(
	const struct vfs *v, const struct volume *vol, entry_id id, const struct node *n)
{
	struct hash_link *l =
		n ? hash_again(&n->shows) : hash_find(&v->shown, hash_number(entry_ino(vol, id)));

	for (; l; l = hash_again(l)) {
		struct node *found = container_of(l, struct node, shows);

		if (found->vol == vol && found->id == id)
			return found;
	}
	return NULL;
}

static void set_lens(struct vfs *v, struct node *n, enum lens lens, entry_id id)
{
	assert(volume_is_owner(n->vol));
	if (!node_scratch(n))
		hash_remove(&v->shown, &n->shows);
	n->lens = lens;
	n->id = id;
	if (!node_scratch(n))
		hash_add(&v->shown, &n->shows, hash_number(entry_ino(n->vol, id)));
}

void node_show(struct vfs *v, struct node *n, enum lens lens, entry_id id)
{
	assert(lens >= LENS_NEW);
	set_lens(v, n, lens, id);
	n->origin = ENTRY_ROOT;
	snapshot_unref(TAKE(n->frozen));
}

void node_freeze(struct vfs *v, struct node *n, const struct snapshot *s)
{
	assert(!node_scratch(n));
	set_lens(v, n, LENS_FROZEN, n->id);
	n->frozen = snapshot_ref(s);
}

void node_cut(struct vfs *v, struct node *n)
{
	set_lens(v, n, LENS_NONE, ENTRY_ROOT);
	snapshot_unref(TAKE(n->frozen));
}

const struct snapshot *node_version(const struct node *n)
{
	return n->lens == LENS_FROZEN ? n->frozen : n->vol->now;
}

int node_entry(const struct node *n, struct entry *ret, struct error *e)
{
	return n->vol->format->stat(node_version(n), n->id, ret, e);
}

bool node_derived(const struct node *n)
{
	struct entry en;

	return n->fixed && !n->dir && !node_scratch(n) && node_entry(n, &en, NULL) == 0 &&
	       en.derived;
}

static bool needed(const struct node *n)
{
	if (node_is_root(n))
		return true;
	if (n->lookups || n->opens || n->children || n->names || n->busy || n->waiting)
		return true;
	return n->parent && (n->stage || n->set);
}

void node_pending(struct node *n, bool pending)
{
	if (pending && !n->pending)
		TAILQ_INSERT_TAIL(&n->vol->pending, n, in_pending);
	else if (!pending && n->pending)
		TAILQ_REMOVE(&n->vol->pending, n, in_pending);
	n->pending = pending;
}

static void node_free(struct node *n)
{
	stage_drop(n);
	snapshot_unref(n->frozen);
	free(n->name);
	free(n);
}

void node_free_unused(struct vfs *v, struct node *n)
{
	while (n && !needed(n)) {
		struct node *parent = n->parent;

		hash_remove(&v->nodes, &n->link);
		node_cut(v, n);
		node_pending(n, false);
		if (parent)
			parent->children--;
		node_free(n);
		n = parent;
	}
}

void nodes_finish(struct vfs *v)
{
	for (struct node *n = node_next(v, NULL), *next; n; n = next) {
		next = node_next(v, n);
		node_free(n);
	}
	hash_finish(&v->nodes);
	hash_finish(&v->shown);
}
