/* SPDX-License-Identifier: Zlib */
/*
 * A rename changes a name in the overlay; the next build decides what that means for an object. If
 * the content would belong to another entry, it is validated first, as in a close. If scratch
 * becomes a file of the map, its content is recorded, because the journal has no scratch.
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
	struct inode *dir, *to_dir, *n, *target; /* target: existing file to be replaced, or NULL */
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

/* Find what is renamed, and check it. On success, the caller calls move_finish. */
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
	m.n->references++; /* while the other name is looked up */
	r = find_target(v, c, &m);
	m.n->references--;
	if (r == 0 && m.target != m.n && m.target && (c->flags & RENAME_NOREPLACE))
		r = -EEXIST;
	if (r == 0 && m.target != m.n)
		r = overlay_can_rename(v->overlay, &m.from, &m.to);
	if (r < 0)
		move_finish(v, &m);
	else
		*ret = m;
	return r;
}

static bool is_generated_target(const struct vfs *v, const struct dentry *p)
{
	struct file_attr en;

	return oentry_lookup_base(v->overlay, p->parent, p->name, &en) == 0 && en.is_generated;
}

/* Scratch whose bytes are only in its write buffer. */
static bool is_written_scratch(const struct inode *n)
{
	return inode_is_scratch(n) && n->write_buffer && n->write_buffer->state != BUFFER_CLEAN;
}

