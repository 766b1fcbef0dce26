/* SPDX-License-Identifier: Zlib */
#include "vfs/vfs.h"

#include <errno.h>
#include <string.h>

#include "vfs/ops/file.h"
#include "vfs/replay.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/report.h"
#include "vfs/volume/sync.h"

static void pass_note(void *arg, const char *line)
{
	struct vfs_host *host = arg;

	host->note(host, line);
}

/* Invalidate the name of a file that changes form, because no request removes it. */
static void forget_other_form(void *arg, struct oentry *dir, struct oentry *u, const char *name)
{
	struct vfs *v = arg;

	if (u && u->inode)
		u->inode->is_name_stale = true;
	if (!dir->inode)
		return;
	v->host->forget_name(v->host, dir->inode->ino, name, TAKE(v->form_change_job));
	names_invalidate(v, dir->inode);
}

int vfs_create(struct volume *volume, struct pool *pool, struct vfs_host *host, struct vfs **ret,
	struct error *e)
{
	struct vfs *v = calloc(1, sizeof(*v));
	int r;

	if (!v)
		return error_set(e, -ENOMEM, "out of memory");
	volume->owner = pthread_self();
	v->vol = volume;
	v->pool = pool;
	v->host = host;
	volume->pool = pool;
	r = overlay_create(volume->base, &v->overlay);
	if (r == 0) {
		v->overlay->on_form_change = forget_other_form;
		v->overlay->arg = v;
	}
	if (r < 0 || !inode_root(v))
		r = error_set(e, -ENOMEM, "out of memory");
	else
		r = vfs_replay(v, e);
	if (r < 0) {
		v->vol = NULL;
		vfs_destroy(v);
		return r;
	}
	*ret = v;
	return 0;
}

int vfs_lock(struct vfs *v, struct error *e)
{
	return volume_lock(v->vol, pass_note, v->host, e);
}

bool vfs_unchanged(const struct vfs *v)
{
	struct volume *vol = v->vol;

	if (vol->conflict || vol->map_check || vol->change_queue || vol->sync.under_way ||
		vol->journal.fresh || vol->rescued.fd >= 0 || journal_exists(&vol->journal))
		return false;
	for (const struct oentry *u = NULL; (u = overlay_next(v->overlay, u));)
		if (oentry_differs(u))
			return false;
	for (const struct inode *n = inode_next(v, NULL); n; n = inode_next(v, n))
		if (n->write_buffer || n->is_busy || n->waiting.first)
			return false;
	return true;
}

/* After a save the map's time replaces the mtime of a write, which equals the ctime. An mtime that
 * a program set differs from its ctime, and must be kept. */
static bool inode_is_idle(const struct inode *n)
{
	const struct stat *a = &n->attr;
	bool written =
		a->st_mtim.tv_sec == a->st_ctim.tv_sec && a->st_mtim.tv_nsec == a->st_ctim.tv_nsec;

	return !n->references && !n->pending_invalidations &&
	       (!n->attr_mask || (n->attr_mask == ATTR_MTIME && written));
}

bool vfs_idle(const struct vfs *v)
{
	if (!vfs_unchanged(v) || v->vol->journal.names || v->size_ahead.jobs)
		return false;
	for (const struct inode *n = inode_next(v, NULL); n; n = inode_next(v, n))
		if (!inode_is_idle(n))
			return false;
	return true;
}

void vfs_destroy(struct vfs *v)
{
	if (!v)
		return;
	inodes_finish(v);
	refusals_finish(&v->refusals);
	overlay_destroy(v->overlay);
	volume_destroy(v->vol);
	free(v);
}

int vfs_timeout(struct vfs *v)
{
	return sync_timeout(v->vol);
}

void vfs_tick(struct vfs *v)
{
	if (sync_timeout(v->vol) == 0)
		journal_sync_then(v, NULL);
}

void vfs_statfs(struct vfs *v, struct call *c)
{
	int r = fstatvfs(v->vol->dirfd, &c->statvfs) < 0 ? -errno : 0;

	c->statvfs.f_namemax = NAME_MAX;
	call_done(c, r);
}

struct saved_for {
	struct vfs_host *host;
	struct call *call;
};

/* Answer an fsync with the errno of the report, and pass its lines as notes. */
static void saved_for_call(void *arg, struct report *report)
{
	struct saved_for s = *(struct saved_for *)arg;
	int r = report_errno(report);

	free(arg);
	for (size_t i = 0; i < report->n; i++)
		s.host->note(s.host, report->lines[i]);
	report_finish(report);
	call_done(s.call, r);
}

void *vfs_saved_for(struct vfs_host *host, struct call *c, vfs_saved *ret)
{
	struct saved_for *s = malloc(sizeof(*s));

	if (!s) {
		call_done(c, -ENOMEM);
		return NULL;
	}
	call_keep(c);
	*s = (struct saved_for){host, c};
	*ret = saved_for_call;
	return s;
}

void vfs_fsyncdir(struct vfs *v, struct call *c)
{
	struct inode *n = inode_find(v, c->ino);
	vfs_saved done;
	void *arg;

	if (!n) {
		call_done(c, -ESTALE);
	} else if (!inode_is_root(n) || v->vol->access == VOLUME_READ_ONLY) {
		call_keep(c);
		journal_sync_then(v, c);
	} else {
		arg = vfs_saved_for(v->host, c, &done);
		if (arg)
			vfs_save(v, done, arg);
	}
}

void vfs_writers(struct vfs *v, void (*fn)(void *arg, uint64_t ino), void *arg)
{
	for (const struct inode *n = NULL; (n = inode_next(v, n));) {
		if (n->writers && n->oentry->parent)
			fn(arg, n->ino);
	}
}
