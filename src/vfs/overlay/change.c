/* SPDX-License-Identifier: Zlib */
/* What changes a tree of names. */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "vfs/overlay/overlay.h"

/* Names that would litter a map or fool a tool: refused, and tools cope with EPERM. */
static int check_name(const char *name)
{
	bool refused = strncmp(name, ".Trash", 6) == 0 || strcmp(name, ".git") == 0 ||
		       strncmp(name, ".fuse_hidden", 12) == 0;

	return refused ? -EPERM : name_check(name, strlen(name));
}

/* Is a directory of that name always there, also in a directory that was made? */
static bool is_standing(const struct overlay *o, const struct upper *dir, const char *name)
{
	const struct format *f = o->base->format;
	struct entry en;
	int r = -ENOENT;

	if (dir->from != ENTRY_NONE)
		r = upper_base(o, dir, name, &en);
	else if (dir->id != ENTRY_NONE)
		r = f->lookup(o->shape, dir->id, name, &en, NULL);
	return r == 0 && en.dir && en.fixed;
}

/* What is always there is there again in the next map, and no file takes its place. */
static int check_place(const struct overlay *o, const struct dentry *p, bool dir)
{
	int r = check_name(p->name);

	return r == 0 && !dir && !p->stands && is_standing(o, p->dir, p->name) ? -EPERM : r;
}

int overlay_dentry(const struct overlay *o, struct upper *dir, const char *name, struct dentry *ret)
{
	struct spot in = upper_spot(dir);
	struct dentry p = {.dir = dir};
	int r;

	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	strcpy(p.name, name);
	r = overlay_lookup(o, &in, name, &p.spot);
	p.stands = r == 0;
	*ret = p;
	return r == -ENOENT ? 0 : r;
}

