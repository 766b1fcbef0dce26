/* SPDX-License-Identifier: Zlib */
/* What changes a tree of names. */
#include <errno.h>
#include <string.h>

#include "vfs/overlay/overlay.h"

/*
 * What the base has there is hidden, or nothing stands there in it. u (may be NULL): what stood
 * there, and is freed. from (or ENTRY_NONE): what a file that takes the place comes from, where the
 * base has nothing. Of a directory that is always there what left it is remembered: it is there
 * again in the next map.
 */
static int vacate(
	struct overlay *o, struct upper *dir, const char *name, struct upper *u, entry_id from)
{
	struct entry en = {.id = from};
	struct upper *whiteout = NULL;
	bool hides = upper_base(o, dir, name, &en) == 0;
	int r = 0;

	if (u && u->dir && overlay_is_standing(o, dir, name)) {
		u->whiteout = true;
		return 0;
	}
	if (hides || from != ENTRY_NONE) {
		whiteout = upper_new(o, en.dir, en.id);
		if (!whiteout)
			return -ENOMEM;
		whiteout->whiteout = true;
		whiteout->moved = !hides;
	}
	if (u)
		upper_free(o, u);
	if (whiteout)
		r = upper_place(o, whiteout, dir, name);
	if (r < 0)
		upper_free(o, whiteout);
	return r;
}

/* The whiteout of the place goes, since something takes it. */
static void clear(struct overlay *o, const struct dentry *p)
{
	struct upper *u = upper_find(o, p->dir, p->name);

	if (u && u->whiteout)
		upper_free(o, u);
}

static entry_id origin(const struct spot *s)
{
	return s->upper ? s->upper->from : s->id;
}

/* Where it came from nowhere: from there, as the form that its own name says. */
static void inherit(struct upper *u, entry_id from, const struct meaning *m)
{
	if (u->from == ENTRY_NONE && from != ENTRY_NONE)
		u->from = u->id = entry_object(from) | m->form;
}

bool overlay_other_form(
	const struct overlay *o, struct upper *dir, const struct meaning *m, struct spot *ret)
{
	struct spot in = upper_spot(dir);

	return m->alternate[0] && overlay_lookup(o, &in, m->alternate, ret) == 0 && !ret->dir &&
	       !(ret->upper && upper_refused(ret->upper));
}

/* Where an object is shown in one of two forms, the file of the other one goes; and u, which takes
 * its place, came from where that did. What was refused stays, but not what it was before. */
static int take_form(struct overlay *o, struct upper *u, struct upper *dir, const struct meaning *m)
{
	struct upper *refused = m->alternate[0] ? upper_find(o, dir, m->alternate) : NULL;
	struct spot other;

	if (refused)
		upper_drop_last(refused);
	if (!overlay_other_form(o, dir, m, &other))
		return 0;
	inherit(u, origin(&other), m);
	if (o->leaves)
		o->leaves(o->arg, dir, other.upper, m->alternate);
	return vacate(o, dir, m->alternate, other.upper, ENTRY_NONE);
}

int overlay_accept(struct overlay *o, struct upper *u)
{
	struct dentry p = {.dir = u->up};
	struct meaning m;
	int r;

	/* Numbers of raw/ mean what is next, and that is behind this one by now. */
	if (upper_is_raw(u))
		return 0;
	strcpy(p.name, u->name);
	r = overlay_meaning(o, &p, false, u->from, &m);
	return r < 0 ? r : take_form(o, u, u->up, &m);
}

/* r: what came of it so far. */
static int place_made(
	struct overlay *o, const struct dentry *p, struct upper *u, int r, struct upper **ret)
{
	if (r == 0) {
		clear(o, p);
		r = upper_place(o, u, p->dir, p->name);
	}
	if (r < 0)
		upper_free(o, u);
	else
		*ret = u;
	return r;
}

