/* SPDX-License-Identifier: Zlib */
/*
 * Renames. What stands at an object's old path is that object, whatever it was before; so renaming
 * a file over one writes it. A file that moves to a new name takes its object along; one that moves
 * to a scratch name becomes a copy of what it was, and the object stays in the map.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>

#include "vfs/place.h"
#include "vfs/object.h"
#include "vfs/put.h"
#include "vfs/step.h"

struct move {
	struct node *from, *n;
	struct place to;
};

static int may_replace(struct vfs *v, const struct move *m, unsigned flags)
{
	const struct node *target = m->to.target;

	if (!target || target == m->n)
		return 0;
	if (flags & RENAME_NOREPLACE)
		return -EEXIST;
	if (m->n->dir != target->dir)
		return target->dir ? -EISDIR : -ENOTDIR;
	if (!target->dir)
		return 0;
	return place_empty(v, m->to.target) && node_scratch(target) ? 0 : -ENOTEMPTY;
}

static int find(struct vfs *v, struct call *c, struct move *ret)
{
	struct move m = {0};
	struct node *to;
	int r = place_dir(v, c->ino, c->name, &m.from);

	if (r == 0)
		r = place_dir(v, c->to_ino, c->to_name, &to);
	if (r == 0 && (c->flags & ~(unsigned)RENAME_NOREPLACE))
		r = -EINVAL;
	if (r == 0)
		r = names_resolve(v, m.from, c->name, &m.n, NULL);
	if (r < 0)
		return r;
	object_unbind(v, m.n);
	m.n->opens++; /* while the other name is looked up */
	r = m.n->fixed ? -EPERM : place_find(v, to, c->to_name, m.n->dir, &m.to);
	if (r == 0) {
		r = may_replace(v, &m, c->flags);
		if (r < 0 && m.to.target)
			node_settle(v, m.to.target);
	}
	m.n->opens--;
	if (r < 0)
		node_settle(v, m.n);
	else
		*ret = m;
	return r;
}

/* Scratch to a scratch name. */
static int move_scratch(struct vfs *v, const struct move *m)
{
	if (m->to.target && m->to.target != m->n)
		place_detach(v, m->to.target);
	node_touch(m->n, 0);
	return place_node(v, m->n, m->to.dir, m->to.name);
}

/* A file of the map to a scratch name: it is a copy from now on. No journal: after a kill the
 * scratch is gone, and the object stands where it was. */
static void freeze_live(struct vfs *v, struct call *c, int r)
{
	struct move m;
	bool made;

	if (r == 0)
		r = find(v, c, &m);
	made = r == 0 && object_made(v, m.n);
	if (made)
		object_forget(v, m.n->id);
	else if (r == 0)
		r = object_left(v, m.n, OBJECT_KEPT);
	if (r == 0) {
		m.n->has_origin = !made;
		m.n->origin = m.n->id;
		m.n->frozen = snapshot_ref(m.n->vol->now);
		m.n->fresh = false;
		r = move_scratch(v, &m);
	}
	call_done(c, r);
}

static void note_changed(const struct node *n)
{
	CLEANUP(free) char *path = node_path(n);

	if (path)
		volume_changed(n->vol, path);
}

/* An object's file to a new name, or back to its old one: the object goes with it. */
static void rename_live(struct vfs *v, struct call *c, int r)
{
	struct move m;

	if (r == 0)
		r = find(v, c, &m);
	if (r == 0 && m.to.target && m.to.target != m.n)
		place_detach(v, m.to.target);
	if (r == 0)
		r = place_node(v, m.n, m.to.dir, m.to.name);
	if (r == 0)
		r = object_here(v, m.n, m.to.kind == PLACE_NEW || m.to.id != m.n->id);
	if (r == 0) {
		node_touch(m.n, 0);
		note_changed(m.n);
	}
	call_done(c, r);
}

/* Scratch that was an object's file, to a new name, while nothing stands for the object. */
static void restore_live(struct vfs *v, struct call *c, int r)
{
	struct move m;

	if (r == 0)
		r = find(v, c, &m);
	if (r == 0)
		r = place_node(v, m.n, m.to.dir, m.to.name);
	if (r == 0) {
		m.n->id = m.n->origin;
		m.n->has_id = true;
		m.n->has_origin = false;
		snapshot_unref(TAKE(m.n->frozen));
		r = object_here(v, m.n, true);
		note_changed(m.n);
	}
	call_done(c, r);
}

