/* SPDX-License-Identifier: Zlib */
/* Names that go. */
#include <errno.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/kept.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/place.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"
#include "vfs/ops/waiting.h"

/* Is the file or directory the format's to remove: an object, or a part of one? */
static bool removable(struct vfs *v, const struct node *n)
{
	const struct object *o = object_find(v, n->id);
	struct meaning m;

	if (n->fixed && !n->dir)
		return node_derived(n);
	if (n->fixed)
		return n->parent && n->vol->format->tree;
	if (o && o->state == OBJECT_HERE && o->node == n)
		return true;
	return object_meaning(v, n->parent->id, n->name, n->dir, ENTRY_ROOT, &m) == 0 && m.known &&
	       m.id == n->id;
}

static int find(struct vfs *v, struct call *c, struct node **ret)
{
	bool want_dir = c->op == vfs_rmdir;
	struct node *dir, *n;
	int r = place_dir(v, c->ino, c->name, &dir);

	if (r == 0)
		r = names_resolve(v, dir, c->name, &n, NULL);
	if (r < 0)
		return r;
	if (n->dir != want_dir)
		r = want_dir ? -ENOTDIR : -EISDIR;
	else if (!node_scratch(n) && !object_second(v, n) && !removable(v, n))
		r = -EPERM;
	else if (want_dir && !place_empty(v, n))
		r = -ENOTEMPTY;
	if (r < 0)
		node_free_unused(v, n);
	else
		*ret = n;
	return r;
}

static void remove_live(struct vfs *v, struct call *c, int r)
{
	struct node *n = NULL;

	if (r == 0)
		r = find(v, c, &n);
	if (r == 0 && object_second(v, n))
		node_cut(v, n);
	else if (r == 0)
		r = object_left(v, n, OBJECT_GONE);
	if (r == 0)
		place_detach(v, n);
	waiting_answer(v, c, NULL, r);
}

/* A directory that is always there, and empty, and what is derived are out of sight until they are
 * made again, or saved. Of that the map, and so the journal, knows nothing. */
static int hide_standing(struct vfs *v, const struct node *n)
{
	int r = dentry_set(v, n->parent, n->name, NULL);

	if (r < 0)
		return r;
	dentry_find(v, n->parent->ino, n->name)->standing = true;
	node_touch(n->parent, ATTR_MTIME);
	return 0;
}

/* Then the directory itself. */
static void kept_goes(struct vfs *v, struct call *c, int r)
{
	struct object *o = NULL;
	struct node *n;

	if (r == 0)
		r = find(v, c, &n);
	if (r < 0) {
		call_done(c, r);
		return;
	}
	o = kept_in(v, n);
	if (o)
		kept_gone(v, o);
	node_free_unused(v, n);
	call_again(v, c);
}

static void take_away(struct vfs *v, struct call *c)
{
	CLEANUP(free) char *path = NULL;
	const struct object *kept;
	struct node *n;
	int r = find(v, c, &n);

	if (r < 0) {
		call_done(c, r);
		return;
	}
	if (n->busy) {
		node_wait(n, c);
		return;
	}
	if (n->fixed && !node_scratch(n)) {
		r = hide_standing(v, n);
		node_free_unused(v, n);
		call_done(c, r);
		return;
	}
	place_forget_alias(v, n, c->name);
	if (node_scratch(n)) {
		place_detach(v, n);
		call_done(c, 0);
		return;
	}
	kept = n->dir ? kept_in(v, n) : NULL;
	if (kept) {
		step_record(v, c, JOURNAL_REMOVE, kept->log_path, NULL, kept_goes);
		node_free_unused(v, n);
		return;
	}
	path = node_log_path(n);
	n->opens++; /* the step may be over, and n gone with it, when it returns */
	step_record(v, c, JOURNAL_REMOVE, path, NULL, remove_live);
	n->opens--;
	node_free_unused(v, n);
}

void vfs_unlink(struct vfs *v, struct call *c)
{
	take_away(v, c);
}

void vfs_rmdir(struct vfs *v, struct call *c)
{
	take_away(v, c);
}
