/* SPDX-License-Identifier: Zlib */
/*
 * Renames move a name in the tree; what that means for an object is found at the save. A file whose
 * content would be another one's is judged before, as if it was closed there; and scratch that
 * becomes a file of the map is kept in the journal, which knows no scratch.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>

#include "vfs/ops/commit.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"

struct move {
	struct dentry from, to;
	struct node *dir, *to_dir, *n, *target; /* target: what stands there, or NULL */
};

static void move_finish(struct vfs *v, struct move *m)
{
	if (m->target && m->target != m->n)
		node_free_unused(v, m->target);
	node_free_unused(v, m->n);
}

static int find_target(struct vfs *v, const struct call *c, struct move *m)
{
	int r = node_lookup(v, m->to_dir, c->to_name, &m->target);

	if (r == -ENOENT)
		m->target = NULL;
	else if (r < 0)
		return r;
	r = overlay_dentry(v->tree, m->to_dir->at, c->to_name, &m->to);
	if (r == 0)
		r = overlay_dentry(v->tree, m->dir->at, c->name, &m->from);
	return r;
}

/* 0: ret is to be finished. */
static int move_find(struct vfs *v, const struct call *c, struct move *ret)
{
	struct move m = {0};
	int r = c->flags & ~(unsigned)RENAME_NOREPLACE ? -EINVAL : dir_find(v, c->ino, &m.dir);

	if (r == 0)
		r = dir_find(v, c->to_ino, &m.to_dir);
	if (r == 0)
		r = node_lookup(v, m.dir, c->name, &m.n);
	if (r < 0)
		return r;
	m.n->opens++; /* while the other name is looked up */
	r = find_target(v, c, &m);
	m.n->opens--;
	if (r == 0 && m.target != m.n && m.target && (c->flags & RENAME_NOREPLACE))
		r = -EEXIST;
	if (r == 0 && m.target != m.n)
		r = overlay_may_rename(v->tree, &m.from, &m.to);
	if (r < 0)
		move_finish(v, &m);
	else
		*ret = m;
	return r;
}

static bool is_derived(const struct vfs *v, const struct dentry *p)
{
	struct entry en;

	return upper_base(v->tree, p->dir, p->name, &en) == 0 && en.derived;
}

/* Its bytes are nowhere else. */
static bool is_written_scratch(const struct node *n)
{
	return node_scratch(n) && n->stage && n->stage->state != STAGE_CLEAN;
}

/* For which entry the content of the file would be judged; false: it simply goes along. */
static bool is_judged(struct vfs *v, const struct move *m, struct snapshot **ret, entry_id *ret_id)
{
	struct overlay *o = v->tree;
	const struct upper *u = m->n->at;
	struct meaning k;

	if (u->dir || overlay_meaning(o, &m->to, false, u->from, &k) < 0 || !means_something(&k))
		return false;
	/* Its close will judge it; or it is what it was. */
	if (!node_scratch(m->n) && m->n->stage && m->n->stage->state != STAGE_CLEAN)
		return false;
	if (u->from != ENTRY_NONE && !u->of && !is_written_scratch(m->n) &&
		(k.known ? k.id == u->from : k.fits))
		return false;
	*ret_id = k.known ? k.id : u->from;
	if (!k.known && (u->from == ENTRY_NONE || !k.fits) &&
		o->base->format->tree->add(
			&o->shape, m->to.dir->id, m->to.name, false, ret_id, NULL) < 0)
		return false;
	*ret = snapshot_ref(o->shape);
	return true;
}

/* Does the journal hear of its bytes? Also of those that were refused where it stood, or that a
 * save has left out since. */
static bool is_put(const struct move *m, bool is_judged)
{
	const struct upper *u = m->n->at;

	if (!node_scratch(m->n))
		return is_judged && u->why;
	return is_written_scratch(m->n) || u->of || (u->written && u->from == ENTRY_NONE);
}