/* Must the content be validated for another entry? If so, prepare *ret. */
static bool needs_validation(struct vfs *v, const struct move *m, struct validation *ret)
{
	struct overlay *o = v->overlay;
	const struct oentry *u = m->n->oentry;
	struct name_class k;
	bool made;

	if (u->is_dir || overlay_classify(o, &m->to, false, u->origin, &k) < 0 ||
		!name_has_meaning(&k))
		return false;
	/* Not if a close will validate it, or if it stays the same entry. */
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

/* Must the journal record the content? True for scratch, and for content that was refused at the
 * old name, or that a save has left out. */
static bool needs_content_record(const struct move *m, bool validates)
{
	const struct oentry *u = m->n->oentry;

	if (!inode_is_scratch(m->n))
		return validates && u->refusal;
	return is_written_scratch(m->n) || u->frozen_map ||
	       (u->has_content && u->origin == ENTRY_NONE);
}

static int file_content(const struct inode *n, struct extent *ret)
{
	if (n->write_buffer)
		return spool_extent(n->write_buffer->spool, ret, NULL);
	*ret = extent_ref(&n->oentry->bytes);
	return n->oentry->has_content ? 0 : -ESTALE;
}

/* Request the validation and set the journal records. Returns as step_may. */
static int may_record(struct vfs *v, struct call *c, struct step *s, const struct move *m)
{
	struct validation *j = step_validation(s);
	struct name_class k;
	bool validates = needs_validation(v, m, j), records;
	int r = 0;

	if (validates && !m->n->write_buffer && !m->n->oentry->has_content)
		r = write_buffer_begin(v, m->n, false, c);
	if (r == 0)
		r = overlay_classify(
			v->overlay, &m->to, m->n->oentry->is_dir, m->n->oentry->origin, &k);
	if (r != 0)
		return r;
	records = name_has_meaning(&k) && needs_content_record(m, validates);
	if (validates || records)
		r = file_content(m->n, &j->bytes);
	if (r == 0 && records)
		r = step_record_content(s, step_path(&m->to), extent_ref(&j->bytes));
	if (r == 0 && is_journaled(m->n->oentry))
		r = step_record(s, JOURNAL_RENAME, step_path(&m->from), step_path(&m->to));
	else if (r == 0 && m->target && is_journaled(m->target->oentry) && !name_has_meaning(&k))
		r = step_record(s, JOURNAL_REMOVE, step_path(&m->to), NULL);
	if (r == 0 && validates)
		step_keep_busy(s, m->n);
	return r;
}

static int may_rename(struct vfs *v, struct call *c, struct step *s)
{
	struct move m;
	int r = move_find(v, c, &m);

	if (r < 0)
		return r;
	if (m.n->is_busy || (m.target && m.target->is_busy)) {
		inode_wait(m.n->is_busy ? m.n : m.target, c);
		r = 1;
	} else if (m.target != m.n && is_generated_target(v, &m.to)) {
		r = m.n->oentry->is_dir || !inode_is_scratch(m.n) ? -EPERM : 0;
	} else if (m.target != m.n) {
		r = may_record(v, c, s, &m);
	}
	move_finish(v, &m);
	return r;
}

static void touch_renamed(struct vfs *v, const struct move *m)
{
	const struct oentry *u = m->n->oentry;

	inode_touch(m->dir, ATTR_MTIME);
	inode_touch(m->to_dir, ATTR_MTIME);
	inode_touch(m->n, 0);
	/* References by name in other files may have changed. */
	if (u->has_content || u->origin != ENTRY_NONE || m->target)
		view_mark_and_invalidate(v);
}

/* Keep the parsed value, which is for the entry of the new name. */
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

/* Drop a file that is renamed over a generated one, which stays. */
static int drop_over_generated(struct vfs *v, struct call *c, const struct move *m)
{
	struct oentry *gone;
	int r;

	m->n->is_name_stale = true;
	r = overlay_unlink(v->overlay, &m->from);
	gone = oentry_find(v->overlay, m->to.parent, m->to.name);
	if (gone && gone->is_whiteout)
		oentry_free(v->overlay, gone);
	volume_note_dropped(v->vol, c->to_name);
	inode_touch(m->dir, ATTR_MTIME);
	/* The kernel caches the dropped file under the new name. */
	v->host->forget_name(v->host, m->to_dir->ino, c->to_name, NULL);
	return r;
}

/* Report that the content is not valid at the new name; the file keeps the old one. Returns
 * -EPERM instead of -EINVAL, for which programs print that a directory is moved into itself. */
static int refuse_rename(struct vfs *v, const struct move *m, const struct validation *j)
{
	CLEANUP(free) char *path = step_path(&m->to);

	note_refusal(v, path, j);
	if (path)
		refusals_add(&v->refusals, path, error_text(&j->error));
	/* The write buffer may have been loaded only for the validation. */
	(void)file_drop_write_buffer(m->n);
	return j->r == -EFBIG || j->r == -EINVAL ? -EPERM : j->r;
}

static int apply_rename(struct vfs *v, struct call *c, struct step *s, const struct move *m)
{
	CLEANUP_EXTENT struct extent kept = step_journaled_content(s);
	CLEANUP(free) char *to_path = step_path(&m->to);
	struct write_buffer *buffer = m->n->write_buffer;
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
		if (buffer && (buffer->state != BUFFER_WRITTEN || !n->writers))
			buffer->state = BUFFER_CLEAN;
	}
	if (r == 0) {
		keep_parsed(n->oentry, step_validation(s));
		touch_renamed(v, m);
	}
	if (r == 0 && file_drop_write_buffer(n))
		inode_invalidate(v, &n, 1, NULL);
	return r;
}

static int rename_entry(struct vfs *v, struct call *c, struct step *s)
{
	struct move m;
	int r = move_find(v, c, &m);

	if (r < 0 || m.target == m.n) {
		if (r == 0)
			move_finish(v, &m);
		return r;
	}
	m.n->references++;
	if (m.target)
		m.target->references++;
	if (validation_refuses(step_validation(s)))
		r = refuse_rename(v, &m, step_validation(s));
	else if (is_generated_target(v, &m.to))
		r = drop_over_generated(v, c, &m);
	else
		r = apply_rename(v, c, s, &m);
	m.n->references--;
	if (m.target)
		m.target->references--;
	move_finish(v, &m);
	return r;
}

void vfs_rename(struct vfs *v, struct call *c)
{
	step_run(v, c, may_rename, rename_entry);
}
