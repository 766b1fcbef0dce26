/* SPDX-License-Identifier: Zlib */
/* Looking: lookup, getattr, forget, readdir. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"

/* A node has the name by which it was found first. */
static bool is_alias(const struct node *n, const char *name)
{
	return n->name && strcmp(n->name, name) != 0;
}

/*
 * Who asks for the sizes of two files of a directory one after the other is listing it (ls -l): the
 * sizes of those that come next are found meanwhile, by several workers. And in the directories
 * that it lists next (ls -lR, du) they come with the names.
 */
enum { AHEAD_JOBS = 2, AHEAD_SIZES = 16 };

struct ahead {
	struct job job; /* first */
	struct vfs *v;
	struct snapshot *s;
	size_t n;
	entry_id ids[AHEAD_SIZES];
};

static void ahead_run(struct job *j)
{
	struct ahead *a = (struct ahead *)j;
	uint64_t size;

	for (size_t i = 0; i < a->n; i++)
		(void)snapshot_size(a->s, a->ids[i], &size, NULL);
}

static void ahead_done(struct job *j)
{
	struct ahead *a = (struct ahead *)j;

	a->v->ahead.jobs--;
	snapshot_unref(a->s);
	free(a);
}

/* The next sizes of the directory that are not known. */
static size_t ahead_fill(struct vfs *v, const struct node *dir, entry_id *ids)
{
	const struct volume *vol = dir->vol;
	char name[NAME_MAX + 1];
	struct entry en;
	size_t n = 0;

	while (n < AHEAD_SIZES &&
		vol->format->list(vol->now, dir->id, &v->ahead.cookie, name, &en, NULL) > 0)
		if (!en.dir && !en.sized)
			ids[n++] = en.id;
	return n;
}

static void sizes_ahead(struct vfs *v, const struct node *dir, pid_t caller)
{
	struct ahead *a;

	if (!dir || dir->lens == LENS_NONE)
		return;
	if (v->ahead.dir != dir->ino) {
		v->ahead.dir = dir->ino;
		v->ahead.cookie = 0;
		v->ahead.asks = caller;
		return;
	}
	if (v->ahead.asks == caller)
		v->ahead.lister = caller;
	while (v->ahead.jobs < AHEAD_JOBS && (a = malloc(sizeof(*a)))) {
		a->n = ahead_fill(v, dir, a->ids);
		if (!a->n) {
			free(a);
			return;
		}
		a->job = (struct job){ahead_run, ahead_done, NULL};
		a->v = v;
		a->s = snapshot_ref(dir->vol->now);
		v->ahead.jobs++;
		pool_submit(v->pool, &a->job);
	}
}

static bool is_late(const struct node *n)
{
	struct entry en;

	return node_entry(n, &en, NULL) == 0 && en.late;
}

/* Is that what was asked for? A save that came meanwhile has a version of its own. */
static bool was_sized(const struct call *c, const struct node *n)
{
	return c->sized.in == node_version(n) && c->sized.id == n->id;
}

/* The format need not have kept it. Where it cannot be found, reading the file says why; but memory
 * comes back, and the kernel would keep a wrong size. */
static int take_size(struct call *c)
{
	if (c->sized.r == 0)
		c->attr.size = c->sized.size;
	return c->sized.r == -ENOMEM ? -ENOMEM : 0;
}

/* The attributes of n as c's answer; or c waits for the size. */
static void answer_attr(struct vfs *v, struct node *n, struct call *c, bool counts)
{
	int r = node_attr(v, n, &c->attr);

	if (r == -EAGAIN && !was_sized(c, n)) {
		if (is_late(n))
			sizes_ahead(v, n->parent, c->caller);
		size_wait(v, n->vol, node_version(n), &n->id, 1, c);
		node_free_unused(v, n);
		return;
	}
	if (r == -EAGAIN)
		r = take_size(c);
	if (r == 0 && counts) {
		c->attr.alias = is_alias(n, c->name);
		node_looked_up(n);
	}
	node_free_unused(v, n);
	call_done(c, r);
}

