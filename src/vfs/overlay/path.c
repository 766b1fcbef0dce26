/* SPDX-License-Identifier: Zlib */
/* Changes of an overlay by path. */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "vfs/overlay/overlay.h"

/* Make *p the start of a lookup in the directory that it names. make: create it if missing. */
static int enter_dir(struct overlay *o, struct dentry *p, bool make)
{
	struct oentry *dir;
	int r;

	if (!p->name[0])
		return 0;
	r = overlay_dentry(o, p->parent, p->name, p);
	if (r < 0)
		return r;
	if (!p->exists && !oentry_find(o, p->parent, p->name))
		p->exists = overlay_add_permanent(o, p->parent, p->name, p) == 0;
	if (!p->exists && make) {
		r = overlay_make(o, p, true, &dir);
		if (r == 0)
			*p = (struct dentry){.parent = dir};
		return r;
	}
	if (!p->exists || !p->is_dir)
		return p->exists ? -ENOTDIR : -ENOENT;
	dir = oentry_raise(o, p->parent, p->name, p);
	if (!dir)
		return -ENOMEM;
	*p = (struct dentry){.parent = dir};
	return 0;
}

static int walk_path(struct overlay *o, const char *path, bool make, struct dentry *ret)
{
	char name[NAME_MAX + 1];
	int r;

	*ret = overlay_root(o);
	ret->parent = o->root;
	while ((r = path_next(&path, name)) > 0) {
		r = enter_dir(o, ret, make);
		if (r < 0)
			return r;
		strcpy(ret->name, name);
	}
	return r == 0 && ret->name[0] ? overlay_dentry(o, ret->parent, ret->name, ret) : r;
}

int overlay_dentry_at(struct overlay *o, const char *path, struct dentry *ret)
{
	return walk_path(o, path, false, ret);
}

/* Get the entry of a file, created if missing. *ret is NULL for a generated file. */
static int open_file(struct overlay *o, const struct dentry *p, uint64_t size, struct oentry **ret)
{
	struct file_attr en;
	int r;

	*ret = NULL;
	if (!p->exists)
		return overlay_make(o, p, false, ret);
	if (p->is_dir)
		return -EISDIR;
	r = overlay_stat(o, p, &en, NULL);
	if (r < 0)
		return r;
	if (en.is_generated)
		return 0;
	if (!en.is_writable)
		return -EACCES;
	if (en.max_size && size > en.max_size)
		return -EFBIG;
	*ret = oentry_raise(o, p->parent, p->name, p);
	return *ret ? 0 : -ENOMEM;
}

/* Set the content of a file. *ret is NULL if it is generated and the content was ignored. */
static int write_file(
	struct overlay *o, const char *path, struct extent x, const char *why, struct oentry **ret)
{
	CLEANUP_EXTENT struct extent in = x;
	struct dentry p;
	int r = overlay_dentry_at(o, path, &p);

	*ret = NULL;
	if (r == 0)
		r = p.name[0] ? open_file(o, &p, in.size, ret) : -EISDIR;
	if (r == 0 && *ret)
		r = oentry_write(*ret, extent_ref(&in), why);
	return r < 0 || !*ret || why ? r : overlay_accept(o, *ret);
}

int overlay_put_content(
	struct overlay *o, const char *path, struct extent x, const struct timespec *mtime)
{
	struct oentry *u;
	int r = write_file(o, path, x, NULL, &u);

	if (r < 0 || !u)
		return r;
	u->has_mtime = mtime;
	if (mtime)
		u->mtime = *mtime;
	return 0;
}

int overlay_put_draft(struct overlay *o, const char *path, struct extent x, const char *why)
{
	struct oentry *u;

	return write_file(o, path, x, why, &u);
}

int overlay_revert(struct overlay *o, const char *path)
{
	struct dentry p;
	struct file_attr en;
	struct oentry *u;
	struct name_class m;
	struct dentry other;
	int r = overlay_dentry_at(o, path, &p);

	if (r == 0 && (!p.exists || p.is_dir))
		r = p.exists ? -EISDIR : -ENOENT;
	u = p.oentry;
	if (r < 0 || !u || !u->has_content)
		return r;
	/* The object is shown in its other form now. */
	if (overlay_classify(o, &p, false, u->origin, &m) == 0 &&
		overlay_other_form(o, p.parent, &m, &other))
		return overlay_unlink(o, &p);
	if (u->accepted.mem || u->accepted.file) {
		struct extent last = u->accepted;
		struct parsed *parsed = TAKE(u->accepted_parsed);
		int written;

		u->accepted = (struct extent)EXTENT_INIT;
		free(TAKE(u->refusal));
		written = oentry_write(u, last, NULL);
		oentry_keep_parsed(u, parsed);
		return written;
	}
	if (u->origin != ENTRY_NONE && o->base->format->stat(o->base, u->origin, &en, NULL) == 0) {
		oentry_clear_content(u);
		u->has_mtime = false;
		return 0;
	}
	return overlay_unlink(o, &p);
}

int overlay_mkdir(struct overlay *o, const char *path)
{
	struct oentry *made;
	struct dentry p;
	int r = overlay_dentry_at(o, path, &p);

	if (r < 0)
		return r;
	return !p.name[0] || p.exists ? -EEXIST : overlay_make(o, &p, true, &made);
}

int overlay_mkdirs(struct overlay *o, const char *path)
{
	struct dentry p;
	int r = walk_path(o, path, true, &p);

	return r < 0 ? r : enter_dir(o, &p, true);
}

int overlay_remove(struct overlay *o, const char *path, bool dir)
{
	struct dentry p;
	int r = overlay_dentry_at(o, path, &p);

	if (r == 0)
		r = overlay_can_remove(o, &p, dir);
	return r < 0 ? r : overlay_unlink(o, &p);
}

int overlay_rename(struct overlay *o, const char *from, const char *to)
{
	struct dentry a, b;
	/* Resolve `to` twice: resolving `from` may add entries for directories of its path. */
	int r = overlay_dentry_at(o, to, &b);

	if (r == 0)
		r = overlay_dentry_at(o, from, &a);
	if (r == 0)
		r = overlay_dentry_at(o, to, &b);
	if (r == 0 && a.exists && b.exists && a.parent == b.parent && a.oentry == b.oentry &&
		a.id == b.id)
		return 0;
	if (r == 0)
		r = overlay_can_rename(o, &a, &b);
	return r < 0 ? r : overlay_move(o, &a, &b);
}

int overlay_apply(struct overlay *o, const struct journal_op *op)
{
	struct dentry p;
	int r = 0;

	/* A damaged journal may have lost the operations that created the directories. */
	if (op->content || op->type == JOURNAL_RENAME)
		r = walk_path(o, op->content ? op->path : op->to, true, &p);
	if (r < 0)
		return r;
	switch (op->type) {
	case JOURNAL_PUT:
		return overlay_put_content(o, op->path, extent_ref(op->content), NULL);
	case JOURNAL_DRAFT:
		return overlay_put_draft(o, op->path, extent_ref(op->content), op->reason);
	case JOURNAL_DROP:
		return overlay_revert(o, op->path);
	case JOURNAL_MKDIR:
		return overlay_mkdir(o, op->path);
	case JOURNAL_REMOVE:
		r = overlay_remove(o, op->path, false);
		return r == -EISDIR ? overlay_remove(o, op->path, true) : r;
	case JOURNAL_RENAME:
		return overlay_rename(o, op->path, op->to);
	default:
		return 0;
	}
}
