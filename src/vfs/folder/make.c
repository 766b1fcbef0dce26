/* SPDX-License-Identifier: Zlib */
/* Create and remove maps with mkdir and rmdir. The folder refuses all other changes. */
#include <errno.h>
#include <string.h>

#include "vfs/folder/disk.h"
#include "vfs/folder/level.h"
#include "vfs/folder/open.h"

static void note(void *arg, const char *line)
{
	struct folder *f = arg;

	f->host->note(f->host, line);
}

/* Create an empty file and load it as a new map. The caller makes the first save. */
static int make_volume(struct folder *f, const struct shared_dir *dir, const char *name,
	struct volume **ret, struct error *e)
{
	CLEANUP(volume_destroy) struct volume *vol = NULL;
	struct vfs_options options = *f->options;
	int r;

	options.sidecars = dir->sidecars;
	r = volume_create(dir->fd, name, NULL, &options, &vol, e);
	if (r < 0)
		return r;
	r = volume_load(vol, note, f, e);
	if (r < 0)
		volume_discard(vol);
	else
		*ret = TAKE(vol);
	return r;
}

static int make_map(struct folder *f, struct level *l, const char *name, struct error *e)
{
	struct shared_dir *dir;
	struct volume *vol = NULL;
	struct opened *o = NULL;
	int r = shared_dir_get(f, l, &dir);

	if (r < 0)
		return r;
	r = make_volume(f, dir, name, &vol, e);
	if (r == 0)
		r = open_made(f, l, name, vol, &o, e);
	if (r < 0 && vol) {
		volume_discard(vol);
		volume_destroy(vol);
	}
	shared_dir_unref(dir);
	if (r < 0)
		return r;
	o->calls++;
	r = vfs_create_map(o->v, e);
	o->calls--;
	if (r < 0) {
		volume_discard(o->v->vol);
		map_replace(f, o->map);
		opened_close(f, o);
	}
	return r;
}

void level_mkdir(struct folder *f, struct level *l, struct call *c)
{
	const struct format *format = volume_format_for(NULL, c->name);
	struct error e = ERROR_INIT;
	struct found found;
	int r = disk_find(f, l, c->name, &found);

	if (r == 0)
		r = -EEXIST;
	else if (r == -ENOENT && f->options->read_only)
		r = -EROFS;
	else if (r == -ENOENT && (!disk_shown(c->name) || !format || !format->can_create))
		r = -EPERM;
	else if (r == -ENOENT)
		r = make_map(f, l, c->name, &e);
	if (r < 0 && e.code)
		f->host->note(f->host, error_text(&e));
	if (r < 0)
		call_done(c, r);
	else
		level_lookup(f, l, c);
}

/* May a new map be removed? Returns 0 if it is unused and unchanged, or empty again after rm -r. */
static int is_untouched(struct opened *o)
{
	struct vfs *v = o->v;
	struct dentry root = overlay_root(v->overlay);
	bool empty = overlay_is_empty(v->overlay, &root);
	bool used = o->calls || v->vol->change_queue;

	for (const struct oentry *u = NULL; !empty && (u = overlay_next(v->overlay, u));)
		if (oentry_differs(u))
			return -ENOTEMPTY;
	for (const struct inode *n = inode_next(v, NULL); n; n = inode_next(v, n)) {
		if (!empty && n->write_buffer)
			return -ENOTEMPTY;
		used |= n->references || n->is_busy || n->pending_invalidations;
	}
	return used ? -EBUSY : 0;
}

void level_rmdir(struct folder *f, struct level *l, struct call *c)
{
	struct map *m = map_find(f, l, c->name);
	struct opened *o = m ? m->opened : NULL;
	struct report report = REPORT_INIT;
	struct found found;
	int r;

	if (o && o->state == OPENED && o->made && o->v->vol->journal.fresh) {
		r = is_untouched(o);
	} else {
		r = disk_find(f, l, c->name, &found);
		r = r == 0 ? -EPERM : r;
	}
	if (r == 0) {
		o->calls++; /* keep it open: vfs_end completes jobs of other maps, too */
		o->v->discards = true;
		vfs_end(o->v, &report);
		report_finish(&report);
		volume_discard(o->v->vol);
		map_replace(f, m);
		opened_close(f, o);
	}
	call_done(c, r);
}