void vfs_lookup(struct vfs *v, struct call *c)
{
	struct node *parent = node_find(v, c->ino), *n;
	int r;

	if (!parent) {
		call_done(c, -ESTALE);
		return;
	}
	r = names_resolve(v, parent, c->name, &n, NULL);
	if (r < 0) {
		call_done(c, r);
	} else if (n->stale) {
		node_wait(n, c);
	} else if (n->fixed && parent->maker && parent->maker == c->caller) {
		node_free_unused(v, n);
		call_done(c, -ENOENT);
	} else {
		answer_attr(v, n, c, true);
	}
}

void vfs_getattr(struct vfs *v, struct call *c)
{
	struct node *n = node_find(v, c->ino);

	/* Who asks for what is gone by no request for it has its name still, which is to be looked
	 * up again. */
	if (n && (!n->misnamed || n->parent || n->handles))
		answer_attr(v, n, c, false);
	else
		call_done(c, -ESTALE);
}

void vfs_forget(struct vfs *v, uint64_t ino, uint64_t n_lookups)
{
	struct node *n = node_find(v, ino);

	if (!n)
		return;
	n->lookups -= n_lookups < n->lookups ? n_lookups : n->lookups;
	node_free_unused(v, n);
}

/*
 * Places in a listing: "." and "..", then the format's cookies, then the overlay's, and the
 * format's once more for what is always there: that goes as the last of its directory
 * (ops/remove.c), and whoever removes a directory takes its entries as they are listed. The
 * overlay's cookies only grow, so a listing that goes on while names come and go misses and doubles
 * nothing.
 */
enum { COOKIE_DOT = 1, COOKIE_DOTDOT = 2, COOKIE_FORMAT = 3 };
#define COOKIE_OVERLAY ((uint64_t)1 << 61)
#define COOKIE_FIXED   ((uint64_t)1 << 62)

enum { SIZES_MAX = 256 }; /* that are asked for at a time */

/* One entry that the format gives: 1 emitted or hidden, 0 the reply is full, or -errno. */
static int emit_entry(struct vfs *v, struct call *c, struct node *dir, const char *name,
	const struct entry *en, uint64_t next)
{
	struct node *n;
	struct attr a = {.ino = entry_ino(dir->vol, en->id), .mode = en->dir ? S_IFDIR : S_IFREG};
	bool fits;
	int r;

	if (dentry_find(v, dir->ino, name))
		return 1;
	if (!c->plus)
		return c->emit(c, name, &a, next);
	n = node_of_entry(v, dir, name, en);
	if (!n)
		return -ENOMEM;
	r = node_attr(v, n, &a);
	if (r < 0)
		a.nlink = 0; /* the front names it without attributes */
	a.alias = is_alias(n, name);
	if (n->stale)
		a.nlink = 0; /* a lookup waits */
	if (en->fixed && dir->maker)
		a.nlink = 0; /* for its maker the name is free, and the kernel is not to know it */
	fits = c->emit(c, name, &a, next);
	if (fits && a.nlink)
		n->lookups++;
	node_free_unused(v, n);
	return fits;
}

static int emit_format(struct vfs *v, struct call *c, struct node *dir, bool fixed)
{
	const struct volume *vol = dir->vol;
	uint64_t base = fixed ? COOKIE_FIXED : COOKIE_FORMAT;
	uint64_t cookie = c->off > base ? c->off - base : 0;
	char name[NAME_MAX + 1];
	struct entry en;
	int r;

	if (dir->lens == LENS_NONE || (!fixed && c->off >= COOKIE_OVERLAY))
		return 1;
	while ((r = vol->format->list(vol->now, dir->id, &cookie, name, &en, NULL)) > 0) {
		if ((en.dir && en.fixed) != fixed)
			continue;
		r = emit_entry(v, c, dir, name, &en, base + cookie);
		if (r <= 0)
			return r;
	}
	return r < 0 ? r : 1;
}

static int emit_dentry(struct vfs *v, struct call *c, struct dentry *d)
{
	struct attr a;
	int r = node_attr(v, d->node, &a);

	if (r < 0 && r != -EAGAIN)
		return 1;
	if (r < 0 || d->node->stale)
		a.nlink = 0; /* a lookup waits; a size that could not be found: who asks for it is
				told why */
	a.alias = is_alias(d->node, d->name);
	if (!c->emit(c, d->name, &a, COOKIE_OVERLAY + d->cookie))
		return 0;
	if (c->plus && a.nlink)
		d->node->lookups++;
	return 1;
}

