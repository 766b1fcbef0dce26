/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/node.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/name.h"
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

/* An entry of the base has the number that follows from its own, unless another one has that since
 * a save; all others have one that nobody had before. */
static uint64_t choose_ino(struct vfs *v, const struct upper *u)
{
	uint64_t ino = entry_ino(v->vol, u->from);

	if (u->from != ENTRY_NONE && !u->moved && !node_find(v, ino))
		return ino;
	return (uint64_t)1 << INO_DYNAMIC_SHIFT | (uint64_t)v->vol->index << ENTRY_ID_BITS |
	       v->next_dynamic++;
}

struct node *node_of(struct vfs *v, struct upper *u)
{
	struct node *n = u->node;

	assert(volume_is_owner(v->vol));
	if (n)
		return n;
	n = hash_room(&v->nodes) ? calloc(1, sizeof(*n)) : NULL;
	if (!n)
		return NULL;
	n->ino = choose_ino(v, u);
	n->vfs = v;
	n->at = u;
	u->node = n;
	hash_add(&v->nodes, &n->link, hash_number(n->ino));
	return n;
}

struct node *node_root(struct vfs *v)
{
	v->root = node_of(v, v->tree->root);
	return v->root;
}

bool node_is_root(const struct node *n)
{
	return n == n->vfs->root;
}

bool node_is_alias(const struct node *n, const char *name)
{
	return n->at->name && strcmp(n->at->name, name) != 0;
}

struct node *node_parent(struct node *n)
{
	return n->at->up ? node_of(n->vfs, n->at->up) : NULL;
}

bool node_scratch(const struct node *n)
{
	const struct upper *u = n->at;

	if (!u->up)
		return !node_is_root(n);
	return u->dir ? u->id == ENTRY_NONE : u->scratch;
}

int node_lookup(struct vfs *v, struct node *dir, const char *name, struct node **ret)
{
	struct spot in = upper_spot(dir->at), s;
	int r = overlay_lookup(v->tree, &in, name, &s);
	struct upper *u;

	if (r == -ENOENT && dir->at->up && !upper_find(v->tree, dir->at, name))
		r = overlay_raise_fixed(v->tree, dir->at, name, &s);
	if (r < 0)
		return r;
	if (s.upper && upper_is_gone(v->tree, s.upper))
		return -ENOENT;
	u = upper_raise(v->tree, dir->at, name, &s);
	*ret = u ? node_of(v, u) : NULL;
	if (u && !*ret)
		upper_settle(v->tree, u);
	return *ret ? 0 : -ENOMEM;
}

bool node_shows(const struct node *n, const struct snapshot **ret, entry_id *ret_id)
{
	const struct upper *u = n->at;
	const struct overlay *o = n->vfs->tree;

	if (n->stage || u->written)
		return false;
	*ret = overlay_shown(o, u);
	*ret_id = u->of ? u->was : u->from;
	/* Of a directory that was made the shape says what is in it. */
	if (u->dir && u->from == ENTRY_NONE) {
		*ret = o->shape;
		*ret_id = u->id;
	}
	return *ret_id != ENTRY_NONE;
}

int node_entry(const struct node *n, struct entry *ret, struct error *e)
{
	const struct snapshot *s;
	entry_id id;

	*ret = (struct entry){.dir = n->at->dir, .writable = true, .sized = true};
	if (!node_shows(n, &s, &id)) {
		ret->size = n->stage ? spool_size(n->stage->spool) : n->at->in.size;
		return 0;
	}
	return s->format->stat(s, id, ret, e);
}

bool node_derived(const struct node *n)
{
	const struct snapshot *s = n->vfs->tree->base;
	struct entry en;

	return !n->at->dir && n->at->from != ENTRY_NONE && !n->at->moved && !n->at->of &&
	       s->format->stat(s, n->at->from, &en, NULL) == 0 && en.derived;
}

static bool needed(const struct node *n)
{
	if (node_is_root(n) || n->lookups || n->opens || n->busy || n->waiting.first)
		return true;
	return n->at->up && (n->stage || n->set);
}

void stage_drop(struct node *n)
{
	if (!n->stage)
		return;
	spool_destroy(n->stage->spool);
	free(n->stage);
	n->stage = NULL;
}

static void node_free(struct node *n)
{
	stage_drop(n);
	free(n);
}

void node_free_unused(struct vfs *v, struct node *n)
{
	struct upper *u = n->at;

	if (needed(n))
		return;
	hash_remove(&v->nodes, &n->link);
	u->node = NULL;
	node_free(n);
	upper_settle(v->tree, u);
}

void nodes_finish(struct vfs *v)
{
	for (struct node *n = node_next(v, NULL), *next; n; n = next) {
		next = node_next(v, n);
		n->at->node = NULL;
		if (!n->at->up && n != v->root)
			upper_settle(v->tree, n->at);
		node_free(n);
	}
	hash_finish(&v->nodes);
}

int node_walk(struct vfs *v, const char *path, struct node **ret)
{
	struct node *n = v->root, *next;
	char name[NAME_MAX + 1];
	int r;

	while ((r = path_next(&path, name)) > 0) {
		r = node_lookup(v, n, name, &next);
		if (r < 0)
			break;
		n = next;
	}
	if (r < 0)
		node_free_unused(v, n);
	else
		*ret = n;
	return r;
}

char *node_path(const struct node *n)
{
	return n->at->up || node_is_root(n) ? upper_path(n->at) : NULL;
}