/* The content of n to another lens; then n stands there. */
struct takeover {
	struct call *call;
	struct node *n;
	struct node *target; /* what stood there, or NULL */
	struct snapshot *old;
	entry_id id;
	bool fresh;
	bool loaded; /* n's stage was made for this, and goes if nothing comes of it */
};

static void took_over(struct vfs *v, const struct takeover *t, struct node *n, struct node *dir)
{
	const struct object *o = object_find(v, t->id);
	bool moved = t->fresh || (o && o->state == OBJECT_HERE && o->seq);
	struct node *target = t->target;

	if (target && target->parent) {
		/* Who has the replaced file open goes on reading what it was. */
		if (!target->frozen)
			target->frozen = snapshot_ref(t->old);
		place_detach(v, target);
	}
	if (!node_scratch(n))
		(void)object_left(v, n, OBJECT_GONE);
	(void)place_node(v, n, dir, t->call->to_name);
	n->has_id = true;
	n->id = t->id;
	n->has_origin = false;
	snapshot_unref(TAKE(n->frozen));
	n->fresh = t->fresh;
	if (t->fresh || o)
		(void)object_here(v, n, moved);
	if (n->pending)
		return;
	put_accepted(v, n);
	if (!n->writers && n->stage && n->stage->state == STAGE_CLEAN)
		stage_drop(n);
}

static void takeover_end(struct vfs *v, struct call *c, int r)
{
	struct takeover *t = c->takeover;
	struct node *dir = node_find(v, c->to_ino), *n = t->n;

	if (r == 0)
		r = dir ? 0 : -ESTALE;
	if (r == 0)
		took_over(v, t, n, dir);
	else if (t->loaded && !node_scratch(n) && n->stage && n->stage->state == STAGE_CLEAN)
		stage_drop(n); /* it has its lens; scratch has nothing else */
	if (t->target) {
		t->target->opens--;
		node_settle(v, t->target);
	}
	n->opens--;
	node_settle(v, n);
	snapshot_unref(t->old);
	free(t);
	call_done(c, r);
}

static void taken_over(struct vfs *v, struct node *n, void *arg, int r)
{
	struct takeover *t = arg;
	CLEANUP(free) char *path = NULL;

	if (r < 0 || node_scratch(n) || n->fresh) {
		takeover_end(v, t->call, r);
		return;
	}
	/* An object's file that was moved over another one is gone from its own place. */
	path = node_log_path(n);
	step_record(v, t->call, JOURNAL_REMOVE, path ? path : "", NULL, takeover_end);
}

/* n's stage is there. In the lane, for the object that may have to be made. */
static void take_over_live(struct vfs *v, struct call *c, int r)
{
	struct volume *vol = v->vol;
	CLEANUP(free) char *path = NULL, *log_path = NULL;
	struct put_request rq;
	struct takeover *t = NULL;
	struct move m;

	if (r == 0)
		r = find(v, c, &m);
	if (r == 0 && (m.n->busy || !m.n->stage))
		r = -EBUSY;
	if (r == 0) {
		path = place_path(&m.to);
		log_path = place_log_path(&m.to);
		t = calloc(1, sizeof(*t));
		r = path && log_path && t ? 0 : -ENOMEM;
	}
	if (r == 0) {
		t->fresh = m.to.kind == PLACE_NEW;
		t->id = m.to.id;
		if (t->fresh)
			r = vol->format->add(
				&vol->now, m.to.dir->id, m.to.name, false, &t->id, NULL);
	}
	if (r < 0) {
		free(t);
		call_done(c, r);
		return;
	}
	t->call = c;
	c->takeover = t;
	t->n = m.n;
	m.n->opens++;
	t->target = m.to.target;
	t->old = snapshot_ref(vol->now);
	t->loaded = c->loaded;
	if (t->target)
		t->target->opens++;
	rq = (struct put_request){
		.node = m.n,
		.id = t->id,
		.path = path,
		.log_path = log_path,
		.always = true,
		.was_draft = t->target && t->target->stage && t->target->stage->verdict < 0,
		.done = taken_over,
		.arg = t,
	};
	put_request(v, &rq);
}

