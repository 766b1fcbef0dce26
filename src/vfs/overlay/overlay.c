/* SPDX-License-Identifier: Zlib */
#include "vfs/overlay/overlay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"

int overlay_create(const struct snapshot *base, struct overlay **ret)
{
	struct overlay *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->root = oentry_new(o, true, ENTRY_ROOT);
	if (!o->root) {
		free(o);
		return -ENOMEM;
	}
	o->base = snapshot_ref(base);
	o->shape = snapshot_ref(base);
	o->view = snapshot_ref(base);
	*ret = o;
	return 0;
}

void overlay_destroy(struct overlay *o)
{
	if (!o)
		return;
	oentry_free(o, o->root);
	hash_finish(&o->names);
	snapshot_unref(o->shape);
	snapshot_unref(o->view);
	snapshot_unref(o->unsaved);
	snapshot_unref(o->base);
	free(o);
}

struct dentry overlay_root(const struct overlay *o)
{
	return oentry_dentry(o->root);
}

/* An entry of the base. `parent` may belong to *ret. */
static void set_dentry(
	struct dentry *ret, struct oentry *parent, const char *name, const struct file_attr *en)
{
	*ret = (struct dentry){
		.parent = parent,
		.exists = true,
		.is_dir = en->is_dir,
		.id = en->id,
		.listed_name = en->listed_name,
	};
	strcpy(ret->name, name);
}

int overlay_lookup(
	const struct overlay *o, const struct dentry *dir, const char *name, struct dentry *ret)
{
	int r = name_check(name, strlen(name));
	struct oentry *u = r == 0 && dir->oentry ? oentry_find(o, dir->oentry, name) : NULL;
	struct file_attr en;

	if (r < 0)
		return r;
	if (!dir->is_dir)
		return -ENOTDIR;
	if (u) {
		*ret = oentry_dentry(u);
		return u->is_whiteout ? -ENOENT : 0;
	}
	if (dir->oentry ? dir->oentry->origin == ENTRY_NONE : dir->id == ENTRY_NONE)
		return -ENOENT;
	r = o->base->format->lookup(
		overlay_names(o), dir->oentry ? dir->oentry->origin : dir->id, name, &en, NULL);
	if (r == 0)
		set_dentry(ret, dir->oentry, name, &en);
	return r;
}

int overlay_find(const struct overlay *o, const char *path, struct dentry *ret)
{
	struct dentry s = overlay_root(o);
	char name[NAME_MAX + 1];
	int r = 0, more;

	while (r == 0 && (more = path_next(&path, name)) != 0)
		r = more < 0 ? more : overlay_lookup(o, &s, name, &s);
	if (r == 0)
		*ret = s;
	return r;
}

int overlay_list(const struct overlay *o, const struct dentry *dir,
	int (*fn)(void *arg, const char *name, const struct dentry *s), void *arg)
{
	entry_id from = dir->oentry ? dir->oentry->origin : dir->id;
	const struct format *f = o->base->format;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;
	struct oentry *u;
	struct dentry d;
	int r = 0, more = 0;

	while (r == 0 && from != ENTRY_NONE &&
		(more = f->list(overlay_names(o), from, &cookie, name, &en, NULL)) > 0)
		if (!dir->oentry || !oentry_find(o, dir->oentry, name)) {
			en.listed_name = NULL;
			set_dentry(&d, dir->oentry, name, &en);
			r = fn(arg, name, &d);
		}
	if (r == 0 && more < 0)
		r = more;
	u = dir->oentry ? TAILQ_FIRST(&dir->oentry->children) : NULL;
	for (; r == 0 && u; u = TAILQ_NEXT(u, siblings)) {
		d = oentry_dentry(u);
		if (!u->is_whiteout)
			r = fn(arg, u->name, &d);
	}
	return r;
}

/* Get the entry that the file shows, and its snapshot. Returns false if the file has content of its
 * own, or shows nothing. */
static bool find_shown(const struct overlay *o, const struct dentry *s, const struct snapshot **ret,
	entry_id *ret_id)
{
	const struct oentry *u = s->oentry;

	*ret = overlay_shown(o, u);
	*ret_id = !u ? s->id : u->frozen_map ? u->frozen_id : u->origin;
	return *ret_id != ENTRY_NONE && !(u && u->has_content);
}

int overlay_stat(
	const struct overlay *o, const struct dentry *s, struct file_attr *ret, struct error *e)
{
	const struct oentry *u = s->oentry;
	const struct snapshot *source;
	entry_id id;
	int r = 0;

	*ret = (struct file_attr){
		.id = s->id, .is_dir = s->is_dir, .is_writable = true, .has_size = true};
	if (find_shown(o, s, &source, &id))
		r = source->format->stat(source, id, ret, e);
	if (r < 0)
		return r;
	if (u && u->has_content)
		ret->size = u->bytes.size;
	if (u && u->has_mtime) {
		ret->has_mtime = true;
		ret->mtime = u->mtime;
	}
	return 0;
}

int overlay_read(const struct overlay *o, const struct dentry *s, uint64_t off, void *dst, size_t n,
	struct error *e)
{
	const struct snapshot *source;
	entry_id id;

	if (find_shown(o, s, &source, &id))
		return source->format->get(source, id, off, dst, n, e);
	return s->oentry ? extent_read(&s->oentry->bytes, off, dst, n, e) : -ENOENT;
}
