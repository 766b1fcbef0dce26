/* SPDX-License-Identifier: Zlib */
/* A tree goes on over the map that was built of it. */
#include <errno.h>

#include "vfs/overlay/overlay.h"

/* What is at the path of u in the next tree. False: nothing can be. */
static bool find(struct overlay *next, const struct oentry *u, struct dentry *ret)
{
	struct oentry *dir = u->parent->successor;

	if (u->is_whiteout || !dir || overlay_dentry(next, dir, u->name, ret) < 0)
		return false;
	if (!ret->exists && !oentry_find(next, dir, u->name))
		ret->exists = overlay_raise_fixed(next, dir, u->name, &ret->spot) == 0;
	return true;
}

static int carry_dir(struct overlay *next, struct oentry *u, const struct dentry *p)
{
	if (p->exists) {
		u->successor =
			p->spot.is_dir ? oentry_raise(next, p->parent, u->name, &p->spot) : NULL;
		return u->successor || !p->spot.is_dir ? 0 : -ENOMEM;
	}
	return u->origin == ENTRY_NONE || u->is_moved ? overlay_make(next, p, true, &u->successor)
						      : 0;
}

/* Numbers of raw/ mean what is in the map now. */
static bool is_carried(const struct oentry *u, const struct dentry *p)
{
	if (u->is_scratch)
		return u->origin == ENTRY_NONE && !(p->exists && p->spot.is_dir);
	return !u->refusal && !p->exists && !oentry_is_raw(u) &&
	       (u->has_content || u->origin == ENTRY_NONE);
}

static int carry_file(struct overlay *next, struct oentry *u, const struct dentry *p)
{
	struct oentry *heir = oentry_new(next, false, ENTRY_NONE);
	int r = heir ? 0 : -ENOMEM;

	if (r == 0 && u->has_content)
		r = oentry_write(heir, extent_ref(&u->bytes), u->refusal);
	if (r == 0)
		r = oentry_place(next, heir, p->parent, u->name);
	if (r < 0) {
		if (heir)
			oentry_free(next, heir);
		return r;
	}
	heir->is_scratch = u->is_scratch;
	heir->is_moved = true;
	heir->has_mtime = u->has_mtime;
	heir->mtime = u->mtime;
	heir->frozen_map = u->frozen_map ? snapshot_ref(u->frozen_map) : NULL;
	heir->frozen_id = u->frozen_id;
	u->successor = heir;
	return 0;
}

/* A listing that is under way goes on behind the same places. */
static int carry(struct overlay *o, struct overlay *next)
{
	struct dentry p;
	int r = 0;

	o->root->successor = next->root;
	for (struct oentry *u = NULL; r == 0 && (u = overlay_next(o, u));) {
		u->successor = NULL;
		if (!find(next, u, &p))
			continue;
		if (u->is_dir)
			r = carry_dir(next, u, &p);
		else if (is_carried(u, &p))
			r = carry_file(next, u, &p);
		if (u->successor)
			u->successor->position = u->position;
	}
	next->last_position = o->last_position;
	return r == -ENOMEM ? r : 0;
}

/* What else stands there. */
static int find_heirs(struct overlay *o, struct overlay *next)
{
	struct dentry p;

	for (struct oentry *u = NULL; (u = overlay_next(o, u));) {
		if (u->successor || !u->inode || u->is_dir || !find(next, u, &p) || !p.exists ||
			p.spot.is_dir)
			continue;
		u->successor = oentry_raise(next, p.parent, u->name, &p.spot);
		if (!u->successor)
			return -ENOMEM;
	}
	return 0;
}

static void tell(struct overlay *o, const struct rebase *how, bool stands)
{
	for (struct oentry *u = NULL; (u = overlay_next(o, u));)
		if (!u->successor != stands && (u->inode || u->is_whiteout))
			how->fn(how->arg, u, u->successor);
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
	next->on_form_change = old->on_form_change;
	next->arg = old->arg;
	*o = next;
	how->fn(how->arg, old->root, next->root);
	tell(old, how, true);
	for (struct oentry *u = NULL; (u = overlay_next(old, u));)
		if (u->successor)
			oentry_free_unused(next, u->successor);
	next = old;
	return 0;
}
