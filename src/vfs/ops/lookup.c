/* SPDX-License-Identifier: Zlib */
/* lookup, getattr, forget */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"

/*
 * A thread that requests the sizes of two files of one directory in a row is listing it (ls -l). So
 * several worker threads compute the next sizes ahead. In directories that the thread lists later
 * (ls -lR, du), sizes are returned with the names.
 */
enum { AHEAD_JOBS = 2, AHEAD_SIZES = 16 };

/* Collect the next entries of the directory whose size is unknown. */
static size_t ahead_fill(struct vfs *v, const struct snapshot *s, entry_id dir, entry_id *ids)
{
	char name[NAME_MAX + 1];
	struct file_attr en;
	size_t n = 0;

	while (n < AHEAD_SIZES &&
		s->format->list(s, dir, &v->size_ahead.cookie, name, &en, NULL) > 0)
		if (!en.is_dir && !en.has_size)
			ids[n++] = en.id;
	return n;
}

static void request_sizes_ahead(struct vfs *v, const struct inode *dir, pid_t caller)
{
	entry_id id, ids[AHEAD_SIZES];
	const struct snapshot *s;
	size_t n;

	if (!dir || !dir_source(dir, &s, &id))
		return;
	if (v->size_ahead.dir != dir->ino) {
		v->size_ahead.dir = dir->ino;
		v->size_ahead.cookie = 0;
		v->size_ahead.first_caller = caller;
		return;
	}
	if (v->size_ahead.first_caller == caller)
		v->size_ahead.lister = caller;
	while (v->size_ahead.jobs < AHEAD_JOBS && (n = ahead_fill(v, s, id, ids)) > 0)
		sizes_request(v, s, ids, n, NULL);
}

static bool is_size_on_demand(const struct inode *n)
{
	struct file_attr en;

	return inode_entry(n, &en, NULL) == 0 && en.is_size_on_demand;
}

/* Is the computed size that of n? A save may have replaced the snapshot meanwhile. */
static bool is_size_of(const struct call *c, const struct inode *n)
{
	const struct snapshot *s;
	entry_id id;

	return inode_shows(n, &s, &id) && c->size_result.snapshot == s && c->size_result.id == id;
}

/* Use the computed size, which the format need not have kept. Reading the file reports errors,
 * except -ENOMEM: that passes, but the kernel would keep a wrong size. */
static int take_found_size(struct call *c)
{
	if (c->size_result.r == 0)
		c->attr.st_size = (off_t)c->size_result.size;
	return c->size_result.r == -ENOMEM ? -ENOMEM : 0;
}

/* Answer c with the attributes of n, or have it wait for the size. counts: as a lookup. */
static void answer_attr(struct vfs *v, struct inode *n, struct call *c, bool counts)
{
	int r = inode_attr(v, n, &c->attr);
	const struct snapshot *s;
	entry_id id;

	if (r == -EAGAIN && !is_size_of(c, n) && inode_shows(n, &s, &id)) {
		if (is_size_on_demand(n) && n->oentry->parent)
			request_sizes_ahead(v, n->oentry->parent->inode, c->caller);
		sizes_request(v, s, &id, 1, c);
		inode_free_unused(v, n);
		return;
	}
	if (r == -EAGAIN)
		r = take_found_size(c);
	c->is_brief = inode_is_brief(n);
	if (r == 0 && counts) {
		c->is_alias = inode_is_alias(n, c->name);
		inode_looked_up(n);
	}
	inode_free_unused(v, n);
	call_done(c, r);
}

static bool is_permanent_dir(const struct inode *n)
{
	struct file_attr en;

	return n->oentry->is_dir && inode_entry(n, &en, NULL) == 0 && en.is_permanent;
}

void vfs_lookup(struct vfs *v, struct call *c)
{
	struct inode *parent = inode_find(v, c->ino), *n;
	int r;

	if (!parent) {
		call_done(c, -ESTALE);
		return;
	}
	r = inode_lookup(v, parent, c->name, &n);
	if (r == -ENOENT && oentry_is_raw(parent->oentry) && view_wait(v, NULL, c))
		return;
	if (r < 0) {
		call_done(c, r);
	} else if (n->pending_invalidations) {
		inode_wait(n, c);
	} else if (view_wait(v, n, c)) {
		inode_free_unused(v, n);
	} else if (parent->creator && parent->creator == c->caller && is_permanent_dir(n)) {
		inode_free_unused(v, n);
		call_done(c, -ENOENT);
	} else {
		answer_attr(v, n, c, true);
	}
}

/* Did the entry disappear without an unlink, so that the kernel still caches its name? ESTALE makes
 * the kernel look it up again. */
static bool has_lost_name(const struct vfs *v, const struct inode *n)
{
	return !n->handles &&
	       ((n->is_name_stale && !n->oentry->parent) || oentry_is_gone(v->overlay, n->oentry));
}

void vfs_getattr(struct vfs *v, struct call *c)
{
	struct inode *n = inode_find(v, c->ino);

	if (n && view_wait(v, n, c))
		return;
	if (n && !has_lost_name(v, n))
		answer_attr(v, n, c, false);
	else
		call_done(c, -ESTALE);
}

void vfs_forget(struct vfs *v, uint64_t ino, uint64_t n_lookups)
{
	struct inode *n = inode_find(v, ino);

	if (!n)
		return;
	n->lookups -= n_lookups < n->lookups ? n_lookups : n->lookups;
	inode_free_unused(v, n);
}
