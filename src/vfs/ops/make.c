/* SPDX-License-Identifier: Zlib */
/* Files and directories that are made. */
#include <errno.h>
#include <fcntl.h>

#include "vfs/ops/file.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/stage.h"

int dir_find(struct vfs *v, uint64_t ino, struct node **ret)
{
	struct node *n = node_find(v, ino);

	if (!n || !n->at->dir)
		return n ? -ENOTDIR : -ESTALE;
	if (v->vol->access == VOLUME_READ_ONLY)
		return -EROFS;
	/* It was removed by nobody whom the kernel knows. */
	if (!n->at->up && !node_is_root(n))
		return -ESTALE;
	*ret = n;
	return 0;
}

/* The reply: attributes, and for files a handle. */
static int made(struct vfs *v, struct call *c, struct node *n)
{
	int r;

	if (!n->at->dir) {
		c->opened = handle_new(n, c->flags);
		if (!c->opened)
			return -ENOMEM;
	}
	r = node_attr(v, n, &c->attr);
	if (r == 0)
		n->lookups++;
	if (r == 0 && n->at->dir)
		n->maker = c->caller;
	return r;
}

/* Is there one already? The kernel looked before it asked. Unless it is to be a new one, it looks
 * again and opens that. What is always in a directory is made by the one who made that. */
static int refuse_taken(struct vfs *v, const struct call *c, struct node *dir, const char *name)
{
	struct node *n;
	int r = node_lookup(v, dir, name, &n);
	struct entry en;
	bool adopted;

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	adopted = c->op == vfs_mkdir && n->at->dir && dir->maker && dir->maker == c->caller &&
		  node_entry(n, &en, NULL) == 0 && en.fixed;
	node_free_unused(v, n);
	if (adopted)
		return 1;
	return c->op == vfs_mkdir || (c->flags & O_EXCL) ? -EEXIST : -ESTALE;
}

static int may_make(struct vfs *v, struct call *c, struct step *s)
{
	bool is_dir = c->op == vfs_mkdir;
	struct node *dir;
	struct dentry p;
	int r = dir_find(v, c->ino, &dir);

	if (r == 0)
		r = refuse_taken(v, c, dir, c->name);
	if (r > 0)
		return 0;
	if (r == 0)
		r = overlay_dentry(v->tree, dir->at, c->name, &p);
	if (r == 0)
		r = overlay_may_make(v->tree, &p, is_dir);
	/* The file's first close writes what it is. */
	if (r == 0 && is_dir)
		r = step_record(s, JOURNAL_MKDIR, step_path(&p), NULL);
	return r;
}

/* Of a file that follows from the rest of the map, and was removed, what was made is that one. */
static bool is_back(struct vfs *v, const struct dentry *p)
{
	struct upper *u = upper_find(v->tree, p->dir, p->name);
	struct entry en;

	if (!u || !u->whiteout || u->dir || upper_base(v->tree, p->dir, p->name, &en) < 0 ||
		!en.derived)
		return false;
	upper_free(v->tree, u);
	return true;
}

static int make_upper(struct vfs *v, struct call *c, struct node *dir, struct node **ret)
{
	bool is_dir = c->op == vfs_mkdir;
	struct upper *u;
	struct dentry p;
	entry_id id, parsed_id;
	int r = overlay_dentry(v->tree, dir->at, c->name, &p);

	if (r == 0 && !is_dir && is_back(v, &p))
		return node_lookup(v, dir, c->name, ret);
	if (r == 0)
		r = overlay_make(v->tree, &p, is_dir, &u);
	if (r < 0)
		return r;
	/* In the queue, where nobody is judged by the version that there was before. */
	if (!is_dir && !u->scratch)
		(void)overlay_identify(v->tree, u, &id, &parsed_id, NULL);
	*ret = node_of(v, u);
	if (!*ret)
		(void)overlay_take(v->tree, &(struct dentry){.dir = u->up});
	return *ret ? 0 : -ENOMEM;
}

static int make(struct vfs *v, struct call *c, struct step *)
{
	struct node *dir, *n;
	int r = dir_find(v, c->ino, &dir);

	if (r == 0 && c->op == vfs_mkdir && node_lookup(v, dir, c->name, &n) == 0) {
		dir->maker = 0;
		return made(v, c, n);
	}
	if (r == 0)
		r = make_upper(v, c, dir, &n);
	if (r < 0)
		return r;
	attr_take(&n->own, &c->set, ATTR_MODE | ATTR_UID | ATTR_GID);
	node_touch(n, ATTR_MODE | ATTR_UID | ATTR_GID | ATTR_MTIME | ATTR_ATIME);
	node_touch(dir, ATTR_MTIME);
	if (!n->at->dir) {
		r = stage_begin(v, n, true, c);
		if (r < 0)
			return r;
		n->stage->state = STAGE_CUT;
	}
	return made(v, c, n);
}

void vfs_create_file(struct vfs *v, struct call *c)
{
	step_run(v, c, may_make, make);
}

void vfs_mkdir(struct vfs *v, struct call *c)
{
	step_run(v, c, may_make, make);
}
