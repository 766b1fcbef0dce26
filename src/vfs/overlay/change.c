/* SPDX-License-Identifier: Zlib */
/* Changes of an overlay. */
#include <errno.h>
#include <string.h>

#include "vfs/overlay/overlay.h"

/*
 * Free u, the entry of the name (or NULL), and add a whiteout if one is needed: to hide what the
 * base has there or, if it has nothing, to remember the origin `from` (or ENTRY_NONE) for a file
 * that takes the name later. A permanent directory becomes a whiteout itself and keeps its
 * children, because the next map has it again.
 */
static int vacate_name(
	struct overlay *o, struct oentry *dir, const char *name, struct oentry *u, entry_id from)
{
	struct file_attr en = {.id = from};
	struct oentry *whiteout = NULL;
	bool hides = oentry_lookup_base(o, dir, name, &en) == 0;
	int r = 0;

	if (u && u->is_dir && overlay_is_permanent(o, dir, name)) {
		u->is_whiteout = true;
		return 0;
	}
	if (hides || from != ENTRY_NONE) {
		whiteout = oentry_new(o, en.is_dir, en.id);
		if (!whiteout)
			return -ENOMEM;
		whiteout->is_whiteout = true;
		whiteout->is_moved = !hides;
	}
	if (u)
		oentry_free(o, u);
	if (whiteout)
		r = oentry_place(o, whiteout, dir, name);
	if (r < 0)
		oentry_free(o, whiteout);
	return r;
}

/* Free the whiteout of a name that is about to be taken. */
static void clear_whiteout(struct overlay *o, const struct dentry *p)
{
	struct oentry *u = oentry_find(o, p->parent, p->name);

	if (u && u->is_whiteout)
		oentry_free(o, u);
}

static entry_id dentry_origin(const struct dentry *s)
{
	return s->oentry ? s->oentry->origin : s->id;
}

/* Give a file without an origin the object of `from`, in the form of its own name. */
static void inherit_origin(struct oentry *u, entry_id from, const struct name_class *m)
{
	if (u->origin == ENTRY_NONE && from != ENTRY_NONE)
		u->origin = u->id = entry_object(from) | m->form;
}

bool overlay_other_form(
	const struct overlay *o, struct oentry *dir, const struct name_class *m, struct dentry *ret)
{
	struct dentry in = oentry_dentry(dir);

	return m->alternate[0] && overlay_lookup(o, &in, m->alternate, ret) == 0 && !ret->is_dir &&
	       !(ret->oentry && oentry_is_refused(ret->oentry));
}

/* Remove the file of the object's other form, and let u inherit its origin. A refused file stays,
 * but loses its accepted content. */
static int replace_other_form(
	struct overlay *o, struct oentry *u, struct oentry *dir, const struct name_class *m)
{
	struct oentry *refused = m->alternate[0] ? oentry_find(o, dir, m->alternate) : NULL;
	struct dentry other;

	if (refused)
		oentry_drop_accepted(refused);
	if (!overlay_other_form(o, dir, m, &other))
		return 0;
	inherit_origin(u, dentry_origin(&other), m);
	if (o->on_form_change)
		o->on_form_change(o->arg, dir, other.oentry, m->alternate);
	return vacate_name(o, dir, m->alternate, other.oentry, ENTRY_NONE);
}

int overlay_accept(struct overlay *o, struct oentry *u)
{
	struct dentry p = oentry_dentry(u);
	struct name_class m;
	int r;

	/* In raw/ the name of a new entry is the next free number, which is higher by now. */
	if (oentry_is_raw(u))
		return 0;
	r = overlay_classify(o, &p, false, u->origin, &m);
	return r < 0 ? r : replace_other_form(o, u, u->parent, &m);
}

/* Place a new entry, or free it if r < 0. */
static int place_new(
	struct overlay *o, const struct dentry *p, struct oentry *u, int r, struct oentry **ret)
{
	if (r == 0) {
		clear_whiteout(o, p);
		r = oentry_place(o, u, p->parent, p->name);
	}
	if (r < 0)
		oentry_free(o, u);
	else
		*ret = u;
	return r;
}

