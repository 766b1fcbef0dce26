/* SPDX-License-Identifier: Zlib */
/*
 * Renames move a name in the tree; what that means for an object is found at the save. A file whose
 * content would be another one's is judged before, as if it was closed there; and scratch that
 * becomes a file of the map is kept in the journal, which knows no scratch.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>

#include "vfs/ops/close.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/write_buffer.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"

struct move {
	struct dentry from, to;
	struct inode *dir, *to_dir, *n, *target; /* target: what stands there, or NULL */
};

static void move_finish(struct vfs *v, struct move *m)
{
	if (m->target && m->target != m->n)
		inode_free_unused(v, m->target);
	inode_free_unused(v, m->n);
}

static int find_target(struct vfs *v, const struct call *c, struct move *m)
{
	int r = inode_lookup(v, m->to_dir, c->to_name, &m->target);

	if (r == -ENOENT)
		m->target = NULL;
	else if (r < 0)
		return r;
	r = overlay_dentry(v->overlay, m->to_dir->oentry, c->to_name, &m->to);
	if (r == 0)
		r = overlay_dentry(v->overlay, m->dir->oentry, c->name, &m->from);
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
		r = inode_lookup(v, m.dir, c->name, &m.n);
	if (r < 0)
		return r;
	m.n->opens++; /* while the other name is looked up */
	r = find_target(v, c, &m);
	m.n->opens--;
	if (r == 0 && m.target != m.n && m.target && (c->flags & RENAME_NOREPLACE))
		r = -EEXIST;
	if (r == 0 && m.target != m.n)
		r = overlay_may_rename(v->overlay, &m.from, &m.to);
	if (r < 0)
		move_finish(v, &m);
	else
		*ret = m;
	return r;
}

static bool is_derived(const struct vfs *v, const struct dentry *p)
{
	struct file_attr en;

	return oentry_lookup_base(v->overlay, p->parent, p->name, &en) == 0 && en.is_generated;
}

/* Its bytes are nowhere else. */
static bool is_written_scratch(const struct inode *n)
{
	return inode_is_scratch(n) && n->write_buffer && n->write_buffer->state != BUFFER_CLEAN;
}

/* For which entry the content of the file would be judged; false: it simply goes along. */
static bool is_judged(struct vfs *v, const struct move *m, struct validation *ret)
{
	struct overlay *o = v->overlay;
	const struct oentry *u = m->n->oentry;
	struct name_class k;
	bool made;

	if (u->is_dir || overlay_meaning(o, &m->to, false, u->origin, &k) < 0 ||
		!name_has_meaning(&k))
		return false;
	/* Its close will judge it; or it is what it was. */
	if (!inode_is_scratch(m->n) && m->n->write_buffer &&
		m->n->write_buffer->state != BUFFER_CLEAN)
		return false;
	if (u->origin != ENTRY_NONE && !u->frozen_map && !is_written_scratch(m->n) &&
		(k.is_known ? k.id == u->origin : k.accepts_object))
		return false;
	made = !k.is_known && (u->origin == ENTRY_NONE || !k.accepts_object);
	ret->id = k.is_known ? k.id : u->origin;
	if (made && o->base->format->tree->add(
			    &o->shape, m->to.parent->id, m->to.name, false, &ret->id, NULL) < 0)
		return false;
	ret->parsed_id = made ? ENTRY_NONE : ret->id;
	ret->map = snapshot_ref(o->shape);
	return true;
}

/* Does the journal hear of its bytes? Also of those that were refused where it stood, or that a
 * save has left out since. */
static bool is_put(const struct move *m, bool is_judged)
{
	const struct oentry *u = m->n->oentry;

	if (!inode_is_scratch(m->n))
		return is_judged && u->refusal;
	return is_written_scratch(m->n) || u->frozen_map ||
	       (u->has_content && u->origin == ENTRY_NONE);
}

static int content(const struct inode *n, struct extent *ret)
{
	if (n->write_buffer)
		return spool_extent(n->write_buffer->spool, ret, NULL);
	*ret = extent_ref(&n->oentry->bytes);
	return n->oentry->has_content ? 0 : -ESTALE;
}

