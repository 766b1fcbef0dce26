/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/wait.h"

/* Names that would litter a map or fool a tool: refused, and tools cope with EPERM. */
static bool refused_name(const char *name)
{
	return strncmp(name, ".Trash", 6) == 0 || strcmp(name, ".git") == 0 ||
	       strncmp(name, ".fuse_hidden", 12) == 0;
}

int place_dir(struct vfs *v, uint64_t ino, const char *name, struct node **ret)
{
	struct node *n = node_find(v, ino);
	int r;

	if (!n || !n->dir)
		return n ? -ENOTDIR : -ESTALE;
	if (n->vol->access == VOLUME_READ_ONLY)
		return -EROFS;
	r = name_check(name, strlen(name));
	if (r == 0)
		*ret = n;
	return r;
}

static char *path_below(char *above, const char *name)
{
	char *path = NULL;

	if (above && asprintf(&path, "%s%s%s", above, *above ? "/" : "", name) < 0)
		path = NULL;
	free(above);
	return path;
}

char *place_path(const struct place *p)
{
	return path_below(node_path(p->dir), p->name);
}

/* Was the object moved to that place since the last save? */
static bool moved_here(const struct place *p)
{
	const struct vfs *v = p->dir->vol->vfs;
	const struct object *o = object_find(v, p->id);

	return o && o->moved && object_stood_at(v, o, p->dir->id, p->name);
}

bool place_of_return(const struct place *p)
{
	const struct volume *vol = p->dir->vol;
	const struct object *o =
		p->kind == PLACE_ID && !p->left ? object_find(vol->vfs, p->id) : NULL;

	return o && vol->renumbered && vol->format->names && !p->is_dir && o->away && !o->absent &&
	       !object_stood_at(vol->vfs, o, p->dir->id, p->name);
}

char *place_log_path(const struct place *p)
{
	const struct volume *vol = p->dir->vol;
	const struct format *f = vol->format;
	char name[NAME_MAX + 1];

	if (!vol->renumbered || !f->names || p->kind == PLACE_SCRATCH)
		return path_below(node_log_path(p->dir), p->name);
	if (p->kind == PLACE_ID && !moved_here(p) && !place_of_return(p) &&
		f->names->shown_as(vol->before, p->id, name) == 0) {
		node_log_ending(p->name, name);
		return path_below(node_log_path(p->dir), name);
	}
	return place_new_path(p);
}

/* Is it the old path of its object, and not one to which that was moved? */
static bool is_home(const struct place *p)
{
	const struct object *o =
		p->target && !node_scratch(p->target) ? object_find(p->dir->vol->vfs, p->id) : NULL;

	return p->kind == PLACE_ID && !p->left && (!o || o->node != p->target || !o->seq);
}

char *place_new_path(const struct place *p)
{
	const struct volume *vol = p->dir->vol;
	char name[NAME_MAX + 1];

	if (!vol->renumbered || !vol->format->names)
		return path_below(node_log_path(p->dir), p->name);
	node_log_new(p->dir, p->name, p->is_dir, is_home(p), name);
	return path_below(node_log_path(p->dir), name);
}

/* Was the object's file moved, and has what was written to it there refused since then? If another
 * file took the object, no file would have what was accepted before. Where numbers are no part of
 * names nothing is lost if that is a new one. */
static bool keeps_object(const struct volume *vol, const struct place *p, entry_id id)
{
	const struct object *o = object_find(vol->vfs, id);
	const struct node *n = o && o->state == OBJECT_HERE ? o->node : NULL;

	return n && o->seq && !vol->format->numbered && !n->dir && n->lens == LENS_LIVE &&
	       n->stage && n->stage->verdict < 0 &&
	       (n->parent != p->dir || !names_equal(vol->vfs, n->name, p->name));
}

static int new_kind(const struct volume *vol, struct place *p, bool is_dir)
{
	struct meaning m;
	struct entry en;
	int r;

	p->kind = PLACE_SCRATCH;
	if (node_scratch(p->dir))
		return 0;
	r = object_meaning(vol->vfs, p->dir->id, p->name, is_dir, ENTRY_ROOT, &m);
	if (r < 0)
		return r;
	if (m.known && keeps_object(vol, p, m.id)) {
		p->kind = PLACE_NEW;
	} else if (m.known) {
		p->kind = PLACE_ID;
		p->id = m.id;
	} else if ((*m.alternate && object_alternate_at(vol->vfs, p->dir, m.alternate, &p->id)) ||
		   (p->left = object_left_at(vol->vfs, p->dir, p->name, &p->id))) {
		p->id = entry_object(p->id) | m.form;
		/* A directory at the place of a file is none of the map's, and the other way round.
		 * A form that the object does not have is a file's. */
		if (vol->format->stat(vol->now, p->id, &en, NULL) < 0)
			en.dir = false;
		if (en.dir == is_dir)
			p->kind = PLACE_ID;
	} else if (m.is == FORMAT_OBJECT || m.is == FORMAT_PART) {
		p->kind = PLACE_NEW;
	}
	return 0;
}

