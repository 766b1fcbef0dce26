/* SPDX-License-Identifier: Zlib */
/* unlink, rmdir */
#include <errno.h>
#include <string.h>

#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"

/* Find the dentry and the inode of the name. */
static int find_entry(struct vfs *v, struct call *c, struct dentry *ret, struct inode **ret_node)
{
	struct inode *dir;
	int r = dir_find(v, c->ino, &dir);

	if (r == 0)
		r = inode_lookup(v, dir, c->name, ret_node);
	if (r == 0)
		r = overlay_dentry(v->overlay, dir->oentry, c->name, ret);
	return r;
}

bool is_journaled(const struct oentry *u)
{
	return u->is_dir || u->origin != ENTRY_NONE || u->has_content;
}

void forget_alias(struct vfs *v, struct inode *n, const char *name)
{
	if (n->oentry->name && strcmp(n->oentry->name, name) != 0)
		inode_forget_name(v, n);
}

static int may_remove(struct vfs *v, struct call *c, struct step *s)
{
	struct dentry p;
	struct inode *n;
	int r = find_entry(v, c, &p, &n);

	if (r < 0)
		return r;
	r = overlay_can_remove(v->overlay, &p, c->op == vfs_rmdir);
	if (r == 0 && n->is_busy) {
		inode_wait(n, c);
		return 1;
	}
	if (r == 0 && is_journaled(n->oentry) && !inode_is_generated(n))
		r = step_record(s, JOURNAL_REMOVE, step_path(&p), NULL);
	inode_free_unused(v, n);
	return r;
}

static int remove_entry(struct vfs *v, struct call *c, struct step *)
{
	struct dentry p;
	struct inode *n, *dir = inode_find(v, c->ino);
	int r = find_entry(v, c, &p, &n);

	if (r < 0)
		return r;
	n->references++;
	forget_alias(v, n, c->name);
	if (!inode_is_scratch(n))
		view_mark_and_invalidate(v);
	r = overlay_unlink(v->overlay, &p);
	inode_touch(dir, ATTR_MTIME);
	n->references--;
	inode_free_unused(v, n);
	return r;
}

void vfs_unlink(struct vfs *v, struct call *c)
{
	step_run(v, c, may_remove, remove_entry);
}

void vfs_rmdir(struct vfs *v, struct call *c)
{
	step_run(v, c, may_remove, remove_entry);
}