static int make_file(struct overlay *o, const struct dentry *p, struct oentry **ret)
{
	const struct oentry *gone = oentry_find(o, p->parent, p->name);
	struct oentry *u;
	struct name_class m;
	int r = overlay_classify(o, p, false, ENTRY_NONE, &m);

	if (r < 0)
		return r;
	u = oentry_new(o, false, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	u->is_scratch = !name_has_meaning(&m);
	u->is_moved = true;
	if (gone && !gone->is_dir && !u->is_scratch)
		inherit_origin(u, gone->origin, &m);
	/* The meaning of later names may depend on this part. */
	if (m.kind == NAME_PART && !m.is_known)
		r = o->base->format->tree->add(
			&o->shape, p->parent->id, p->name, false, &u->id, NULL);
	u->is_new = u->id != ENTRY_NONE && u->origin == ENTRY_NONE;
	return place_new(o, p, u, r, ret);
}

static int make_dir(struct overlay *o, const struct dentry *p, struct oentry **ret)
{
	struct oentry *u = oentry_find(o, p->parent, p->name);
	struct name_class m;
	int r = overlay_classify(o, p, true, ENTRY_NONE, &m);

	if (r < 0)
		return r;
	/* Creating a permanent directory again removes its whiteout. */
	if (u && u->is_dir && overlay_is_permanent(o, p->parent, p->name)) {
		u->is_whiteout = false;
		*ret = u;
		return 0;
	}
	u = oentry_new(o, true, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	if (name_has_meaning(&m))
		r = o->base->format->tree->add(
			&o->shape, p->parent->id, p->name, true, &u->id, NULL);
	return place_new(o, p, u, r, ret);
}

int overlay_make(struct overlay *o, const struct dentry *p, bool dir, struct oentry **ret)
{
	int r = overlay_can_make(o, p, dir);

	if (r < 0)
		return r;
	return dir ? make_dir(o, p, ret) : make_file(o, p, ret);
}

int overlay_unlink(struct overlay *o, const struct dentry *p)
{
	const struct oentry *u = p->oentry;

	return vacate_name(o, p->parent, p->name, p->oentry,
		p->is_dir || (u && u->is_scratch) ? ENTRY_NONE : dentry_origin(p));
}

/* In formats that store times, make a renamed file keep the time of its origin. */
static void keep_mtime(const struct overlay *o, struct oentry *u, const struct name_class *m)
{
	const struct format *f = o->base->format;
	struct file_attr en;

	if (!f->kept_time || u->has_mtime || u->has_content || u->origin == ENTRY_NONE ||
		(m->is_known && m->id == u->origin) || f->stat(o->base, u->origin, &en, NULL) < 0 ||
		!en.has_mtime)
		return;
	u->has_mtime = true;
	u->mtime = en.mtime;
}

static bool is_at_home(const struct overlay *o, const struct oentry *u)
{
	struct file_attr en;

	return u->origin != ENTRY_NONE && oentry_lookup_base(o, u->parent, u->name, &en) == 0 &&
	       en.id == u->origin;
}

/* Let u inherit the origin of the file that it replaces, or that was at this path before. */
static int take_over_name(
	struct overlay *o, struct oentry *u, const struct dentry *to, const struct name_class *m)
{
	const struct oentry *gone = oentry_find(o, to->parent, to->name);

	if (!name_has_meaning(m))
		return 0;
	if (to->exists)
		inherit_origin(u, dentry_origin(to), m);
	else if (gone && !gone->is_dir)
		inherit_origin(u, gone->origin, m);
	return oentry_is_refused(u) ? 0 : replace_other_form(o, u, to->parent, m);
}

int overlay_move(struct overlay *o, const struct dentry *from, const struct dentry *to)
{
	struct oentry *u = oentry_raise(o, from->parent, from->name, from);
	struct name_class m = {.kind = NAME_SCRATCH};
	entry_id left = ENTRY_NONE;
	int r = u ? 0 : -ENOMEM;

	if (r == 0 && !u->is_dir)
		r = overlay_classify(o, to, false, u->origin, &m);
	/* A backup: a new file at the old path is the same object. */
	if (r == 0 && !u->is_dir && !u->is_scratch && !name_has_meaning(&m))
		left = u->origin;
	if (r == 0 && !u->is_dir)
		r = take_over_name(o, u, to, &m);
	if (r < 0)
		return r;
	if (to->exists && to->oentry)
		oentry_free(o, to->oentry);
	clear_whiteout(o, to);
	r = oentry_place(o, u, to->parent, to->name);
	if (r < 0)
		return r;
	if (!u->is_dir) {
		u->is_scratch = !name_has_meaning(&m);
		keep_mtime(o, u, &m);
		if (u->origin == ENTRY_NONE)
			u->id = ENTRY_NONE;
	}
	u->is_moved = !is_at_home(o, u);
	/* Back at its path in the base, it shows the base again. */
	if (!u->is_moved)
		snapshot_unref(TAKE(u->frozen_map));
	return vacate_name(o, from->parent, from->name, NULL, left);
}

int overlay_identify(
	struct overlay *o, struct oentry *u, entry_id *ret, entry_id *ret_parsed, struct error *e)
{
	struct dentry p = oentry_dentry(u);
	struct name_class m;
	bool made = false;
	int r = 0;

	if (!u->is_moved || u->is_dir || (u->origin == ENTRY_NONE && u->id != ENTRY_NONE)) {
		*ret = u->id;
		*ret_parsed = u->is_new ? ENTRY_NONE : u->id;
		return 0;
	}
	if (p.parent->id == ENTRY_NONE)
		return -ENOENT;
	r = overlay_classify(o, &p, false, u->origin, &m);
	if (r < 0 || !name_has_meaning(&m))
		return r < 0 ? error_set(e, r, "%s", strerror(-r)) : -ENOENT;
	if (m.is_known)
		*ret = m.id;
	else if (u->origin != ENTRY_NONE && m.accepts_object)
		*ret = u->origin;
	else
		r = o->base->format->tree->add(&o->shape, p.parent->id, p.name, false, ret, e);
	made = !m.is_known && !(u->origin != ENTRY_NONE && m.accepts_object);
	*ret_parsed = made ? ENTRY_NONE : *ret;
	if (r == 0 && u->origin == ENTRY_NONE) {
		u->id = *ret;
		u->is_new = made;
	}
	return r;
}
