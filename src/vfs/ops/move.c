/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/move.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/tree/dentry.h"
#include "vfs/tree/kept.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/step.h"

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
	if (!place_empty(v, m->to.target))
		return -ENOTEMPTY;
	return node_scratch(target) || !kept_in(v, target) ? 0 : -ENOTEMPTY;
}

/* The kernel lets nobody move a directory into itself; a journal may say so. */
static bool is_within(const struct node *dir, const struct node *n)
{
	while (dir && dir != n)
		dir = dir->parent;
	return dir;
}

int move_find(struct vfs *v, struct call *c, struct move *ret)
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
	m.n->opens++; /* while the other name is looked up */
	r = is_within(to, m.n) ? -EINVAL : m.n->fixed ? -EPERM : 0;
	if (r == 0)
		r = place_find(v, to, c->to_name, m.n->dir, &m.to);
	if (r == 0) {
		r = may_replace(v, &m, c->flags);
		if (r < 0 && m.to.target)
			node_free_unused(v, m.to.target);
	}
	m.n->opens--;
	if (r < 0)
		node_free_unused(v, m.n);
	else
		*ret = m;
	return r;
}

/* Can the object, a directory or not, be renamed to that? */
bool move_fits(const struct vfs *v, entry_id object, bool is_dir, const struct place *to)
{
	struct meaning m;

	return object_meaning(v, to->dir->id, to->name, is_dir, object, &m) == 0 && m.fits;
}

bool move_comes_back(const struct vfs *v, const struct move *m)
{
	const struct object *o = m->n->origin ? object_find(v, m->n->origin) : NULL;

	/* It may have got another file since then, which was moved away, too. */
	if (!o || o->state != OBJECT_KEPT || o->left != m->n->left || m->to.target)
		return false;
	if (m->to.kind == PLACE_ID && !m->to.left && entry_object(m->to.id) != entry_object(o->id))
		return false;
	return m->to.kind != PLACE_SCRATCH && move_fits(v, m->n->origin, m->n->dir, &m->to);
}

char *move_log_path(const struct vfs *v, const struct move *m)
{
	entry_id id = node_scratch(m->n) ? m->n->origin : m->n->id;
	const struct object *o = object_find(v, id);
	bool own = entry_object(m->to.id) == entry_object(id);

	/* Its old path is none of its own in the saved map if that has it elsewhere; and a
	 * directory at the old path of another is not that one, which may be called otherwise
	 * there. */
	if (m->to.kind == PLACE_ID &&
		(own ? o && o->away && !object_stood_at(v, o, m->to.dir->id, m->to.name)
		     : m->n->dir))
		return place_new_path(&m->to);
	return place_log_path(&m->to);
}

char *move_left_log_path(struct vfs *v, const struct object *o)
{
	const struct volume *vol = v->vol;
	CLEANUP(free) char *above = strdup(o->path), *dir_path = NULL;
	char name[NAME_MAX + 1], *slash = above ? strrchr(above, '/') : NULL;
	char *path = NULL;
	struct node *dir;

	if (!vol->renumbered || !vol->format->names || o->moved || !slash ||
		vol->format->names->shown_as(vol->before, o->id, name) < 0)
		return strdup(o->log_path);
	*slash = '\0';
	if (names_walk(v, above, &dir, NULL) < 0)
		return strdup(o->log_path);
	node_log_ending(o->name, name);
	dir_path = node_log_path(dir);
	node_free_unused(v, dir);
	if (dir_path && asprintf(&path, "%s/%s", dir_path, name) < 0)
		path = NULL;
	return path;
}

char *move_removed_log_path(const struct vfs *v, const struct object *o, const char *name)
{
	return o->away && !o->absent && o->log_path ? path_ending(v->vol, o->log_path, name) : NULL;
}

/* What was refused as the other form of n's object, where that stands or stood last. */
static struct node *find_second(struct vfs *v, const struct node *n)
{
	const struct object *o = node_scratch(n) ? object_find(v, n->origin) : NULL;
	struct node *dir = o ? node_find(v, entry_ino(v->vol, o->dir)) : n->parent;
	char other[NAME_MAX + 1];
	struct node *second;

	if (!dir || !object_alternate(v, dir->id, o ? o->name : n->name, other) ||
		names_resolve(v, dir, other, &second, NULL) < 0)
		return NULL;
	if (object_second(v, second))
		return second;
	node_free_unused(v, second);
	return NULL;
}

static void second_dropped(struct vfs *v, struct call *c, int r)
{
	struct node *second;
	struct move m;

	if (r == 0)
		r = move_find(v, c, &m);
	second = r == 0 ? find_second(v, m.n) : NULL;
	if (second)
		node_cut(v, second);
	if (r < 0)
		call_done(c, r);
	else
		call_again(v, c);
}

bool move_leave_second(struct vfs *v, struct call *c, const struct node *n)
{
	const struct node *second = find_second(v, n);
	CLEANUP(free) char *path = second ? node_log_path(second) : NULL;

	if (path)
		step_record(v, c, JOURNAL_DROP, path, NULL, second_dropped);
	return path;
}
