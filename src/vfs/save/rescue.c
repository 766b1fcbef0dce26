/* SPDX-License-Identifier: Zlib */
#include "vfs/save/rescue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/lost.h"
#include "vfs/volume/outcome.h"
#include "vfs/volume/report.h"

/* Bytes between two reports of progress. */
enum { PROGRESS_STEP = 64 << 20 };

/* A file of the overlay that is copied out. */
struct rescued {
	const struct vfs *v;
	const struct oentry *oentry;
	uint64_t size;
};

static int find_size(const struct rescued *f, uint64_t *ret, struct error *e)
{
	const struct oentry *u = f->oentry;
	const struct dentry s = oentry_dentry((struct oentry *)(uintptr_t)u);
	struct file_attr en;
	int r;

	if (u->inode && u->inode->write_buffer) {
		*ret = spool_size(u->inode->write_buffer->spool);
		return 0;
	}
	r = overlay_stat(f->v->overlay, &s, &en, e);
	*ret = en.size;
	if (r == 0 && !en.has_size)
		r = snapshot_size(overlay_shown(f->v->overlay, u),
			u->frozen_map ? u->frozen_id : u->origin, ret, e);
	return r;
}

static ssize_t read_rescued(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct rescued *f = arg;
	const struct oentry *u = f->oentry;
	const struct dentry s = oentry_dentry((struct oentry *)(uintptr_t)u);
	int r;

	if (n > f->size - off)
		n = (size_t)(f->size - off);
	if (!n)
		return 0;
	if (off % PROGRESS_STEP == 0)
		f->v->host->progress(f->v->host, "rescuing files", off, f->size);
	r = u->inode && u->inode->write_buffer
		    ? spool_read(u->inode->write_buffer->spool, off, dst, n, e)
		    : overlay_read(f->v->overlay, &s, off, dst, n, e);
	return r < 0 ? r : (ssize_t)n;
}

static bool is_wanted(const struct vfs *v, const struct oentry *u, bool open_too)
{
	return lost_at_end(v->overlay, u) && (open_too || !u->inode || !u->inode->writers);
}

static void report_failed_copy(struct report *report, const char *what, const struct error *e)
{
	report_add(report, REPORT_REFUSED, "cannot rescue %s: %s", what, error_text(e));
	report_raise_code(report, OUTCOME_PARTIAL);
	report->unrescued = true;
}

/* Copy one file out. Returns true on success. */
static bool copy_one(struct vfs *v, const struct oentry *u, bool replaces, struct report *report)
{
	CLEANUP(free) char *path = oentry_path(u);
	struct rescued f = {v, u, 0};
	const struct rescue_content from = {read_rescued, &f};
	struct error e = ERROR_INIT;
	int r = path ? find_size(&f, &f.size, &e) : error_set(&e, -ENOMEM, "out of memory");

	if (r == 0)
		r = rescue_dir_write(&v->vol->rescued, path, &from, replaces, &e);
	if (r < 0)
		report_failed_copy(report, path ? path : "a file", &e);
	return r == 0;
}

/* Copy all wanted files out. First remove copies of files that were unlinked or saved since. */
static bool copy_all(struct rescue *r)
{
	struct vfs *v = r->v;
	struct rescue_dir *d = &v->vol->rescued;
	bool replaces = d->fd >= 0, good = true;
	const struct oentry *u = NULL;
	struct dentry s;

	d->dirfd = v->vol->dirfd;
	d->map = v->vol->name;
	d->like = &v->vol->map_stat;
	for (size_t i = 0; i < d->n; i++)
		if (overlay_find(v->overlay, d->paths[i], &s) < 0 || !s.oentry ||
			!is_wanted(v, s.oentry, r->ends))
			rescue_dir_remove(d, d->paths[i]);
	rescue_dir_forget(d);
	while ((u = overlay_next(v->overlay, u)))
		if (is_wanted(v, u, r->ends) && !copy_one(v, u, replaces, r->report))
			good = false;
	return good;
}

static void report_dropped(struct vfs *v, struct report *report)
{
	if (v->vol->dropped_path)
		report_add(report, REPORT_NOTE,
			"changes of %s were dropped: it is generated from the rest of the map",
			v->vol->dropped_path);
}

static void report_by_products(struct vfs *v, struct report *report)
{
	CLEANUP(free) char *path = NULL;
	size_t count = 0;

	for (const struct oentry *u = NULL; (u = overlay_next(v->overlay, u));)
		if (is_by_product(v->overlay, u) && !count++)
			path = oentry_path(u);
	if (count)
		report_add(report, REPORT_NOTE,
			"%zu %s ignored: made from other files of the map (%s)", count,
			count == 1 ? "file" : "files", path ? path : "");
}

static void report_copies(struct vfs *v, struct report *report)
{
	const struct rescue_dir *d = &v->vol->rescued;
	char buffer[LOST_REASON_MAX];
	struct dentry s;

	for (size_t i = 0; i < d->n; i++) {
		if (overlay_find(v->overlay, d->paths[i], &s) < 0)
			continue;
		report_add(report, REPORT_RESCUED, "%s/%s: %s", d->name, d->paths[i],
			lost_reason(v->overlay, s.oentry, buffer, sizeof(buffer)));
		report_raise_code(report, OUTCOME_PARTIAL);
	}
}

static bool rescue_start(struct change_task *t)
{
	struct rescue *r = (struct rescue *)t;

	if (r->ends) {
		report_dropped(r->v, r->report);
		report_by_products(r->v, r->report);
	}
	r->failed = !copy_all(r);
	return r->v->vol->rescued.fd >= 0 && (r->ends || !r->failed);
}

static void rescue_run(struct job *j)
{
	struct rescue *r = (struct rescue *)j;

	(void)rescue_dir_sync(&r->v->vol->rescued, &r->error);
}

static void rescue_done(struct job *j)
{
	struct rescue *r = (struct rescue *)j;

	if (r->ends)
		report_copies(r->v, r->report);
	if (r->error.code)
		report_failed_copy(r->report, "files", &r->error);
	if (!r->ends && (r->failed || r->error.code))
		rescue_dir_drop(&r->v->vol->rescued);
	change_queue_leave(r->v->vol);
	if (r->done)
		r->done(r);
}

void rescue_begin(struct rescue *r)
{
	r->task =
		(struct change_task){.job = {rescue_run, rescue_done, NULL}, .start = rescue_start};
	change_queue_enter(r->v->vol, &r->task);
}
