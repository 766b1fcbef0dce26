/* SPDX-License-Identifier: Zlib */
/* create, mkdir */
#include <errno.h>
#include <fcntl.h>

#include "vfs/ops/file.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/write_buffer.h"

int dir_find(struct vfs *v, uint64_t ino, struct inode **ret)
{
	struct inode *n = inode_find(v, ino);

	if (!n || !n->oentry->is_dir)
		return n ? -ENOTDIR : -ESTALE;
	if (v->vol->access == VOLUME_READ_ONLY)
		return -EROFS;
	/* Removed without a request: ESTALE makes the kernel look it up again. */
	if (!n->oentry->parent && !inode_is_root(n))
		return -ESTALE;
	*ret = n;
	return 0;
}

/* Set the results: attributes, and for files a handle. */
static int set_results(struct vfs *v, struct call *c, struct inode *n)
{
	int r;

	if (!n->oentry->is_dir) {
		c->opened = handle_new(n, c->flags);
		if (!c->opened)
			return -ENOMEM;
	}
	r = inode_attr(v, n, &c->attr);
	if (r == 0)
		n->lookups++;
	if (r == 0 && n->oentry->is_dir)
		n->creator = c->caller;
	return r;
}

/* Refuse a name that exists although the kernel did not find it. EEXIST if it must be new, else
 * ESTALE: the kernel then looks it up and opens it. Returns 1 if mkdir succeeds (inode.creator). */
static int refuse_taken(struct vfs *v, const struct call *c, struct inode *dir, const char *name)
{
	struct inode *n;
	int r = inode_lookup(v, dir, name, &n);
	struct file_attr en;
	bool adopted;

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	adopted = c->op == vfs_mkdir && n->oentry->is_dir && dir->creator &&
		  dir->creator == c->caller && inode_entry(n, &en, NULL) == 0 && en.is_permanent;
	inode_free_unused(v, n);
	if (adopted)
		return 1;
	return c->op == vfs_mkdir || (c->flags & O_EXCL) ? -EEXIST : -ESTALE;
}

static int may_make(struct vfs *v, struct call *c, struct step *s)
{
	bool is_dir = c->op == vfs_mkdir;
	struct inode *dir;
	struct dentry p;
	int r = dir_find(v, c->ino, &dir);

	if (r == 0)
		r = refuse_taken(v, c, dir, c->name);
	if (r > 0)
		return 0;
	if (r == 0)
		r = overlay_dentry(v->overlay, dir->oentry, c->name, &p);
	if (r == 0)
		r = overlay_can_make(v->overlay, &p, is_dir);
	/* A file is recorded when it is first closed. */
	if (r == 0 && is_dir)
		r = step_record(s, JOURNAL_MKDIR, step_path(&p), NULL);
	return r;
}

/* Restore a removed generated file by freeing its whiteout. Returns false for other names. */
static bool restore_generated(struct vfs *v, const struct dentry *p)
{
	struct oentry *u = oentry_find(v->overlay, p->parent, p->name);
	struct file_attr en;

	if (!u || !u->is_whiteout || u->is_dir ||
		oentry_lookup_base(v->overlay, p->parent, p->name, &en) < 0 || !en.is_generated)
		return false;
	oentry_free(v->overlay, u);
	return true;
}

static int make_oentry(struct vfs *v, struct call *c, struct inode *dir, struct inode **ret)
{
	bool is_dir = c->op == vfs_mkdir;
	struct oentry *u;
	struct dentry p;
	entry_id id, parsed_id;
	int r = overlay_dentry(v->overlay, dir->oentry, c->name, &p);

	if (r == 0 && !is_dir && restore_generated(v, &p))
		return inode_lookup(v, dir, c->name, ret);
	if (r == 0)
		r = overlay_make(v->overlay, &p, is_dir, &u);
	if (r < 0)
		return r;
	/* Identify it here, in the queue, so that no validation uses the shape without it. */
	if (!is_dir && !u->is_scratch)
		(void)overlay_identify(v->overlay, u, &id, &parsed_id, NULL);
	*ret = inode_of(v, u);
	if (!*ret && overlay_dentry(v->overlay, u->parent, u->name, &p) == 0)
		(void)overlay_unlink(v->overlay, &p);
	return *ret ? 0 : -ENOMEM;
}

static int make_entry(struct vfs *v, struct call *c, struct step *)
{
	struct inode *dir, *n;
	int r = dir_find(v, c->ino, &dir);

	if (r == 0 && c->op == vfs_mkdir && inode_lookup(v, dir, c->name, &n) == 0) {
		dir->creator = 0;
		return set_results(v, c, n);
	}
	if (r == 0)
		r = make_oentry(v, c, dir, &n);
	if (r < 0)
		return r;
	attr_take(&n->attr, &c->set, ATTR_MODE | ATTR_UID | ATTR_GID);
	inode_touch(n, ATTR_MODE | ATTR_UID | ATTR_GID | ATTR_MTIME | ATTR_ATIME);
	inode_touch(dir, ATTR_MTIME);
	if (!n->oentry->is_dir) {
		r = write_buffer_begin(v, n, true, c);
		if (r < 0)
			return r;
		n->write_buffer->state = BUFFER_TRUNCATED;
	}
	return set_results(v, c, n);
}

void vfs_create_file(struct vfs *v, struct call *c)
{
	step_run(v, c, may_make, make_entry);
}

void vfs_mkdir(struct vfs *v, struct call *c)
{
	step_run(v, c, may_make, make_entry);
}
