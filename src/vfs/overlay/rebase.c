/* SPDX-License-Identifier: Zlib */
/* Continue an overlay over the map that was built from it. */
#include <errno.h>

#include "vfs/overlay/overlay.h"

/* Resolve the path of u in the next overlay. False for a whiteout or a missing parent. */
static bool find_dentry(struct overlay *next, const struct oentry *u, struct dentry *ret)
{
	struct oentry *dir = u->parent->successor;

	if (u->is_whiteout || !dir || overlay_dentry(next, dir, u->name, ret) < 0)
		return false;
	if (!ret->exists && !oentry_find(next, dir, u->name))
		ret->exists = overlay_add_permanent(next, dir, u->name, ret) == 0;
	return true;
}

static int carry_dir(struct overlay *next, struct oentry *u, const struct dentry *p)
{
	if (p->exists) {
		u->successor = p->is_dir ? oentry_raise(next, p->parent, u->name, p) : NULL;
		return u->successor || !p->is_dir ? 0 : -ENOMEM;
	}
	return u->origin == ENTRY_NONE || u->is_moved ? overlay_make(next, p, true, &u->successor)
						      : 0;
}

/* Must a file be copied to the next overlay? Not in raw/, where numbers belong to the new map. */
static bool is_carried(const struct oentry *u, const struct dentry *p)
{
	if (u->is_scratch)
		return u->origin == ENTRY_NONE && !(p->exists && p->is_dir);
	return !u->refusal && !p->exists && !oentry_is_raw(u) &&
	       (u->has_content || u->origin == ENTRY_NONE);
}

static int carry_file(struct overlay *next, struct oentry *u, const struct dentry *p)
{
	struct oentry *successor = oentry_new(next, false, ENTRY_NONE);
	int r = successor ? 0 : -ENOMEM;

	if (r == 0 && u->has_content)
		r = oentry_write(successor, extent_ref(&u->bytes), u->refusal);
	if (r == 0)
		r = oentry_place(next, successor, p->parent, u->name);
	if (r < 0) {
		if (successor)
			oentry_free(next, successor);
		return r;
	}
	successor->is_scratch = u->is_scratch;
	successor->is_moved = true;
	successor->has_mtime = u->has_mtime;
	successor->mtime = u->mtime;
	successor->frozen_map = u->frozen_map ? snapshot_ref(u->frozen_map) : NULL;
	successor->frozen_id = u->frozen_id;
	u->successor = successor;
	return 0;
}

/* Carry over entries with their positions, so that a listing in progress continues. */
static int carry_entries(struct overlay *o, struct overlay *next)
{
	struct dentry p;
	int r = 0;

	o->root->successor = next->root;
	for (struct oentry *u = NULL; r == 0 && (u = overlay_next(o, u));) {
		u->successor = NULL;
		if (!find_dentry(next, u, &p))
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

/* Find successors of other files with an inode or a time: what the next overlay has at their paths.
 * The journal has no times, so a file that is still not in the map gets its time here. */
static int find_successors(struct overlay *o, struct overlay *next)
{
	struct dentry p;

	for (struct oentry *u = NULL; (u = overlay_next(o, u));) {
		if (u->successor || !(u->inode || u->has_mtime) || u->is_dir ||
			!find_dentry(next, u, &p) || !p.exists || p.is_dir)
			continue;
		u->successor = oentry_raise(next, p.parent, u->name, &p);
		if (!u->successor)
			return -ENOMEM;
		if (u->has_mtime && oentry_differs(u->successor)) {
			u->successor->has_mtime = true;
			u->successor->mtime = u->mtime;
		}
	}
	return 0;
}

static void report_moves(struct overlay *o, const struct rebase *how, bool has_successor)
{
	for (struct oentry *u = NULL; (u = overlay_next(o, u));)
		if (!u->successor != has_successor && (u->inode || u->is_whiteout))
			how->moved(how->arg, u, u->successor);
}

int overlay_rebase(struct overlay **o, const struct snapshot *base, const struct rebase *how)
{
	CLEANUP(overlay_destroy) struct overlay *next = NULL;
	struct overlay *old = *o;
	int r = overlay_create(base, &next);

	if (r == 0)
		r = carry_entries(old, next);
	if (r == 0)
		r = how->replay(how->arg, next);
	if (r == 0)
		r = find_successors(old, next);
	if (r < 0)
		return r;
	report_moves(old, how, false);
	next->on_form_change = old->on_form_change;
	next->arg = old->arg;
	*o = next;
	how->moved(how->arg, old->root, next->root);
	report_moves(old, how, true);
	for (struct oentry *u = NULL; (u = overlay_next(old, u));)
		if (u->successor)
			oentry_free_unused(next, u->successor);
	next = old;
	return 0;
}
