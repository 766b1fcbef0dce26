/* SPDX-License-Identifier: Zlib */
/* Files and directories that are made: scratch, new objects and parts, and names of the mount that
 * had gone. */
#include <errno.h>
#include <fcntl.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/place.h"
#include "vfs/tree/stage.h"
#include "vfs/ops/file.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/split.h"
#include "vfs/ops/step.h"

static int make_node(
	struct vfs *v, struct call *c, struct node *dir, bool is_dir, struct node **ret)
{
	struct node *n = node_new(v, dir->vol, is_dir);
	int r;

	if (!n)
		return -ENOMEM;
	n->mode = c->set.mode;
	n->uid = c->set.uid;
	n->gid = c->set.gid;
	node_touch(n, ATTR_MODE | ATTR_UID | ATTR_GID | ATTR_MTIME | ATTR_ATIME);
	r = place_node(v, n, dir, c->name);
	if (r < 0) {
		node_free_unused(v, n);
		return r;
	}
	*ret = n;
	return 0;
}

/* The reply: attributes, and for files a handle. */
static void made(struct vfs *v, struct call *c, struct node *n, int r)
{
	if (r == 0 && !n->dir) {
		c->opened = handle_new(n, c->flags);
		r = c->opened ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = node_attr(v, n, &c->attr);
	if (r == 0)
		n->lookups++;
	if (r == 0 && n->dir)
		n->maker = c->caller;
	call_done(c, r);
}

/* What is always there is made by the one who made the directory that it is in. */
static bool adopts(const struct vfs *v, const struct call *c, const struct place *p, bool is_dir)
{
	return p->target && is_dir && p->target->dir && p->target->fixed &&
	       (v->vol->replay == REPLAY_UNDER_WAY ||
		       (p->dir->maker && p->dir->maker == c->caller));
}

/* Is there one already? The kernel looked before it asked. Unless it is to be a new one, it looks
 * again and opens that. */
static int refuse_taken(struct vfs *v, const struct call *c, const struct place *p)
{
	if (!p->target)
		return 0;
	node_free_unused(v, p->target);
	return c->op == vfs_mkdir || (c->flags & O_EXCL) ? -EEXIST : -ESTALE;
}

/* n, just made, stands for what its name says. split: the object that is its own again, since the
 * file that it had became another one. */
static int bind(struct vfs *v, struct node *n, const struct place *p, entry_id split)
{
	struct volume *vol = n->vol;
	entry_id id = p->id;
	struct object *o = object_find(v, id);
	bool is_new = p->kind == PLACE_NEW || (o && o->state == OBJECT_KEPT && o->bare);
	int r = 0;

	if (p->kind == PLACE_NEW)
		r = vol->format->tree->add(&vol->now, p->dir->id, n->name, n->dir, &id, NULL);
	if (r < 0)
		return r;
	if (n->dir) /* it has no content to wait for */
		node_show(v, n, LENS_LIVE, id);
	else
		node_show(v, n, is_new ? LENS_NEW : LENS_MADE, id);
	if (!n->dir) {
		r = stage_new(n);
		if (r < 0)
			return r;
		n->stage->state = STAGE_TRUNCATED;
	}
	/* While its other form stands, the object is still that one's. */
	o = object_find(v, n->id);
	if (p->kind == PLACE_NEW || n->id == split || (o && o->state != OBJECT_HERE))
		r = object_here(v, n);
	return r;
}

/*
 * A directory that was moved took its object along, and one that was removed is gone with all that
 * was in it: at its old path a new one is made, at the same position. Nothing refers to it by its
 * path.
 */
static bool is_free(const struct vfs *v, const struct place *p)
{
	return p->kind == PLACE_ID && object_find(v, p->id);
}

static void make_live(struct vfs *v, struct call *c, int r)
{
	struct node *dir, *n = NULL;
	struct place p;
	bool is_dir = c->op == vfs_mkdir;

	if (r == 0)
		r = place_dir(v, c->ino, c->name, &dir);
	if (r == 0)
		r = place_find(v, dir, c->name, is_dir, &p);
	if (r == 0)
		r = refuse_taken(v, c, &p);
	if (r == 0 && is_dir && is_free(v, &p))
		p.kind = PLACE_NEW;
	if (r == 0)
		r = make_node(v, c, dir, is_dir, &n);
	if (r == 0)
		r = bind(v, n, &p, c->split);
	if (r < 0 && n) {
		node_cut(v, n);
		place_detach(v, n);
	}
	made(v, c, n, r);
}

/* What is always there, and was removed, is made again: there it is. */
static bool makes_standing(struct vfs *v, struct call *c, struct node *dir, bool is_dir)
{
	const struct dentry *d = dentry_find(v, dir->ino, c->name);
	struct entry en;
	struct node *n;
	int r;

	if (!d || !d->standing ||
		v->vol->format->lookup(v->vol->now, dir->id, c->name, &en, NULL) < 0 ||
		en.dir != is_dir)
		return false;
	dentry_remove(v, dir->ino, c->name);
	r = names_resolve(v, dir, c->name, &n, NULL);
	if (r == 0 && !is_dir && !n->stage) {
		r = stage_new(n);
		if (r == 0)
			n->stage->state = STAGE_TRUNCATED;
	}
	if (r == 0)
		made(v, c, n, 0);
	else
		call_done(c, r);
	return true;
}

static void make(struct vfs *v, struct call *c, bool is_dir)
{
	struct node *dir, *n = NULL;
	struct place p;
	int r = place_dir(v, c->ino, c->name, &dir);

	if (r == 0 && makes_standing(v, c, dir, is_dir))
		return;
	if (r == 0)
		r = place_find(v, dir, c->name, is_dir, &p);
	if (r == 0 && adopts(v, c, &p, is_dir)) {
		dir->maker = 0;
		made(v, c, p.target, 0);
		return;
	}
	if (r == 0)
		r = refuse_taken(v, c, &p);
	if (r < 0) {
		call_done(c, r);
		return;
	}
	if (p.kind == PLACE_SCRATCH) {
		r = make_node(v, c, dir, is_dir, &n);
		made(v, c, n, r);
		return;
	}
	r = p.kind == PLACE_ID ? split_off(v, &p, c) : 0;
	if (r < 0) {
		call_done(c, r);
	} else if (r == 0 && is_dir) {
		CLEANUP(free) char *path = place_log_path(&p);

		step_record(v, c, JOURNAL_MKDIR, path, NULL, make_live);
	} else if (r == 0) {
		/* The file's first close writes what brings it back. */
		step_run(v, c, make_live);
	}
}

void vfs_create_file(struct vfs *v, struct call *c)
{
	make(v, c, false);
}

void vfs_mkdir(struct vfs *v, struct call *c)
{
	make(v, c, true);
}
