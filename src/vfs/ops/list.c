/* SPDX-License-Identifier: Zlib */
/* readdir */
#include <errno.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"

bool dir_source(const struct inode *dir, const struct snapshot **ret, entry_id *ret_id)
{
	const struct oentry *u = dir->oentry;
	const struct overlay *o = dir->vfs->overlay;

	*ret = u->origin == ENTRY_NONE ? o->shape : overlay_names(o);
	*ret_id = u->origin == ENTRY_NONE ? u->id : u->origin;
	return *ret_id != ENTRY_NONE && (u->parent || inode_is_root(dir));
}

/*
 * Cookies of a listing: "." and "..", then the format's names, then the overlay's, then the
 * format's permanent directories, so that rm -r removes those last. The overlay's cookies only
 * grow, so a listing that continues while names change neither misses nor repeats any.
 */
enum { COOKIE_DOT = 1, COOKIE_DOTDOT = 2, COOKIE_FORMAT = 3 };
#define COOKIE_OVERLAY ((uint64_t)1 << 61)
#define COOKIE_FIXED   ((uint64_t)1 << 62)

enum { SIZES_MAX = 256 }; /* computed at a time */

/* Does the overlay list the entry? The format lists entries that differ only in content. */
static bool is_elsewhere(const struct oentry *u)
{
	return u->is_whiteout || u->is_moved || u->origin == ENTRY_NONE;
}

static int emit_inode(struct call *c, struct inode *n, const char *name, bool hidden, uint64_t next)
{
	struct stat a;
	int r = inode_attr(n->vfs, n, &a);
	bool fits;

	if (r < 0 && r != -EAGAIN)
		a = (struct stat){
			.st_ino = n->ino, .st_mode = n->oentry->is_dir ? S_IFDIR : S_IFREG};
	/* Without attributes the kernel looks the name up when they are needed. The lookup waits if
	 * necessary, and reports errors. */
	if (r < 0 || n->pending_invalidations || hidden)
		a.st_nlink = 0;
	c->is_alias = inode_is_alias(n, name);
	fits = c->emit(c, name, &a, next);
	if (fits && c->with_attributes && a.st_nlink)
		n->lookups++;
	return fits;
}

/* Emit an entry of the format. Returns 1 if emitted or hidden, 0 if the reply is full; -errno. */
static int emit_entry(struct vfs *v, struct call *c, struct inode *dir, const char *name,
	const struct file_attr *en, uint64_t next)
{
	struct oentry *u = oentry_find(v->overlay, dir->oentry, name);
	struct stat a = {
		.st_ino = entry_ino(v->vol, en->id), .st_mode = en->is_dir ? S_IFDIR : S_IFREG};
	struct inode *n;
	int r;

	if (u && is_elsewhere(u))
		return 1;
	if (!c->with_attributes && (!u || !u->inode))
		return c->emit(c, name, &a, next);
	r = inode_lookup(v, dir, name, &n);
	if (r < 0)
		return r == -ENOENT ? 1 : r;
	/* Hidden from the creator of dir (inode.creator), so the kernel must not cache the name. */
	r = emit_inode(c, n, name, en->is_permanent && dir->creator, next);
	inode_free_unused(v, n);
	return r;
}

static int emit_format(struct vfs *v, struct call *c, struct inode *dir, bool fixed)
{
	uint64_t base = fixed ? COOKIE_FIXED : COOKIE_FORMAT;
	uint64_t cookie = c->off > base ? c->off - base : 0;
	char name[NAME_MAX + 1];
	const struct snapshot *s;
	struct file_attr en;
	entry_id id;
	int r;

	if (!dir_source(dir, &s, &id) || (!fixed && c->off >= COOKIE_OVERLAY))
		return 1;
	while ((r = s->format->list(s, id, &cookie, name, &en, NULL)) > 0) {
		if ((en.is_dir && en.is_permanent) != fixed ||
			(dir->oentry->origin == ENTRY_NONE && !fixed))
			continue;
		r = emit_entry(v, c, dir, name, &en, base + cookie);
		if (r <= 0)
			return r;
	}
	return r < 0 ? r : 1;
}

/* The first overlay entry in dir behind the listing offset `off`. */
static struct oentry *overlay_from(const struct inode *dir, uint64_t off)
{
	return overlay_child_after(
		dir->vfs->overlay, dir->oentry, off >= COOKIE_OVERLAY ? off - COOKIE_OVERLAY : 0);
}