static int content(const struct node *n, struct extent *ret)
{
	if (n->stage)
		return spool_extent(n->stage->spool, ret, NULL);
	*ret = extent_ref(&n->at->in);
	return n->at->written ? 0 : -ESTALE;
}

static int may_move(struct vfs *v, struct call *c, struct step *s)
{
	struct extent x = EXTENT_INIT;
	struct meaning k;
	struct move m;
	int r = move_find(v, c, &m);

	if (r < 0)
		return r;
	if (m.n->busy || (m.target && m.target->busy)) {
		node_wait(m.n->busy ? m.n : m.target, c);
		return 1;
	}
	r = overlay_meaning(v->tree, &m.to, m.n->at->dir, m.n->at->from, &k);
	if (r == 0 && m.target != m.n && is_journaled(m.n->at))
		r = step_record(s, JOURNAL_RENAME, step_path(&m.from), step_path(&m.to));
	else if (r == 0 && m.target && m.target != m.n && is_journaled(m.target->at) &&
		 !means_something(&k))
		r = step_record(s, JOURNAL_REMOVE, step_path(&m.to), NULL);
	if (r == 0 && m.target != m.n && is_put(&m, step_arg(s)) && means_something(&k)) {
		r = content(m.n, &x);
		if (r == 0)
			r = step_content(s, step_path(&m.to), x);
	}
	move_finish(v, &m);
	return r;
}

struct judging {
	struct judgement judged; /* first */
	struct vfs *v;
	struct call *call;
	struct node *n;
	char *path;
};

static bool has_written(const struct dentry *p)
{
	return p->stands && p->spot.upper && p->spot.upper->written;
}

/* A file that was none of the map's was put: no more than if it had been written there. */
static void put_into_view(struct vfs *v, struct upper *u, struct judging *k)
{
	if (u->from == ENTRY_NONE && k->judged.shapes == v->tree->shapes)
		u->id = k->judged.id;
	view_change(v, k->judged.s, k->judged.shapes, k->judged.next, &k->judged.touched);
	view_tell(v, &k->judged.touched, NULL);
}

static void tell_moved(struct vfs *v, const struct move *m, bool put, struct judging *k)
{
	node_touch(m->dir, ATTR_MTIME);
	node_touch(m->to_dir, ATTR_MTIME);
	node_touch(m->n, 0);
	/* What names of objects mean in files is another thing now. */
	if (put && k && k->judged.r == 0)
		put_into_view(v, m->n->at, k);
	else if (m->n->at->written || m->n->at->from != ENTRY_NONE || m->target)
		view_spoil(v, NULL);
}

static int move(struct vfs *v, struct call *c, struct step *s)
{
	struct extent kept = step_kept(s);
	struct move m;
	bool put = false;
	int r = move_find(v, c, &m);

	if (r < 0) {
		extent_finish(&kept);
		return r;
	}
	if (m.target == m.n) {
		move_finish(v, &m);
		return 0;
	}
	m.n->opens++;
	if (m.target)
		m.target->opens++;
	forget_alias(v, m.n, c->name);
	if (m.target)
		forget_alias(v, m.target, c->to_name);
	put = m.n->at->scratch && m.n->at->from == ENTRY_NONE && !has_written(&m.to);
	r = overlay_move(v->tree, &m.from, &m.to);
	if (r == 0 && (kept.mem || kept.file)) {
		r = upper_write(m.n->at, kept, NULL);
		if (r == 0)
			r = overlay_accept(v->tree, m.n->at);
		if (m.n->stage && (m.n->stage->state != STAGE_WRITTEN || !m.n->writers))
			m.n->stage->state = STAGE_CLEAN;
	} else {
		extent_finish(&kept);
	}
	if (r == 0)
		tell_moved(v, &m, put, step_arg(s));
	if (r == 0 && file_retire(m.n))
		node_invalidate(v, &m.n, 1, NULL);
	m.n->opens--;
	if (m.target)
		m.target->opens--;
	move_finish(v, &m);
	return r;
}

static void judging_free(void *arg)
{
	struct judging *k = arg;

	judgement_finish(&k->judged);
	free(k->path);
	free(k);
}

