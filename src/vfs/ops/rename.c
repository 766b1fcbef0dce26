/* SPDX-License-Identifier: Zlib */
/*
 * Renames. What stands at an object's old path is that object, whatever it was before; so renaming
 * a file over one writes it. A file that moves to a new name takes its object along; one that moves
 * to a scratch name becomes a copy of what it was, and the object stays in the map.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/kept.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/place.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/move.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/ops/takeover.h"
#include "vfs/ops/waiting.h"

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
	struct object *o;
	struct move m;
	bool second;

	if (r == 0)
		r = move_find(v, c, &m);
	second = r == 0 && object_second(v, m.n);
	if (r == 0 && !second)
		r = object_left(v, m.n, OBJECT_KEPT);
	if (second) {
		node_cut(v, m.n);
	} else if (r == 0) {
		o = object_find(v, m.n->id);
		o->bare = m.n->lens == LENS_NEW;
		m.n->origin = m.n->id;
		m.n->left = o->left;
		node_freeze(v, m.n, m.n->vol->now);
	}
	if (r == 0)
		r = move_scratch(v, &m);
	waiting_answer(v, c, NULL, r);
}

static void freeze(struct vfs *v, struct call *c, const struct node *n)
{
	CLEANUP(free) char *path = object_second(v, n) ? node_log_path(n) : NULL;

	if (path)
		step_record(v, c, JOURNAL_DROP, path, NULL, freeze_live);
	else
		step_run(v, c, freeze_live);
}

/* from: the path that it had, of a directory; else NULL. */
static void note_changed(const struct node *n, const char *from)
{
	CLEANUP(free) char *path = node_path(n);

	if (path && from)
		volume_moved(n->vol, from, path);
	if (path)
		volume_changed(n->vol, path, n->id);
}

/* What stands at a place from now on is what the journal has there: an object that no map has, and
 * whose file was moved away from it, is known by nothing else. Its file is a copy for good. */
static void forget_left(struct vfs *v, const struct move *m)
{
	const struct object *o = m->to.left ? object_find(v, m->to.id) : NULL;

	if (o && o->state == OBJECT_KEPT && o->since == OBJECT_MADE &&
		entry_object(o->id) != entry_object(m->n->id))
		object_forget(v, o->id);
}

/* An object's file to a new name, or back to its old one: the object goes with it. */
static void rename_live(struct vfs *v, struct call *c, int r)
{
	CLEANUP(free) char *path = NULL, *log_path = NULL;
	struct move m;

	if (r == 0)
		r = move_find(v, c, &m);
	if (r == 0 && m.to.target && m.to.target != m.n) {
		if (!node_scratch(m.to.target))
			object_forget(v, m.to.target->id);
		place_detach(v, m.to.target);
	}
	if (r == 0 && m.n->dir) {
		path = node_path(m.n);
		log_path = node_log_path(m.n);
		r = path && log_path ? 0 : -ENOMEM;
	}
	if (r == 0) {
		forget_left(v, &m);
		r = place_node(v, m.n, m.to.dir, m.to.name);
	}
	if (r == 0)
		r = object_here(v, m.n);
	if (r == 0) {
		if (path)
			kept_moved(v, m.n, path, log_path);
		node_touch(m.n, 0);
		note_changed(m.n, path);
	}
	waiting_answer(v, c, NULL, r);
}

/* Scratch that was an object's file, as it was, back to a name of the map. */
static void restore_live(struct vfs *v, struct call *c, int r)
{
	struct move m;

	if (r == 0)
		r = move_find(v, c, &m);
	if (r == 0)
		r = place_node(v, m.n, m.to.dir, m.to.name);
	if (r == 0) {
		node_show(v, m.n, LENS_LIVE, m.n->origin);
		r = object_here(v, m.n);
		note_changed(m.n, NULL);
	}
	waiting_answer(v, c, NULL, r);
}

/* What no saved map has makes room for what has a place in one. */
static bool makes_room(const struct vfs *v, const struct node *target)
{
	const struct object *o = object_find(v, target->id);

	return o && o->state == OBJECT_HERE && o->node == target && o->since == OBJECT_MADE;
}

/* Is it the last place of an object that stays in the map, where no two can stand at one path? What
 * comes there is that one's again. */
static bool is_kept_place(const struct vfs *v, const struct place *to)
{
	const struct object *o = to->left ? object_find(v, to->id) : NULL;

	return o && o->state == OBJECT_KEPT && !v->vol->format->numbered;
}

/* Can n's object simply go along? */
static bool goes_along(const struct vfs *v, const struct move *m)
{
	const struct node *n = m->n, *target = m->to.target;
	const struct object *o;

	if (node_scratch(n) || object_second(v, n) || m->to.kind == PLACE_SCRATCH ||
		is_kept_place(v, &m->to))
		return false;
	if (target && !node_scratch(target) &&
		(n->dir ? target->fixed
			: n->lens == LENS_NEW || n->stage || !makes_room(v, target)))
		return false;
	if (m->to.kind == PLACE_ID && !m->to.left && !n->dir && (!target || node_scratch(target)))
		return m->to.id == n->id;
	o = object_find(v, n->id);
	return (n->dir || !o || o->state == OBJECT_HERE) && move_fits(v, n->id, n->dir, &m->to);
}

