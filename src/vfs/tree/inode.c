/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/inode.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "vfs/tree/write_buffer.h"

uint64_t entry_ino(const struct volume *vol, entry_id id)
{
	return VFS_ROOT_INO + ((uint64_t)vol->index << ENTRY_ID_BITS | id);
}

struct inode *inode_find(struct vfs *v, uint64_t ino)
{
	struct hash_link *l = hash_find(&v->inodes, hash_number(ino));

	while (l && ((struct inode *)l)->ino != ino)
		l = hash_find_next(l);
	return (struct inode *)l;
}

struct inode *inode_next(const struct vfs *v, const struct inode *n)
{
	return (struct inode *)hash_next(&v->inodes, n ? &n->link : NULL);
}

/* Choose an inode number: that of the entry's origin, or a new one if the entry is new or moved, or
 * if another inode has had the number since a save. */
static uint64_t choose_ino(struct vfs *v, const struct oentry *u)
{
	uint64_t ino = entry_ino(v->vol, u->origin);

	if (u->origin != ENTRY_NONE && !u->is_moved && !inode_find(v, ino))
		return ino;
	return (uint64_t)1 << INO_DYNAMIC_SHIFT | (uint64_t)v->vol->index << ENTRY_ID_BITS |
	       v->next_dynamic++;
}

struct inode *inode_of(struct vfs *v, struct oentry *u)
{
	struct inode *n = u->inode;

	assert(volume_is_owner(v->vol));
	if (n)
		return n;
	n = hash_reserve(&v->inodes) ? calloc(1, sizeof(*n)) : NULL;
	if (!n)
		return NULL;
	n->ino = choose_ino(v, u);
	n->vfs = v;
	n->oentry = u;
	u->inode = n;
	hash_add(&v->inodes, &n->link, hash_number(n->ino));
	return n;
}

struct inode *inode_root(struct vfs *v)
{
	v->root = inode_of(v, v->overlay->root);
	return v->root;
}

bool inode_is_root(const struct inode *n)
{
	return n == n->vfs->root;
}

bool inode_is_alias(const struct inode *n, const char *name)
{
	return n->oentry->name && strcmp(n->oentry->name, name) != 0;
}

struct inode *inode_parent(struct inode *n)
{
	return n->oentry->parent ? inode_of(n->vfs, n->oentry->parent) : NULL;
}

bool inode_is_scratch(const struct inode *n)
{
	const struct oentry *u = n->oentry;

	if (!u->parent)
		return !inode_is_root(n);
	return u->is_dir ? u->id == ENTRY_NONE : u->is_scratch;
}

int inode_lookup(struct vfs *v, struct inode *dir, const char *name, struct inode **ret)
{
	struct dentry in = oentry_dentry(dir->oentry), s;
	int r = overlay_lookup(v->overlay, &in, name, &s);
	struct oentry *u;

	if (r == -ENOENT && dir->oentry->parent && !oentry_find(v->overlay, dir->oentry, name))
		r = overlay_add_permanent(v->overlay, dir->oentry, name, &s);
	if (r < 0)
		return r;
	if (s.oentry && oentry_is_gone(v->overlay, s.oentry))
		return -ENOENT;
	u = oentry_raise(v->overlay, dir->oentry, name, &s);
	*ret = u ? inode_of(v, u) : NULL;
	if (u && !*ret)
		oentry_free_unused(v->overlay, u);
	return *ret ? 0 : -ENOMEM;
}

bool inode_shows(const struct inode *n, const struct snapshot **ret, entry_id *ret_id)
{
	const struct oentry *u = n->oentry;
	const struct overlay *o = n->vfs->overlay;

	if (n->write_buffer || u->has_content)
		return false;
	*ret = overlay_shown(o, u);
	*ret_id = u->frozen_map ? u->frozen_id : u->origin;
	/* The shape lists a new directory. */
	if (u->is_dir && u->origin == ENTRY_NONE) {
		*ret = o->shape;
		*ret_id = u->id;
	}
	return *ret_id != ENTRY_NONE;
}

int inode_entry(const struct inode *n, struct file_attr *ret, struct error *e)
{
	const struct snapshot *s;
	entry_id id;

	*ret = (struct file_attr){
		.is_dir = n->oentry->is_dir, .is_writable = true, .has_size = true};
	if (!inode_shows(n, &s, &id)) {
		ret->size = n->write_buffer ? spool_size(n->write_buffer->spool)
					    : n->oentry->bytes.size;
		return 0;
	}
	return s->format->stat(s, id, ret, e);
}

bool inode_is_generated(const struct inode *n)
{
	const struct snapshot *s = n->vfs->overlay->base;
	struct file_attr en;

	return !n->oentry->is_dir && n->oentry->origin != ENTRY_NONE && !n->oentry->is_moved &&
	       !n->oentry->frozen_map && s->format->stat(s, n->oentry->origin, &en, NULL) == 0 &&
	       en.is_generated;
}

static bool is_needed(const struct inode *n)
{
	if (inode_is_root(n) || n->lookups || n->references || n->is_busy || n->waiting.first)
		return true;
	return n->oentry->parent && (n->write_buffer || n->attr_mask);
}

void write_buffer_drop(struct inode *n)
{
	if (!n->write_buffer)
		return;
	spool_destroy(n->write_buffer->spool);
	free(n->write_buffer);
	n->write_buffer = NULL;
}

static void free_inode(struct inode *n)
{
	write_buffer_drop(n);
	free(n);
}

void inode_free_unused(struct vfs *v, struct inode *n)
{
	struct oentry *u = n->oentry;

	if (is_needed(n))
		return;
	hash_remove(&v->inodes, &n->link);
	u->inode = NULL;
	free_inode(n);
	oentry_free_unused(v->overlay, u);
}

void inodes_finish(struct vfs *v)
{
	for (struct inode *n = inode_next(v, NULL), *next; n; n = next) {
		next = inode_next(v, n);
		n->oentry->inode = NULL;
		if (!n->oentry->parent && n != v->root)
			oentry_free_unused(v->overlay, n->oentry);
		free_inode(n);
	}
	hash_finish(&v->inodes);
}

int inode_walk(struct vfs *v, const char *path, struct inode **ret)
{
	struct inode *n = v->root, *next;
	char name[NAME_MAX + 1];
	int r;

	while ((r = path_next(&path, name)) > 0) {
		r = inode_lookup(v, n, name, &next);
		if (r < 0)
			break;
		n = next;
	}
	if (r < 0)
		inode_free_unused(v, n);
	else
		*ret = n;
	return r;
}

char *inode_path(const struct inode *n)
{
	return n->oentry->parent || inode_is_root(n) ? oentry_path(n->oentry) : NULL;
}
