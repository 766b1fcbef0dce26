/* SPDX-License-Identifier: Zlib */
/* A tree goes on over the map that was built of it. */
#include <errno.h>

#include "vfs/overlay/overlay.h"

/* What is at the path of u in the next tree. False: nothing can be. */
static bool find(struct overlay *next, const struct upper *u, struct dentry *ret)
{
	struct upper *dir = u->up->heir;

	if (u->whiteout || !dir || overlay_dentry(next, dir, u->name, ret) < 0)
		return false;
	if (!ret->stands && !upper_find(next, dir, u->name))
		ret->stands = overlay_raise_fixed(next, dir, u->name, &ret->spot) == 0;
	return true;
}

static int carry_dir(struct overlay *next, struct upper *u, const struct dentry *p)
{
	if (p->stands) {
		u->heir = p->spot.dir ? upper_raise(next, p->dir, u->name, &p->spot) : NULL;
		return u->heir || !p->spot.dir ? 0 : -ENOMEM;
	}
	return u->from == ENTRY_NONE || u->moved ? overlay_make(next, p, true, &u->heir) : 0;
}

/* Numbers of raw/ mean what is in the map now. */
static bool is_carried(const struct upper *u, const struct dentry *p)
{
	if (u->scratch)
		return u->from == ENTRY_NONE && !(p->stands && p->spot.dir);
	return !u->why && !p->stands && !upper_is_raw(u) && (u->written || u->from == ENTRY_NONE);
}

static int carry_file(struct overlay *next, struct upper *u, const struct dentry *p)
{
	struct upper *heir = upper_new(next, false, ENTRY_NONE);
	int r = heir ? 0 : -ENOMEM;

	if (r == 0 && u->written)
		r = upper_write(heir, extent_ref(&u->in), u->why);
	if (r == 0)
		r = upper_place(next, heir, p->dir, u->name);
	if (r < 0) {
		if (heir)
			upper_free(next, heir);
		return r;
	}
	heir->scratch = u->scratch;
	heir->moved = true;
	heir->timed = u->timed;
	heir->mtime = u->mtime;
	heir->of = u->of ? snapshot_ref(u->of) : NULL;
	heir->was = u->was;
	u->heir = heir;
	return 0;
}

/* A listing that is under way goes on behind the same places. */
static int carry(struct overlay *o, struct overlay *next)
{
	struct dentry p;
	int r = 0;

	o->root->heir = next->root;
	for (struct upper *u = NULL; r == 0 && (u = overlay_next(o, u));) {
		u->heir = NULL;
		if (!find(next, u, &p))
			continue;
		if (u->dir)
			r = carry_dir(next, u, &p);
		else if (is_carried(u, &p))
			r = carry_file(next, u, &p);
		if (u->heir)
			u->heir->place = u->place;
	}
	next->places = o->places;
	return r == -ENOMEM ? r : 0;
}

/* What else stands there. */
static int find_heirs(struct overlay *o, struct overlay *next)
{
	struct dentry p;

	for (struct upper *u = NULL; (u = overlay_next(o, u));) {
		if (u->heir || !u->node || u->dir || !find(next, u, &p) || !p.stands || p.spot.dir)
			continue;
		u->heir = upper_raise(next, p.dir, u->name, &p.spot);
		if (!u->heir)
			return -ENOMEM;
	}
	return 0;
}

static void tell(struct overlay *o, const struct rebase *how, bool stands)
{
	for (struct upper *u = NULL; (u = overlay_next(o, u));)
		if (!u->heir != stands && (u->node || u->whiteout))
			how->fn(how->arg, u, u->heir);
}

int overlay_rebase(struct overlay **o, const struct snapshot *base, const struct rebase *how)
{
	CLEANUP(overlay_destroy) struct overlay *next = NULL;
	struct overlay *old = *o;
	int r = overlay_create(base, &next);

	if (r == 0)
		r = carry(old, next);
	if (r == 0)
		r = how->left(how->arg, next);
	if (r == 0)
		r = find_heirs(old, next);
	if (r < 0)
		return r;
	tell(old, how, false);
	next->leaves = old->leaves;
	next->arg = old->arg;
	*o = next;
	how->fn(how->arg, old->root, next->root);
	tell(old, how, true);
	for (struct upper *u = NULL; (u = overlay_next(old, u));)
		if (u->heir)
			upper_settle(next, u->heir);
	next = old;
	return 0;
}