int place_find(struct vfs *v, struct node *dir, const char *name, bool is_dir, struct place *ret)
{
	struct place p = {.dir = dir, .name = name, .is_dir = is_dir};
	int r;

	const struct dentry *d = dentry_find(v, dir->ino, name);

	/* Nothing else takes the place of what is always there. */
	if (refused_name(name) || (d && d->standing))
		return -EPERM;
	r = names_resolve(v, dir, name, &p.target, NULL);
	if (r < 0 && r != -ENOENT)
		return r;
	r = 0;
	if (p.target && !node_scratch(p.target)) {
		p.kind = PLACE_ID;
		p.id = p.target->id;
	} else {
		r = new_kind(dir->vol, &p, is_dir);
	}
	if (r < 0 && p.target)
		node_free_unused(v, p.target);
	if (r == 0)
		*ret = p;
	return r;
}

/* Does the format itself list the name? Then it takes a record that nothing is there. */
static bool format_lists(const struct node *dir, const char *name)
{
	const struct volume *vol = dir->vol;
	struct entry en;

	return dir->lens != LENS_NONE &&
	       vol->format->lookup(vol->now, dir->id, name, &en, NULL) == 0;
}

/* Nothing stands at dir/name any more, whatever the format lists there. */
static void hide(struct vfs *v, struct node *dir, const char *name)
{
	if (format_lists(dir, name))
		(void)dentry_set(v, dir, name, NULL);
	else
		dentry_remove(v, dir->ino, name);
}

/* A name came or went. */
static void changed(const struct vfs *v, struct node *dir)
{
	if (v->vol->replay != REPLAY_UNDER_WAY)
		node_touch(dir, ATTR_MTIME);
}

int place_node(struct vfs *v, struct node *n, struct node *dir, const char *name)
{
	struct node *from = n->parent;
	char old[NAME_MAX + 1];
	int r;

	snprintf(old, sizeof(old), "%s", n->name ? n->name : "");

	n->opens++;
	if (from)
		from->opens++;
	v->vol->renamed += from && !node_scratch(n);
	r = dentry_set(v, dir, name, n);
	if (r == 0 && from && (from != dir || strcmp(old, name) != 0))
		hide(v, from, old);
	if (r == 0)
		r = node_place(n, dir, name);
	if (r == 0)
		changed(v, dir);
	n->opens--;
	if (from) {
		changed(v, from);
		from->opens--;
		node_free_unused(v, from);
	}
	return r;
}

void place_forget_alias(struct vfs *v, struct node *n, const char *name)
{
	if (n->name && strcmp(n->name, name) != 0)
		node_forget_name(v, n);
}

static void drop_names(struct vfs *v, const struct node *dir)
{
	for (struct dentry *d; (d = dentry_after(v, dir->ino, 0));)
		dentry_remove(v, d->parent, d->name);
}

void place_detach(struct vfs *v, struct node *n)
{
	struct node *from = n->parent;
	char old[NAME_MAX + 1];

	if (!from || !n->name)
		return;
	snprintf(old, sizeof(old), "%s", n->name);
	from->opens++;
	n->opens++;
	v->vol->renamed += !node_scratch(n);
	if (!node_scratch(n))
		node_freeze(v, n, n->vol->now);
	if (n->dir)
		drop_names(v, n);
	hide(v, from, old);
	changed(v, from);
	node_place(n, NULL, NULL);
	n->opens--;
	node_free_unused(v, n);
	from->opens--;
	node_free_unused(v, from);
}

/* Of a standing directory that goes the journal does not tell; at a replay it goes with the one
 * that it is in. */
static bool went(struct vfs *v, struct node *dir, const char *name, const struct entry *en)
{
	struct node *n;
	bool empty;

	if (v->vol->replay != REPLAY_UNDER_WAY || !en->dir || !en->fixed ||
		names_resolve(v, dir, name, &n, NULL) < 0)
		return false;
	empty = place_empty(v, n);
	dir->opens++; /* nothing else may keep it but this name in it */
	node_free_unused(v, n);
	dir->opens--;
	return empty;
}

bool place_empty(struct vfs *v, struct node *dir)
{
	const struct volume *vol = dir->vol;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct entry en;

	if (dentry_count(v, dir->ino))
		return false;
	while (dir->lens != LENS_NONE &&
		vol->format->list(vol->now, dir->id, &cookie, name, &en, NULL) > 0)
		if (!dentry_find(v, dir->ino, name) && !went(v, dir, name, &en))
			return false;
	return true;
}