static void record_rename(
	struct vfs *v, struct call *c, const char *from, const struct move *m, step_fn fn)
{
	CLEANUP(free) char *to = move_log_path(v, m);

	step_record(v, c, JOURNAL_RENAME, from, to, fn);
}

/* As rmdir has it. The call runs again, and finds nothing in its way. */
static void target_goes(struct vfs *v, struct call *c, int r)
{
	struct move m;

	if (r == 0)
		r = move_find(v, c, &m);
	if (r == 0 && m.to.target && !node_scratch(m.to.target)) {
		r = object_left(v, m.to.target, OBJECT_GONE);
		if (r == 0)
			place_detach(v, m.to.target);
	}
	if (r < 0)
		call_done(c, r);
	else
		call_again(v, c);
}

/* An empty directory of the map is removed before another one takes its place. */
static bool remove_target(struct vfs *v, struct call *c, const struct move *m)
{
	bool is_live = m->to.target && !node_scratch(m->to.target);
	CLEANUP(free) char *path = is_live ? node_log_path(m->to.target) : NULL;

	if (path)
		step_record(v, c, JOURNAL_REMOVE, path, NULL, target_goes);
	else if (is_live)
		call_done(c, -ENOMEM);
	return is_live;
}

static void rename_dir(struct vfs *v, struct call *c, const struct move *m)
{
	CLEANUP(free) char *path = node_log_path(m->n);

	if (node_scratch(m->n) && m->to.kind == PLACE_SCRATCH)
		call_done(c, move_scratch(v, m));
	else if (goes_along(v, m) && remove_target(v, c, m))
		return;
	else if (goes_along(v, m))
		record_rename(v, c, path, m, rename_live);
	else if (m->to.kind == PLACE_SCRATCH)
		call_done(c, -EPERM); /* as a copy it would be gone with the scratch */
	else
		call_done(c, -EXDEV); /* mv copies then, file by file, and each is judged */
}

/* Is the new name that of an entry which is derived? */
static bool is_onto_derived(struct vfs *v, const struct call *c)
{
	const struct node *to = node_find(v, c->to_ino);
	struct entry en;

	return to && to->lens != LENS_NONE &&
	       v->vol->format->lookup(v->vol->now, to->id, c->to_name, &en, NULL) == 0 &&
	       en.derived;
}

/* A file that is renamed over one that is derived is dropped, and that is there as before; of the
 * map nothing is lost so. */
static void drop(struct vfs *v, struct call *c)
{
	struct node *from, *to, *n = NULL;
	const struct dentry *d;
	int r = place_dir(v, c->ino, c->name, &from);

	if (r == 0)
		r = place_dir(v, c->to_ino, c->to_name, &to);
	d = r == 0 ? dentry_find(v, to->ino, c->to_name) : NULL;
	if (r == 0 && c->flags && (c->flags & ~(unsigned)RENAME_NOREPLACE || !d))
		r = c->flags & ~(unsigned)RENAME_NOREPLACE ? -EINVAL : -EEXIST;
	if (r == 0)
		r = names_resolve(v, from, c->name, &n, NULL);
	if (r == 0 && n->busy) {
		node_wait(n, c);
		return;
	}
	if (r == 0 && (n->dir || !node_scratch(n))) {
		node_free_unused(v, n);
		r = -EPERM;
	}
	if (r == 0) {
		n->misnamed = true;
		place_detach(v, n);
		dentry_remove(v, to->ino, c->to_name);
		volume_dropped(v->vol, c->to_name);
	}
	/* The kernel takes what it renamed for what stands there. */
	if (r == 0 && v->host->forget_name)
		v->host->forget_name(v->host, to->ino, c->to_name, NULL);
	call_done(c, r);
}

void vfs_rename(struct vfs *v, struct call *c)
{
	CLEANUP(free) char *path = NULL;
	struct move m;
	int r;

	if (is_onto_derived(v, c)) {
		drop(v, c);
		return;
	}
	r = move_find(v, c, &m);
	if (r < 0 || m.to.target == m.n) {
		call_done(c, r);
		return;
	}
	if (m.n->busy || (m.to.target && m.to.target->busy)) {
		node_wait(m.n->busy ? m.n : m.to.target, c);
		return;
	}
	place_forget_alias(v, m.n, c->name);
	if (m.to.target)
		place_forget_alias(v, m.to.target, c->to_name);
	if (m.n->dir) {
		rename_dir(v, c, &m);
	} else if (m.to.kind == PLACE_SCRATCH && node_scratch(m.n)) {
		call_done(c, move_scratch(v, &m));
	} else if (m.to.kind == PLACE_SCRATCH) {
		freeze(v, c, m.n);
	} else if (goes_along(v, &m)) {
		if (move_leave_second(v, c, m.n))
			return;
		path = node_log_path(m.n);
		record_rename(v, c, path, &m, rename_live);
	} else if (m.n->lens == LENS_FROZEN && !m.n->stage && move_comes_back(v, &m)) {
		if (move_leave_second(v, c, m.n))
			return;
		path = move_left_log_path(v, object_find(v, m.n->origin));
		record_rename(v, c, path, &m, restore_live);
	} else {
		move_take_over(v, c, &m);
	}
}