/* Where a listing goes on that has come to off. */
static struct dentry *overlay_from(struct vfs *v, const struct node *dir, uint64_t off)
{
	return dentry_after(v, dir->ino, off >= COOKIE_OVERLAY ? off - COOKIE_OVERLAY : 0);
}

static int emit_overlay(struct vfs *v, struct call *c, const struct node *dir)
{
	int r = 1;

	if (c->off >= COOKIE_FIXED)
		return 1;
	for (struct dentry *d = overlay_from(v, dir, c->off); d && r > 0; d = d->next)
		if (d->node)
			r = emit_dentry(v, c, d);
	return r;
}

static int emit_dots(struct vfs *v, struct call *c, const struct node *dir)
{
	struct attr a = {.ino = dir->ino, .mode = S_IFDIR};

	(void)v;
	if (c->off < COOKIE_DOT && !c->emit(c, ".", &a, COOKIE_DOT))
		return 0;
	if (dir->parent)
		a.ino = dir->parent->ino;
	if (c->off < COOKIE_DOTDOT && !c->emit(c, "..", &a, COOKIE_DOTDOT))
		return 0;
	return 1;
}

/* Is the size to be found before the entry is listed? */
static bool wants_size(const struct vfs *v, const struct call *c, const struct entry *en)
{
	return !en->dir && !en->sized && (!en->late || (c->caller && c->caller == v->ahead.lister));
}

/* Entries of dir from c->off of which that is so. */
static size_t unsized(struct vfs *v, struct call *c, struct node *dir, entry_id *ids)
{
	const struct volume *vol = dir->vol;
	uint64_t cookie = c->off > COOKIE_FORMAT ? c->off - COOKIE_FORMAT : 0;
	char name[NAME_MAX + 1];
	size_t n = 0, looked = 0;
	struct entry en;

	for (const struct dentry *d = overlay_from(v, dir, c->off); d && looked++ < SIZES_MAX / 2;
		d = d->next)
		if (d->node && !node_scratch(d->node) && !d->node->stage &&
			node_entry(d->node, &en, NULL) == 0 && wants_size(v, c, &en))
			ids[n++] = d->node->id;
	if (dir->lens == LENS_NONE || c->off >= COOKIE_OVERLAY)
		return n;
	for (size_t i = 0; i < SIZES_MAX && n < SIZES_MAX; i++) {
		if (vol->format->list(vol->now, dir->id, &cookie, name, &en, NULL) <= 0)
			break;
		if (wants_size(v, c, &en))
			ids[n++] = en.id;
	}
	return n;
}

/*
 * Between two answers of one listing the kernel takes the rest from what it remembers, once
 * somebody else has listed to the end, and does not look whether that one began before names came
 * or went. So it forgets what was listed before the first answer after a change.
 */
static bool waits_for_kernel(struct vfs *v, struct call *c, struct node *dir)
{
	if (c->off > 0)
		return false;
	if (dir->changed)
		node_invalidate(v, &dir, 1, NULL);
	dir->changed = false;
	if (dir->stale)
		node_wait(dir, c);
	return dir->stale;
}

void vfs_readdir(struct vfs *v, struct call *c)
{
	struct node *dir = node_find(v, c->ino);
	entry_id ids[SIZES_MAX];
	size_t n = 0;
	int r;

	if (!dir || !dir->dir) {
		call_done(c, dir ? -ENOTDIR : -ESTALE);
		return;
	}
	if (waits_for_kernel(v, c, dir))
		return;
	if (c->plus && !c->sized.in)
		n = unsized(v, c, dir, ids);
	if (n) {
		size_wait(v, dir->vol, dir->vol->now, ids, n, c);
		return;
	}
	if (dir->maker == c->caller)
		dir->maker = 0;
	r = emit_dots(v, c, dir);
	if (r > 0)
		r = emit_format(v, c, dir, false);
	if (r > 0)
		r = emit_overlay(v, c, dir);
	if (r > 0)
		r = emit_format(v, c, dir, true);
	call_done(c, r < 0 ? r : 0);
}