int overlay_meaning(const struct overlay *o, const struct dentry *p, bool dir, entry_id object,
	struct meaning *ret)
{
	const struct format *f = o->base->format;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	if (p->dir->id == ENTRY_NONE || !f->tree)
		return 0;
	return f->tree->meaning(o->shape, p->dir->id, p->name, dir,
		object == ENTRY_NONE ? ENTRY_ROOT : object, ret, NULL);
}

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

	if (u && u->dir && is_standing(o, dir, name)) {
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
 * its place, came from where that did. */
static int take_form(struct overlay *o, struct upper *u, struct upper *dir, const struct meaning *m)
{
	struct spot other;

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
	if (!o->base->format->has_forms || upper_is_raw(u))
		return 0;
	strcpy(p.name, u->name);
	r = overlay_meaning(o, &p, false, u->from, &m);
	return r < 0 ? r : take_form(o, u, u->up, &m);
}

int overlay_may_make(const struct overlay *o, const struct dentry *p, bool dir)
{
	struct meaning m;
	struct entry en;
	int r = check_place(o, p, dir);

	if (r == 0 && dir && upper_base(o, p->dir, p->name, &en) == 0 && en.derived)
		r = -EPERM;
	return r < 0 ? r : overlay_meaning(o, p, dir, ENTRY_NONE, &m);
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

static int make_dir(struct overlay *o, const struct dentry *p, struct upper **ret)
{
	struct upper *u = upper_find(o, p->dir, p->name);
	struct meaning m;
	int r = overlay_meaning(o, p, true, ENTRY_NONE, &m);

	if (r < 0)
		return r;
	/* What is always there is there again. */
	if (u && u->dir && is_standing(o, p->dir, p->name)) {
		u->whiteout = false;
		*ret = u;
		return 0;
	}
	u = upper_new(o, true, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	if (means_something(&m))
		r = o->base->format->tree->add(&o->shape, p->dir->id, p->name, true, &u->id, NULL);
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

int overlay_make(struct overlay *o, const struct dentry *p, bool dir, struct upper **ret)
{
	int r = overlay_may_make(o, p, dir);

	if (r < 0)
		return r;
	return dir ? make_dir(o, p, ret) : make_file(o, p, ret);
}

static int stop(void *arg, const char *name, const struct spot *s)
{
	(void)arg, (void)name, (void)s;
	return 1;
}

bool overlay_is_empty(const struct overlay *o, const struct spot *dir)
{
	return overlay_list(o, dir, stop, NULL) == 0;
}

/* What stands there, for who would take it away. */
static int standing(const struct overlay *o, const struct spot *s, struct entry *ret)
{
	int r = overlay_stat(o, s, ret, NULL);

	if (!o->base->format->tree)
		return -EPERM;
	if (s->upper && s->upper->from == ENTRY_NONE && s->id != ENTRY_NONE)
		(void)o->base->format->stat(o->shape, s->id, ret, NULL);
	/* A form that its object has not yet. */
	return r == -EIO && s->upper ? 0 : r;
}

int overlay_may_remove(const struct overlay *o, const struct dentry *p, bool dir)
{
	struct entry en;
	int r;

	if (!p->name[0])
		return -EPERM;
	if (!p->stands)
		return -ENOENT;
	if (p->spot.dir != dir)
		return dir ? -ENOTDIR : -EISDIR;
	r = standing(o, &p->spot, &en);
	if (r == 0 && en.fixed && !dir && !en.derived)
		r = -EPERM;
	if (r < 0)
		return r;
	return dir && !overlay_is_empty(o, &p->spot) ? -ENOTEMPTY : 0;
}

int overlay_take(struct overlay *o, const struct dentry *p)
{
	const struct upper *u = p->spot.upper;

	return vacate(o, p->dir, p->name, p->spot.upper,
		p->spot.dir || (u && u->scratch) ? ENTRY_NONE : origin(&p->spot));
}

static bool is_within(const struct upper *dir, const struct upper *u)
{
	while (dir && dir != u)
		dir = dir->up;
	return dir;
}

static int may_replace(const struct overlay *o, const struct dentry *to, bool dir)
{
	struct entry en;

	if (!to->stands)
		return 0;
	if (!dir && overlay_stat(o, &to->spot, &en, NULL) == 0 && !en.writable)
		return -EACCES;
	if (to->spot.dir != dir)
		return to->spot.dir ? -EISDIR : -ENOTDIR;
	return dir && !overlay_is_empty(o, &to->spot) ? -ENOTEMPTY : 0;
}

/* May it be called so? */
static int may_call(const struct overlay *o, const struct spot *s, const struct dentry *to)
{
	struct meaning m;
	int r = check_place(o, to, s->dir);

	if (r == 0)
		r = overlay_meaning(o, to, s->dir, s->dir ? s->id : ENTRY_NONE, &m);
	if (r < 0 || !s->dir)
		return r;
	if (s->id == ENTRY_NONE)
		return means_something(&m) ? -EXDEV : 0;
	if ((m.known && m.id == s->id) || (m.fits && means_something(&m)))
		return 0;
	/* As scratch its files would be gone; elsewhere it is another thing: mv copies then. */
	return means_something(&m) ? -EXDEV : -EPERM;
}

int overlay_may_rename(const struct overlay *o, const struct dentry *from, const struct dentry *to)
{
	struct entry en;
	int r;

	if (!from->name[0] || !to->name[0])
		return -EPERM;
	if (!from->stands)
		return -ENOENT;
	if (from->spot.upper && is_within(to->dir, from->spot.upper))
		return -EINVAL;
	r = standing(o, &from->spot, &en);
	if (r == 0 && en.fixed)
		r = -EPERM;
	if (r == 0)
		r = may_replace(o, to, from->spot.dir);
	return r < 0 ? r : may_call(o, &from->spot, to);
}

/* Where names come with times, what moves to the place of another keeps its own. */
static void keep_time(const struct overlay *o, struct upper *u, const struct meaning *m)
{
	const struct format *f = o->base->format;
	struct entry en;

	if (!f->keeps_times || u->timed || u->written || u->from == ENTRY_NONE || !m->known ||
		m->id == u->from || f->stat(o->base, u->from, &en, NULL) < 0 || !en.has_mtime)
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
	return vacate(o, from->dir, from->name, NULL, left);
}

int overlay_identify(struct overlay *o, struct upper *u, entry_id *ret, struct error *e)
{
	struct dentry p = {.dir = u->up, .stands = true, .spot = upper_spot(u)};
	struct meaning m;
	int r = 0;

	if (!u->moved || u->dir || (u->from == ENTRY_NONE && u->id != ENTRY_NONE)) {
		*ret = u->id;
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
	if (r == 0 && u->from == ENTRY_NONE)
		u->id = *ret;
	return r;
}