static void judged(struct job *j)
{
	struct judging *k = (struct judging *)j;
	struct vfs *v = k->v;
	struct call *c = k->call;
	bool refused = judgement_refuses(&k->judged);
	int r = k->judged.r;

	if (refused)
		commit_tell_refusal(v, k->path, &k->judged);
	/* It was loaded for this alone. */
	if (k->n->stage && k->n->stage->state == STAGE_CLEAN && !k->n->handles && !k->n->at->of)
		stage_drop(k->n);
	node_ready(v, k->n);
	k->n->opens--;
	node_free_unused(v, k->n);
	if (!refused) {
		step_run_with(v, c, may_move, move, k, judging_free);
		return;
	}
	judging_free(k);
	call_done(c, r == -EFBIG ? -EINVAL : r);
}

/* The content is there, in the stage or closed. */
static int judge(
	struct vfs *v, struct call *c, const struct move *m, struct snapshot *s, entry_id id)
{
	struct judging *k = calloc(1, sizeof(*k));
	int r = k ? 0 : -ENOMEM;

	if (r == 0)
		r = content(m->n, &k->judged.in);
	if (r < 0) {
		free(k);
		snapshot_unref(s);
		return r;
	}
	call_keep(c);
	k->judged.job.done = judged;
	k->judged.s = s;
	k->judged.shapes = v->tree->shapes;
	k->judged.id = id;
	k->v = v;
	k->call = c;
	k->n = m->n;
	k->path = step_path(&m->to);
	m->n->busy = true;
	m->n->opens++;
	judgement_submit(v, &k->judged);
	return 1;
}

/* A file that is renamed over one that is derived is dropped, and that is there as before; of the
 * map nothing is lost so. */
static int may_drop(struct vfs *v, struct call *c, struct step *s)
{
	struct move m;
	int r = move_find(v, c, &m);

	(void)s;
	if (r < 0)
		return r;
	if (m.n->busy) {
		node_wait(m.n, c);
		return 1;
	}
	r = m.n->at->dir || !node_scratch(m.n) ? -EPERM : 0;
	move_finish(v, &m);
	return r;
}

static int drop(struct vfs *v, struct call *c, struct step *s)
{
	struct upper *gone;
	struct move m;
	int r = move_find(v, c, &m);

	(void)s;
	if (r < 0)
		return r;
	m.n->opens++;
	m.n->misnamed = true;
	r = overlay_take(v->tree, &m.from);
	gone = upper_find(v->tree, m.to.dir, m.to.name);
	if (gone && gone->whiteout)
		upper_free(v->tree, gone);
	volume_dropped(v->vol, c->to_name);
	node_touch(m.dir, ATTR_MTIME);
	/* The kernel takes what it renamed for what stands there. */
	if (v->host->forget_name)
		v->host->forget_name(v->host, m.to_dir->ino, c->to_name, NULL);
	m.n->opens--;
	move_finish(v, &m);
	return r;
}

void vfs_rename(struct vfs *v, struct call *c)
{
	struct snapshot *s = NULL;
	struct move m;
	entry_id id;
	int r;

	r = move_find(v, c, &m);
	if (r < 0 || m.target == m.n) {
		if (r == 0)
			move_finish(v, &m);
		call_done(c, r);
		return;
	}
	if (m.n->busy || (m.target && m.target->busy)) {
		node_wait(m.n->busy ? m.n : m.target, c);
		return;
	}
	if (is_derived(v, &m.to)) {
		move_finish(v, &m);
		step_run(v, c, may_drop, drop);
		return;
	}
	if (is_judged(v, &m, &s, &id)) {
		if (!m.n->stage && !m.n->at->written)
			r = stage_begin(v, m.n, false, c);
		if (r == 0)
			r = judge(v, c, &m, s, id);
		else
			snapshot_unref(s);
		move_finish(v, &m);
		if (r < 0)
			call_done(c, r);
		return;
	}
	move_finish(v, &m);
	step_run(v, c, may_move, move);
}