static void take_over(struct vfs *v, struct call *c, const struct move *m)
{
	struct node *n = m->n, *target = m->to.target;
	bool had = n->stage != NULL;
	struct entry en = {.writable = true};
	int r = 0;

	if (target && !node_scratch(target))
		r = node_entry(target, &en, NULL);
	if (r == -EIO)
		r = 0; /* the other form: it is about to be */
	if (r == 0 && target && !en.writable && !target->stage)
		r = -EACCES;
	if (r == 0 && (n->busy || (target && target->busy))) {
		node_wait(n->busy ? n : target, c);
		return;
	}
	if (r == 0 && m->to.kind == PLACE_ID)
		r = place_split(v, &m->to, c);
	if (r > 0)
		return;
	if (r == 0 && !had)
		c->loaded = true;
	if (r == 0)
		r = stage_begin(v, n, false, c);
	if (r > 0)
		return;
	if (r < 0)
		call_done(c, r);
	else
		step_run(v, c, take_over_live);
}

static bool may_move(const struct volume *vol, entry_id id, const struct place *to)
{
	return vol->format->may_move &&
	       vol->format->may_move(vol->now, id, to->dir->id, to->name, NULL) == 0;
}

/* Can n's object simply go along? */
static bool goes_along(const struct vfs *v, const struct move *m)
{
	const struct object *o;

	if (node_scratch(m->n) || (m->to.target && !node_scratch(m->to.target)))
		return false;
	if (m->to.kind == PLACE_ID && !m->n->dir)
		return m->to.id == m->n->id;
	o = object_find(v, m->n->id);
	return (m->n->dir || !o || o->state == OBJECT_HERE) && may_move(v->vol, m->n->id, &m->to);
}

static bool restores(const struct vfs *v, const struct move *m)
{
	const struct object *o;

	if (!m->n->has_origin || !m->n->frozen || m->n->stage || m->to.kind != PLACE_NEW ||
		m->to.target)
		return false;
	o = object_find(v, m->n->origin);
	return o && o->state != OBJECT_HERE && may_move(v->vol, m->n->origin, &m->to);
}

static void record_rename(
	struct vfs *v, struct call *c, const char *from, const struct move *m, step_fn fn)
{
	CLEANUP(free) char *to = place_log_path(&m->to);

	step_record(v, c, JOURNAL_RENAME, from, to ? to : "", fn);
}

static void rename_dir(struct vfs *v, struct call *c, const struct move *m)
{
	CLEANUP(free) char *path = node_log_path(m->n);

	if (node_scratch(m->n) && m->to.kind == PLACE_SCRATCH)
		call_done(c, move_scratch(v, m));
	else if (goes_along(v, m))
		record_rename(v, c, path, m, rename_live);
	else if (m->to.kind == PLACE_SCRATCH)
		call_done(c, -EPERM); /* as a copy it would be gone with the scratch */
	else
		call_done(c, -EXDEV); /* mv copies then, file by file, and each is judged */
}

void vfs_rename(struct vfs *v, struct call *c)
{
	CLEANUP(free) char *path = NULL;
	struct move m;
	int r = find(v, c, &m);

	if (r < 0 || m.to.target == m.n) {
		call_done(c, r);
		return;
	}
	if (m.n->busy) {
		node_wait(m.n, c);
		return;
	}
	if (m.n->dir) {
		rename_dir(v, c, &m);
	} else if (m.to.kind == PLACE_SCRATCH && node_scratch(m.n)) {
		call_done(c, move_scratch(v, &m));
	} else if (m.to.kind == PLACE_SCRATCH) {
		step_run(v, c, freeze_live);
	} else if (goes_along(v, &m)) {
		path = node_log_path(m.n);
		record_rename(v, c, path, &m, rename_live);
	} else if (restores(v, &m)) {
		path = strdup(object_find(v, m.n->origin)->log_path);
		record_rename(v, c, path, &m, restore_live);
	} else {
		take_over(v, c, &m);
	}
}