static int make_file(struct overlay *o, const struct dentry *p, struct upper **ret)
{
	const struct upper *gone = upper_find(o, p->dir, p->name);
	struct upper *u;
	struct meaning m;
	int r = overlay_meaning(o, p, false, ENTRY_NONE, &m);

	if (r < 0)
		return r;
	u = upper_new(o, false, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	u->scratch = !means_something(&m);
	u->moved = true;
	if (gone && !gone->dir && !u->scratch)
		inherit(u, gone->from, &m);
	/* The next one's name may count on it. */
	if (m.is == FORMAT_PART && !m.known)
		r = o->base->format->tree->add(&o->shape, p->dir->id, p->name, false, &u->id, NULL);
	u->made = u->id != ENTRY_NONE && u->from == ENTRY_NONE;
	return place_made(o, p, u, r, ret);
}

static int make_dir(struct overlay *o, const struct dentry *p, struct upper **ret)
{
	struct upper *u = upper_find(o, p->dir, p->name);
	struct meaning m;
	int r = overlay_meaning(o, p, true, ENTRY_NONE, &m);

	if (r < 0)
		return r;
	/* What is always there is there again. */
	if (u && u->dir && overlay_is_standing(o, p->dir, p->name)) {
		u->whiteout = false;
		*ret = u;
		return 0;
	}
	u = upper_new(o, true, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	if (means_something(&m))
		r = o->base->format->tree->add(&o->shape, p->dir->id, p->name, true, &u->id, NULL);
	return place_made(o, p, u, r, ret);
}

int overlay_make(struct overlay *o, const struct dentry *p, bool dir, struct upper **ret)
{
	int r = overlay_may_make(o, p, dir);

	if (r < 0)
		return r;
	return dir ? make_dir(o, p, ret) : make_file(o, p, ret);
}

int overlay_take(struct overlay *o, const struct dentry *p)
{
	const struct upper *u = p->spot.upper;

	return vacate(o, p->dir, p->name, p->spot.upper,
		p->spot.dir || (u && u->scratch) ? ENTRY_NONE : origin(&p->spot));
}

/* Where names come with times, what moves keeps its own. */
static void keep_time(const struct overlay *o, struct upper *u, const struct meaning *m)
{
	const struct format *f = o->base->format;
	struct entry en;

	if (!f->kept_time || u->timed || u->written || u->from == ENTRY_NONE ||
		(m->known && m->id == u->from) || f->stat(o->base, u->from, &en, NULL) < 0 ||
		!en.has_mtime)
		return;
	u->timed = true;
	u->mtime = en.mtime;
}

static bool is_at_home(const struct overlay *o, const struct upper *u)
{
	struct entry en;

	return u->from != ENTRY_NONE && upper_base(o, u->up, u->name, &en) == 0 && en.id == u->from;
}

/* A file takes the place of another, or of what stood there. */
static int take_place(
	struct overlay *o, struct upper *u, const struct dentry *to, const struct meaning *m)
{
	const struct upper *gone = upper_find(o, to->dir, to->name);

	if (!means_something(m))
		return 0;
	if (to->stands)
		inherit(u, origin(&to->spot), m);
	else if (gone && !gone->dir)
		inherit(u, gone->from, m);
	return upper_refused(u) ? 0 : take_form(o, u, to->dir, m);
}

int overlay_move(struct overlay *o, const struct dentry *from, const struct dentry *to)
{
	struct upper *u = upper_raise(o, from->dir, from->name, &from->spot);
	struct meaning m = {.is = FORMAT_SCRATCH};
	entry_id left = ENTRY_NONE;
	int r = u ? 0 : -ENOMEM;

	if (r == 0 && !u->dir)
		r = overlay_meaning(o, to, false, u->from, &m);
	/* A backup: who makes the file anew means the same object. */
	if (r == 0 && !u->dir && !u->scratch && !means_something(&m))
		left = u->from;
	if (r == 0 && !u->dir)
		r = take_place(o, u, to, &m);
	if (r < 0)
		return r;
	if (to->stands && to->spot.upper)
		upper_free(o, to->spot.upper);
	clear(o, to);
	r = upper_place(o, u, to->dir, to->name);
	if (r < 0)
		return r;
	if (!u->dir) {
		u->scratch = !means_something(&m);
		keep_time(o, u, &m);
		if (u->from == ENTRY_NONE)
			u->id = ENTRY_NONE;
	}
	u->moved = !is_at_home(o, u);
	/* It shows what the base has again. */
	if (!u->moved)
		snapshot_unref(TAKE(u->of));
	return vacate(o, from->dir, from->name, NULL, left);
}

int overlay_identify(
	struct overlay *o, struct upper *u, entry_id *ret, entry_id *ret_parsed, struct error *e)
{
	struct dentry p = {.dir = u->up, .stands = true, .spot = upper_spot(u)};
	struct meaning m;
	bool made = false;
	int r = 0;

	if (!u->moved || u->dir || (u->from == ENTRY_NONE && u->id != ENTRY_NONE)) {
		*ret = u->id;
		*ret_parsed = u->made ? ENTRY_NONE : u->id;
		return 0;
	}
	strcpy(p.name, u->name);
	if (p.dir->id == ENTRY_NONE)
		return -ENOENT;
	r = overlay_meaning(o, &p, false, u->from, &m);
	if (r < 0 || !means_something(&m))
		return r < 0 ? error_set(e, r, "%s", strerror(-r)) : -ENOENT;
	if (m.known)
		*ret = m.id;
	else if (u->from != ENTRY_NONE && m.fits)
		*ret = u->from;
	else
		r = o->base->format->tree->add(&o->shape, p.dir->id, p.name, false, ret, e);
	made = !m.known && !(u->from != ENTRY_NONE && m.fits);
	*ret_parsed = made ? ENTRY_NONE : *ret;
	if (r == 0 && u->from == ENTRY_NONE) {
		u->id = *ret;
		u->made = made;
	}
	return r;
}
