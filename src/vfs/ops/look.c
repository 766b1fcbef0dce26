/* SPDX-License-Identifier: Zlib */
/* Looking: lookup, getattr, forget, readdir. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"

/* A node has the name by which it was found first. */
static bool is_alias(const struct node *n, const char *name)
{
	return n->at->name && strcmp(n->at->name, name) != 0;
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

/* What the format says of the directory; false: nothing. */
static bool listed(const struct node *dir, const struct snapshot **ret, entry_id *ret_id)
{
	const struct upper *u = dir->at;
	const struct overlay *o = dir->vfs->tree;

	*ret = o->base->format->follows || u->from == ENTRY_NONE ? o->shape : o->base;
	*ret_id = u->from == ENTRY_NONE ? u->id : u->from;
	return *ret_id != ENTRY_NONE && (u->up || node_is_root(dir));
}

/* The next sizes of the directory that are not known. */
static size_t ahead_fill(struct vfs *v, const struct snapshot *s, entry_id dir, entry_id *ids)
{
	char name[NAME_MAX + 1];
	struct entry en;
	size_t n = 0;

	while (n < AHEAD_SIZES && s->format->list(s, dir, &v->ahead.cookie, name, &en, NULL) > 0)
		if (!en.dir && !en.sized)
			ids[n++] = en.id;
	return n;
}

static void sizes_ahead(struct vfs *v, const struct node *dir, pid_t caller)
{
	const struct snapshot *s;
	struct ahead *a;
	entry_id id;

	if (!dir || !listed(dir, &s, &id))
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
		a->n = ahead_fill(v, s, id, a->ids);
		if (!a->n) {
			free(a);
			return;
		}
		a->job = (struct job){ahead_run, ahead_done, NULL};
		a->v = v;
		a->s = snapshot_ref(s);
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
	const struct snapshot *s;
	entry_id id;

	return node_shows(n, &s, &id) && c->sized.in == s && c->sized.id == id;
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
	const struct snapshot *s;
	entry_id id;

	if (r == -EAGAIN && !was_sized(c, n) && node_shows(n, &s, &id)) {
		if (is_late(n) && n->at->up)
			sizes_ahead(v, n->at->up->node, c->caller);
		size_wait(v, s, &id, 1, c);
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

static bool is_fixed(const struct node *n)
{
	struct entry en;

	return n->at->dir && node_entry(n, &en, NULL) == 0 && en.fixed;
}

void vfs_lookup(struct vfs *v, struct call *c)
{
	struct node *parent = node_find(v, c->ino), *n;
	int r;

	if (!parent) {
		call_done(c, -ESTALE);
		return;
	}
	r = node_lookup(v, parent, c->name, &n);
	if (r == -ENOENT && upper_is_raw(parent->at) && view_wait(v, NULL, c))
		return;
	if (r < 0) {
		call_done(c, r);
	} else if (n->stale) {
		node_wait(n, c);
	} else if (view_wait(v, n, c)) {
		node_free_unused(v, n);
	} else if (parent->maker && parent->maker == c->caller && is_fixed(n)) {
		node_free_unused(v, n);
		call_done(c, -ENOENT);
	} else {
		answer_attr(v, n, c, true);
	}
}

/* Who asks for what is gone by no request for it has its name still, which is to be looked up
 * again. */
static bool is_lost(const struct vfs *v, const struct node *n)
{
	return !n->handles && ((n->misnamed && !n->at->up) || upper_is_gone(v->tree, n->at));
}

void vfs_getattr(struct vfs *v, struct call *c)
{
	struct node *n = node_find(v, c->ino);

	if (n && view_wait(v, n, c))
		return;
	if (n && !is_lost(v, n))
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

/* One that the format gives is listed there unless it differs from that in more than its bytes. */
static bool is_elsewhere(const struct upper *u)
{
	return u->whiteout || u->moved || u->from == ENTRY_NONE;
}

static int emit_node(struct call *c, struct node *n, const char *name, bool hidden, uint64_t next)
{
	struct attr a;
	int r = node_attr(n->vfs, n, &a);
	bool fits;

	if (r < 0 && r != -EAGAIN)
		a = (struct attr){.ino = n->ino, .mode = n->at->dir ? S_IFDIR : S_IFREG};
	/* Named without attributes: who wants more looks it up, waits there, and is told why there
	 * are none. */
	if (r < 0 || n->stale || hidden)
		a.nlink = 0;
	a.alias = is_alias(n, name);
	fits = c->emit(c, name, &a, next);
	if (fits && c->plus && a.nlink)
		n->lookups++;
	return fits;
}

/* One entry that the format gives: 1 emitted or hidden, 0 the reply is full, or -errno. */
static int emit_entry(struct vfs *v, struct call *c, struct node *dir, const char *name,
	const struct entry *en, uint64_t next)
{
	struct upper *u = upper_find(v->tree, dir->at, name);
	struct attr a = {.ino = entry_ino(v->vol, en->id), .mode = en->dir ? S_IFDIR : S_IFREG};
	struct node *n;
	int r;

	if (u && is_elsewhere(u))
		return 1;
	if (!c->plus && (!u || !u->node))
		return c->emit(c, name, &a, next);
	r = node_lookup(v, dir, name, &n);
	if (r < 0)
		return r == -ENOENT ? 1 : r;
	/* For its maker the name is free, and the kernel is not to know it. */
	r = emit_node(c, n, name, en->fixed && dir->maker, next);
	node_free_unused(v, n);
	return r;
}

static int emit_format(struct vfs *v, struct call *c, struct node *dir, bool fixed)
{
	uint64_t base = fixed ? COOKIE_FIXED : COOKIE_FORMAT;
	uint64_t cookie = c->off > base ? c->off - base : 0;
	char name[NAME_MAX + 1];
	const struct snapshot *s;
	struct entry en;
	entry_id id;
	int r;

	if (!listed(dir, &s, &id) || (!fixed && c->off >= COOKIE_OVERLAY))
		return 1;
	while ((r = s->format->list(s, id, &cookie, name, &en, NULL)) > 0) {
		if ((en.dir && en.fixed) != fixed || (dir->at->from == ENTRY_NONE && !fixed))
			continue;
		r = emit_entry(v, c, dir, name, &en, base + cookie);
		if (r <= 0)
			return r;
	}
	return r < 0 ? r : 1;
}

/* The first upper of the directory that a listing which has come to off has not seen. */
static struct upper *overlay_from(const struct node *dir, uint64_t off)
{
	return overlay_after(
		dir->vfs->tree, dir->at, off >= COOKIE_OVERLAY ? off - COOKIE_OVERLAY : 0);
}

static int emit_overlay(struct vfs *v, struct call *c, const struct node *dir)
{
	struct upper *u, *next;
	struct node *n;
	int r = 1;

	if (c->off >= COOKIE_FIXED)
		return 1;
	for (u = overlay_from(dir, c->off); u && r > 0; u = next) {
		next = TAILQ_NEXT(u, beside);
		if (u->whiteout || !is_elsewhere(u))
			continue;
		n = node_of(v, u);
		if (!n)
			return -ENOMEM;
		r = emit_node(c, n, u->name, false, COOKIE_OVERLAY + u->place);
		node_free_unused(v, n);
	}
	return r;
}

static int emit_dots(struct call *c, const struct node *dir)
{
	struct attr a = {.ino = dir->ino, .mode = S_IFDIR};

	if (c->off < COOKIE_DOT && !c->emit(c, ".", &a, COOKIE_DOT))
		return 0;
	if (dir->at->up && dir->at->up->node)
		a.ino = dir->at->up->node->ino;
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
static size_t unsized(struct vfs *v, struct call *c, struct node *dir, const struct snapshot *s,
	entry_id id, entry_id *ids)
{
	uint64_t cookie = c->off > COOKIE_FORMAT ? c->off - COOKIE_FORMAT : 0;
	char name[NAME_MAX + 1];
	size_t n = 0, looked = 0;
	struct entry en;

	for (const struct upper *u = overlay_from(dir, c->off); u && looked++ < SIZES_MAX / 2;
		u = TAILQ_NEXT(u, beside))
		if (u->moved && !u->whiteout && !u->of && !u->written && u->from != ENTRY_NONE &&
			s->format->stat(s, u->from, &en, NULL) == 0 && wants_size(v, c, &en))
			ids[n++] = u->from;
	if (c->off >= COOKIE_OVERLAY || dir->at->from == ENTRY_NONE)
		return n;
	for (size_t i = 0; i < SIZES_MAX && n < SIZES_MAX; i++) {
		if (s->format->list(s, id, &cookie, name, &en, NULL) <= 0)
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
	const struct snapshot *s;
	entry_id ids[SIZES_MAX], id;
	size_t n = 0;
	int r;

	if (!dir || !dir->at->dir) {
		call_done(c, dir ? -ENOTDIR : -ESTALE);
		return;
	}
	/* It went with what a save wrote, or somebody has it open still. */
	if (!dir->at->up && !node_is_root(dir)) {
		call_done(c, -ENOENT);
		return;
	}
	if (waits_for_kernel(v, c, dir) || (v->view.stale && view_wait(v, NULL, c)))
		return;
	if (c->plus && !c->sized.in && listed(dir, &s, &id))
		n = unsized(v, c, dir, s, id, ids);
	if (n) {
		size_wait(v, s, ids, n, c);
		return;
	}
	if (dir->maker == c->caller)
		dir->maker = 0;
	r = emit_dots(c, dir);
	if (r > 0)
		r = emit_format(v, c, dir, false);
	if (r > 0)
		r = emit_overlay(v, c, dir);
	if (r > 0)
		r = emit_format(v, c, dir, true);
	call_done(c, r < 0 ? r : 0);
}