/* What its content would be, where that is asked, and what the journal hears of it. */
static int may_put(struct vfs *v, struct call *c, struct step *s, const struct move *m)
{
	struct validation *j = step_judged(s);
	struct name_class k;
	bool judged = is_judged(v, m, j), put;
	int r = 0;

	if (judged && !m->n->write_buffer && !m->n->oentry->has_content)
		r = write_buffer_begin(v, m->n, false, c);
	if (r == 0)
		r = overlay_meaning(
			v->overlay, &m->to, m->n->oentry->is_dir, m->n->oentry->origin, &k);
	if (r != 0)
		return r;
	put = name_has_meaning(&k) && is_put(m, judged);
	if (judged || put)
		r = content(m->n, &j->bytes);
	if (r == 0 && put)
		r = step_content(s, step_path(&m->to), extent_ref(&j->bytes));
	if (r == 0 && is_journaled(m->n->oentry))
		r = step_record(s, JOURNAL_RENAME, step_path(&m->from), step_path(&m->to));
	else if (r == 0 && m->target && is_journaled(m->target->oentry) && !name_has_meaning(&k))
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
	if (m.n->is_busy || (m.target && m.target->is_busy)) {
		inode_wait(m.n->is_busy ? m.n : m.target, c);
		r = 1;
	} else if (m.target != m.n && is_derived(v, &m.to)) {
		r = m.n->oentry->is_dir || !inode_is_scratch(m.n) ? -EPERM : 0;
	} else if (m.target != m.n) {
		r = may_put(v, c, s, &m);
	}
	move_finish(v, &m);
	return r;
}

static void tell_moved(struct vfs *v, const struct move *m)
{
	const struct oentry *u = m->n->oentry;

	inode_touch(m->dir, ATTR_MTIME);
	inode_touch(m->to_dir, ATTR_MTIME);
	inode_touch(m->n, 0);
	/* Names in files may refer to other objects now. */
	if (u->has_content || u->origin != ENTRY_NONE || m->target)
		view_spoil_and_tell(v);
}

/* Keep the parsed value, which is for the new name. */
static void keep_parsed(struct oentry *u, const struct validation *j)
{
	if (!j->parsed)
		return;
	oentry_keep_parsed(u, parsed_ref(j->parsed));
	if (u->origin == ENTRY_NONE) {
		u->id = j->id;
		u->is_new = j->parsed_id == ENTRY_NONE;
	}
}

/* A file that is renamed over one that is derived is dropped, and that is there as before; of the
 * map nothing is lost so. */
static int drop(struct vfs *v, struct call *c, const struct move *m)
{
	struct oentry *gone;
	int r;

	m->n->is_name_stale = true;
	r = overlay_take(v->overlay, &m->from);
	gone = oentry_find(v->overlay, m->to.parent, m->to.name);
	if (gone && gone->is_whiteout)
		oentry_free(v->overlay, gone);
	volume_dropped(v->vol, c->to_name);
	inode_touch(m->dir, ATTR_MTIME);
	/* The kernel takes what it renamed for what stands there. */
	v->host->forget_name(v->host, m->to_dir->ino, c->to_name, NULL);
	return r;
}

/* Its bytes are no such file: it stays where it is. For EINVAL programs print that a directory was
 * to be moved to a subdirectory of itself. */
static int refuse(struct vfs *v, const struct move *m, const struct validation *j)
{
	CLEANUP(free) char *path = step_path(&m->to);

	note_refusal(v, path, j);
	if (path)
		refusals_add(&v->refusals, path, error_text(&j->error));
	/* It was loaded for this alone. */
	(void)file_drop_write_buffer(m->n);
	return j->r == -EFBIG || j->r == -EINVAL ? -EPERM : j->r;
}

static int carry_out(struct vfs *v, struct call *c, struct step *s, const struct move *m)
{
	CLEANUP_EXTENT struct extent kept = step_kept(s);
	CLEANUP(free) char *to_path = step_path(&m->to);
	struct write_buffer *stage = m->n->write_buffer;
	struct inode *n = m->n;
	int r;

	forget_alias(v, n, c->name);
	if (m->target)
		forget_alias(v, m->target, c->to_name);
	r = overlay_move(v->overlay, &m->from, &m->to);
	if (r == 0 && to_path)
		refusals_remove(&v->refusals, to_path);
	if (r == 0 && (kept.mem || kept.file)) {
		r = oentry_write(n->oentry, extent_ref(&kept), NULL);
		if (r == 0)
			r = overlay_accept(v->overlay, n->oentry);
		if (stage && (stage->state != BUFFER_WRITTEN || !n->writers))
			stage->state = BUFFER_CLEAN;
	}
	if (r == 0) {
		keep_parsed(n->oentry, step_judged(s));
		tell_moved(v, m);
	}
	if (r == 0 && file_drop_write_buffer(n))
		inode_invalidate(v, &n, 1, NULL);
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
	if (validation_refuses(step_judged(s)))
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
