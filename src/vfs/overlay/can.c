/* SPDX-License-Identifier: Zlib */
/* The meaning of names, and the checks before changes. */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "vfs/overlay/overlay.h"

int overlay_dentry(
	const struct overlay *o, struct oentry *dir, const char *name, struct dentry *ret)
{
	struct dentry in = oentry_dentry(dir), p = {0};
	int r;

	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	r = overlay_lookup(o, &in, name, &p);
	p.exists = r == 0;
	p.parent = dir;
	strcpy(p.name, name);
	*ret = p;
	return r == -ENOENT ? 0 : r;
}

int overlay_classify(const struct overlay *o, const struct dentry *p, bool dir, entry_id object,
	struct name_class *ret)
{
	const struct format *f = o->base->format;

	*ret = (struct name_class){.kind = NAME_SCRATCH};
	if (p->parent->id == ENTRY_NONE || !f->tree)
		return 0;
	return f->tree->classify(o->shape, p->parent->id, p->name, dir,
		object == ENTRY_NONE ? ENTRY_ROOT : object, ret, NULL);
}

/* Refuse names that would clutter a map or mislead a tool. Tools cope with EPERM. Formats without
 * `edit` write no map, so they allow the names. */
static int check_name(const struct format *f, const char *name)
{
	bool refused = strncmp(name, ".Trash", 6) == 0 || strcmp(name, ".git") == 0 ||
		       strncmp(name, ".fuse_hidden", 12) == 0;

	return refused && f->edit ? -EPERM : name_check(name, strlen(name));
}

/* Refuse what the next map would show in another kind: a file in place of a removed permanent
 * directory, and a directory in place of a file of the base, unless it is an object. */
static int check_place(const struct overlay *o, const struct dentry *p, bool dir)
{
	struct name_class m;
	struct file_attr en;
	int r = check_name(o->base->format, p->name);

	if (r < 0 || p->exists)
		return r;
	if (!dir)
		return overlay_is_permanent(o, p->parent, p->name) ? -EPERM : 0;
	if (oentry_lookup_base(o, p->parent, p->name, &en) < 0 || en.is_dir)
		return 0;
	r = overlay_classify(o, p, dir, ENTRY_NONE, &m);
	return r < 0 ? r : en.is_generated || !name_has_meaning(&m) ? -EPERM : 0;
}

int overlay_can_make(const struct overlay *o, const struct dentry *p, bool dir)
{
	struct name_class m;
	int r = check_place(o, p, dir);

	return r < 0 ? r : overlay_classify(o, p, dir, ENTRY_NONE, &m);
}

static int stop_listing(void *, const char *, const struct dentry *)
{
	return 1;
}

bool overlay_is_empty(const struct overlay *o, const struct dentry *dir)
{
	return overlay_list(o, dir, stop_listing, NULL) == 0;
}

/* Get the attributes of an entry that is about to be removed or renamed. */
static int stat_for_change(const struct overlay *o, const struct dentry *s, struct file_attr *ret)
{
	int r = overlay_stat(o, s, ret, NULL);

	if (!o->base->format->tree)
		return -EPERM;
	/* overlay_stat leaves out what only the format knows. */
	if (s->oentry && (s->oentry->origin == ENTRY_NONE || s->oentry->has_content) &&
		s->id != ENTRY_NONE)
		(void)o->base->format->stat(o->shape, s->id, ret, NULL);
	/* -EIO: the object does not have this form yet. */
	return r == -EIO && s->oentry ? 0 : r;
}

int overlay_can_remove(const struct overlay *o, const struct dentry *p, bool dir)
{
	struct file_attr en;
	int r;

	if (!p->name[0])
		return -EPERM;
	if (!p->exists)
		return -ENOENT;
	if (p->is_dir != dir)
		return dir ? -ENOTDIR : -EISDIR;
	r = stat_for_change(o, p, &en);
	if (r == 0 && en.is_permanent && !dir && !en.is_generated)
		r = -EPERM;
	if (r < 0)
		return r;
	return dir && !overlay_is_empty(o, p) ? -ENOTEMPTY : 0;
}

static bool is_within(const struct oentry *dir, const struct oentry *u)
{
	while (dir && dir != u)
		dir = dir->parent;
	return dir;
}

static int may_replace_target(const struct overlay *o, const struct dentry *to, bool dir)
{
	struct file_attr en;

	if (!to->exists)
		return 0;
	if (!dir && overlay_stat(o, to, &en, NULL) == 0 && !en.is_writable)
		return -EACCES;
	if (to->is_dir != dir)
		return to->is_dir ? -EISDIR : -ENOTDIR;
	return dir && !overlay_is_empty(o, to) ? -ENOTEMPTY : 0;
}

/* Check whether s can be renamed to the name of `to`. */
static int may_take_name(const struct overlay *o, const struct dentry *s, const struct dentry *to)
{
	struct name_class m;
	int r = check_place(o, to, s->is_dir);

	if (r == 0)
		r = overlay_classify(o, to, s->is_dir, s->is_dir ? s->id : ENTRY_NONE, &m);
	/* For rename(2), EINVAL means that a directory would be moved into itself. */
	if (r < 0 || !s->is_dir)
		return r == -EINVAL ? -EPERM : r;
	if (s->id == ENTRY_NONE)
		return name_has_meaning(&m) ? -EXDEV : 0;
	if ((m.is_known && m.id == s->id) || (m.accepts_object && name_has_meaning(&m)))
		return 0;
	/* Another object is copied by mv (EXDEV); without a meaning its files would be lost. */
	return name_has_meaning(&m) ? -EXDEV : -EPERM;
}

int overlay_can_rename(const struct overlay *o, const struct dentry *from, const struct dentry *to)
{
	struct file_attr en;
	int r;

	if (!from->name[0] || !to->name[0])
		return -EPERM;
	if (!from->exists)
		return -ENOENT;
	if (from->oentry && is_within(to->parent, from->oentry))
		return -EINVAL;
	r = stat_for_change(o, from, &en);
	if (r == 0 && en.is_permanent)
		r = -EPERM;
	if (r == 0)
		r = may_replace_target(o, to, from->is_dir);
	return r < 0 ? r : may_take_name(o, from, to);
}
