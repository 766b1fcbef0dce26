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
static bool is_judged(struct vfs *v, const struct move *m, struct judgement *ret)
{
	struct overlay *o = v->tree;
	const struct upper *u = m->n->at;
	struct meaning k;
	bool made;

	if (u->dir || overlay_meaning(o, &m->to, false, u->from, &k) < 0 || !means_something(&k))
		return false;
	/* Its close will judge it; or it is what it was. */
	if (!node_scratch(m->n) && m->n->stage && m->n->stage->state != STAGE_CLEAN)
		return false;
	if (u->from != ENTRY_NONE && !u->of && !is_written_scratch(m->n) &&
		(k.known ? k.id == u->from : k.fits))
		return false;
	made = !k.known && (u->from == ENTRY_NONE || !k.fits);
	ret->id = k.known ? k.id : u->from;
	if (made && o->base->format->tree->add(
			    &o->shape, m->to.dir->id, m->to.name, false, &ret->id, NULL) < 0)
		return false;
	ret->parsed_id = made ? ENTRY_NONE : ret->id;
	ret->s = snapshot_ref(o->shape);
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

/* What its content would be, where that is asked, and what the journal hears of it. */
static int may_put(struct vfs *v, struct call *c, struct step *s, const struct move *m)
{
	struct judgement *j = step_judged(s);
	struct meaning k;
	bool judged = is_judged(v, m, j), put;
	int r = 0;

	if (judged && !m->n->stage && !m->n->at->written)
		r = stage_begin(v, m->n, false, c);
	if (r == 0)
		r = overlay_meaning(v->tree, &m->to, m->n->at->dir, m->n->at->from, &k);
	if (r != 0)
		return r;
	put = means_something(&k) && is_put(m, judged);
	if (judged || put)
		r = content(m->n, &j->in);
	if (r == 0 && put)
		r = step_content(s, step_path(&m->to), extent_ref(&j->in));
	if (r == 0 && is_journaled(m->n->at))
		r = step_record(s, JOURNAL_RENAME, step_path(&m->from), step_path(&m->to));
	else if (r == 0 && m->target && is_journaled(m->target->at) && !means_something(&k))
		r = step_record(s, JOURNAL_REMOVE, step_path(&m->to), NULL);
	if (r == 0 && judged)
		step_hold(s, m->n);
	return r;
}

static int may_move(struct vfs *v, struct call *c, struct step *s)
{
	struct move m;
	int r = move_find(v, c, &m);

	if (r < 0)
		return r;
	if (m.n->busy || (m.target && m.target->busy)) {
		node_wait(m.n->busy ? m.n : m.target, c);
		r = 1;
	} else if (m.target != m.n && is_derived(v, &m.to)) {
		r = m.n->at->dir || !node_scratch(m.n) ? -EPERM : 0;
	} else if (m.target != m.n) {
		r = may_put(v, c, s, &m);
	}
	move_finish(v, &m);
	return r;
}

static void tell_moved(struct vfs *v, const struct move *m)
{
	const struct upper *u = m->n->at;

	node_touch(m->dir, ATTR_MTIME);
	node_touch(m->to_dir, ATTR_MTIME);
	node_touch(m->n, 0);
	/* Names in files may refer to other objects now. */
	if (u->written || u->from != ENTRY_NONE || m->target)
		view_spoil_and_tell(v);
}

/* Keep the parsed value, which is for the new name. */
static void keep_parsed(struct upper *u, const struct judgement *j)
{
	if (!j->parsed)
		return;
	upper_keep_parsed(u, parsed_ref(j->parsed));
	if (u->from == ENTRY_NONE) {
		u->id = j->id;
		u->made = j->parsed_id == ENTRY_NONE;
	}
}

/* A file that is renamed over one that is derived is dropped, and that is there as before; of the
 * map nothing is lost so. */
static int drop(struct vfs *v, struct call *c, const struct move *m)
{
	struct upper *gone;
	int r;

	m->n->misnamed = true;
	r = overlay_take(v->tree, &m->from);
	gone = upper_find(v->tree, m->to.dir, m->to.name);
	if (gone && gone->whiteout)
		upper_free(v->tree, gone);
	volume_dropped(v->vol, c->to_name);
	node_touch(m->dir, ATTR_MTIME);
	/* The kernel takes what it renamed for what stands there. */
	v->host->forget_name(v->host, m->to_dir->ino, c->to_name, NULL);
	return r;
}

/* Its bytes are no such file: it stays where it is. For EINVAL programs print that a directory was
 * to be moved to a subdirectory of itself. */
static int refuse(struct vfs *v, const struct move *m, const struct judgement *j)
{
	CLEANUP(free) char *path = step_path(&m->to);

	commit_tell_refusal(v, path, j);
	if (path)
		refusals_add(&v->refusals, path, error_text(&j->why));
	/* It was loaded for this alone. */
	(void)file_retire(m->n);
	return j->r == -EFBIG || j->r == -EINVAL ? -EPERM : j->r;
}

static int carry_out(struct vfs *v, struct call *c, struct step *s, const struct move *m)
{
	CLEANUP_EXTENT struct extent kept = step_kept(s);
	CLEANUP(free) char *to_path = step_path(&m->to);
	struct stage *stage = m->n->stage;
	struct node *n = m->n;
	int r;

	forget_alias(v, n, c->name);
	if (m->target)
		forget_alias(v, m->target, c->to_name);
	r = overlay_move(v->tree, &m->from, &m->to);
	if (r == 0 && to_path)
		refusals_remove(&v->refusals, to_path);
	if (r == 0 && (kept.mem || kept.file)) {
		r = upper_write(n->at, extent_ref(&kept), NULL);
		if (r == 0)
			r = overlay_accept(v->tree, n->at);
		if (stage && (stage->state != STAGE_WRITTEN || !n->writers))
			stage->state = STAGE_CLEAN;
	}
	if (r == 0) {
		keep_parsed(n->at, step_judged(s));
		tell_moved(v, m);
	}
	if (r == 0 && file_retire(n))
		node_invalidate(v, &n, 1, NULL);
	return r;
}

static int move(struct vfs *v, struct call *c, struct step *s)
{
	struct move m;
	int r = move_find(v, c, &m);

	if (r < 0 || m.target == m.n) {
		if (r == 0)
			move_finish(v, &m);
		return r;
	}
	m.n->opens++;
	if (m.target)
		m.target->opens++;
	if (judgement_refuses(step_judged(s)))
		r = refuse(v, &m, step_judged(s));
	else if (is_derived(v, &m.to))
		r = drop(v, c, &m);
	else
		r = carry_out(v, c, s, &m);
	m.n->opens--;
	if (m.target)
		m.target->opens--;
	move_finish(v, &m);
	return r;
}

void vfs_rename(struct vfs *v, struct call *c)
{
	step_run(v, c, may_move, move);
}