static int emit_overlay(struct vfs *v, struct call *c, const struct inode *dir)
{
	struct oentry *u, *next;
	struct inode *n;
	int r = 1;

	if (c->off >= COOKIE_FIXED)
		return 1;
	for (u = overlay_from(dir, c->off); u && r > 0; u = next) {
		next = TAILQ_NEXT(u, siblings);
		if (u->is_whiteout || !is_elsewhere(u))
			continue;
		n = inode_of(v, u);
		if (!n)
			return -ENOMEM;
		r = emit_inode(c, n, u->name, false, COOKIE_OVERLAY + u->position);
		inode_free_unused(v, n);
	}
	return r;
}

static int emit_dots(struct call *c, const struct inode *dir)
{
	struct stat a = {.st_ino = dir->ino, .st_mode = S_IFDIR};

	if (c->off < COOKIE_DOT && !c->emit(c, ".", &a, COOKIE_DOT))
		return 0;
	if (dir->oentry->parent && dir->oentry->parent->inode)
		a.st_ino = dir->oentry->parent->inode->ino;
	if (c->off < COOKIE_DOTDOT && !c->emit(c, "..", &a, COOKIE_DOTDOT))
		return 0;
	return 1;
}

/* Must the size be computed before the entry is listed? */
static bool wants_size(const struct vfs *v, const struct call *c, const struct file_attr *en)
{
	return !en->is_dir && !en->has_size &&
	       (!en->is_size_on_demand || (c->caller && c->caller == v->size_ahead.lister));
}

/* Collect entries of dir from c->off whose size must be computed. */
static size_t collect_unsized(struct vfs *v, struct call *c, struct inode *dir,
	const struct snapshot *s, entry_id id, entry_id *ids)
{
	uint64_t cookie = c->off > COOKIE_FORMAT ? c->off - COOKIE_FORMAT : 0;
	char name[NAME_MAX + 1];
	size_t n = 0, looked = 0;
	struct file_attr en;

	for (const struct oentry *u = overlay_from(dir, c->off); u && looked++ < SIZES_MAX / 2;
		u = TAILQ_NEXT(u, siblings))
		if (u->is_moved && !u->is_whiteout && !u->frozen_map && !u->has_content &&
			u->origin != ENTRY_NONE && s->format->stat(s, u->origin, &en, NULL) == 0 &&
			wants_size(v, c, &en))
			ids[n++] = u->origin;
	if (c->off >= COOKIE_OVERLAY || dir->oentry->origin == ENTRY_NONE)
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
 * Invalidate the cached listing before the first reply after a change, and have c wait for that. If
 * another program finishes a listing between two replies to this one, the kernel takes the rest
 * from its cache. It does not check whether that listing began before names changed.
 */
static bool waits_for_kernel(struct vfs *v, struct call *c, struct inode *dir)
{
	if (c->off > 0)
		return false;
	if (dir->is_listing_stale)
		inode_invalidate(v, &dir, 1, NULL);
	dir->is_listing_stale = false;
	if (dir->pending_invalidations)
		inode_wait(dir, c);
	return dir->pending_invalidations;
}

void vfs_readdir(struct vfs *v, struct call *c)
{
	struct inode *dir = inode_find(v, c->ino);
	const struct snapshot *s;
	entry_id ids[SIZES_MAX], id;
	size_t n = 0;
	int r;

	if (!dir || !dir->oentry->is_dir) {
		call_done(c, dir ? -ENOTDIR : -ESTALE);
		return;
	}
	/* The directory was removed, or disappeared with a save, but is still open. */
	if (!dir->oentry->parent && !inode_is_root(dir)) {
		call_done(c, -ENOENT);
		return;
	}
	if (waits_for_kernel(v, c, dir) || view_wait(v, NULL, c))
		return;
	if (c->with_attributes && !c->size_result.snapshot && dir_source(dir, &s, &id))
		n = collect_unsized(v, c, dir, s, id, ids);
	if (n) {
		sizes_request(v, s, ids, n, c);
		return;
	}
	if (dir->creator == c->caller)
		dir->creator = 0;
	r = emit_dots(c, dir);
	if (r > 0)
		r = emit_format(v, c, dir, false);
	if (r > 0)
		r = emit_overlay(v, c, dir);
	if (r > 0)
		r = emit_format(v, c, dir, true);
	call_done(c, r < 0 ? r : 0);
}
