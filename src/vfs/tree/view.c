/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/view.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "vfs/overlay/overlay_build.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/change_queue.h"

struct refresh {
	struct change_task task; /* first */
	struct vfs *v;
	struct overlay_build build;
	bool is_beside_save; /* runs during a save, which holds the queue */
	int r;
};

static void refresh_run(struct job *j)
{
	struct refresh *f = (struct refresh *)j;

	f->r = overlay_build_view(&f->build);
}

static void forget_vanished(struct vfs *v)
{
	for (struct inode *n = NULL; (n = inode_next(v, n));)
		if (!n->is_name_stale && oentry_is_gone(v->overlay, n->oentry))
			inode_forget_name(v, n);
}

/* Replace the view by the built map. After a failed build the old view stays. */
static void adopt_view(struct vfs *v, struct overlay_build *st)
{
	overlay_build_keep_parsed(st);
	snapshot_unref(v->overlay->view);
	v->overlay->view = snapshot_ref(st->result.map);
	/* The view has reused all composed blobs of the failed save that are still valid. */
	snapshot_unref(TAKE(v->overlay->unsaved));
	forget_vanished(v);
}

static void refresh_done(struct job *j)
{
	struct refresh *f = (struct refresh *)j;
	struct vfs *v = f->v;
	struct job *delayed = TAKE(v->view.delayed_save);

	if (f->r == 0)
		adopt_view(v, &f->build);
	v->view.is_beside_save = false;
	if (!f->is_beside_save)
		change_queue_leave(v->vol);
	overlay_build_finish(&f->build);
	free(f);
	calls_run(&v->view.waiting, v);
	if (delayed)
		delayed->done(delayed);
}

static bool refresh_start(struct change_task *t)
{
	struct refresh *f = (struct refresh *)t;
	struct vfs *v = f->v;

	v->view.stale = false;
	f->r = overlay_build_begin(v->overlay, &f->build, NULL);
	return f->r == 0;
}

/* Build during a save, while the overlay does not change, or else before all waiting changes. */
static void refresh_enter(struct refresh *f)
{
	struct vfs *v = f->v;

	if (!change_queue_holds_still(v->vol)) {
		change_queue_enter_next(v->vol, &f->task);
		return;
	}
	f->is_beside_save = v->view.is_beside_save = true;
	if (refresh_start(&f->task))
		pool_submit(v->pool, &f->task.job);
	else
		refresh_done(&f->task.job);
}

static void queue_call(struct vfs *v, struct call *c)
{
	bool under_way = v->view.waiting.first;
	struct refresh *f;

	calls_add(&v->view.waiting, c);
	if (under_way)
		return;
	f = calloc(1, sizeof(*f));
	if (!f) {
		v->view.stale = false;
		calls_run(&v->view.waiting, v);
		return;
	}
	f->task = (struct change_task){
		.job = {refresh_run, refresh_done, NULL}, .start = refresh_start};
	f->v = v;
	refresh_enter(f);
}

bool view_wait(struct vfs *v, const struct inode *n, struct call *c)
{
	const struct snapshot *s;
	entry_id id;

	/* Calls are waiting only while a view is being built. */
	if (!v->view.stale && !v->view.waiting.first)
		return false;
	if (n && (n->oentry->is_dir || n->oentry->frozen_map || !inode_shows(n, &s, &id)))
		return false;
	queue_call(v, c);
	return true;
}

bool view_delays_save(struct vfs *v, struct job *j)
{
	if (v->view.is_beside_save)
		v->view.delayed_save = j;
	return v->view.is_beside_save;
}

/* Can any change affect n? True for files without content of their own, and directories of raw/. */
static bool may_show_others(const struct inode *n)
{
	const struct snapshot *s;
	entry_id id;

	return !n->oentry->frozen_map && inode_shows(n, &s, &id) &&
	       (!n->oentry->is_dir || oentry_is_raw(n->oentry));
}

void view_invalidate(struct vfs *v, struct job *then)
{
	struct inode **inodes = NULL;
	size_t n = 0, room = 0;

	for (struct inode *k = NULL; (k = inode_next(v, k));) {
		if (!may_show_others(k))
			continue;
		k->is_cached = false;
		if (oentry_is_gone(v->overlay, k->oentry))
			inode_forget_name(v, k);
		else if (k->oentry->is_dir)
			names_invalidate(v, k);
		else if (array_reserve(inodes, n, room))
			inodes[n++] = k;
	}
	if (v->vol->reopened)
		inodes_invalidate_unknown(v);
	if (n)
		inode_invalidate(v, inodes, n, then);
	else if (then)
		pool_submit_done(v->pool, then);
	free(inodes);
}

bool view_mark_stale(struct vfs *v)
{
	bool was_right = v->overlay->base->format->has_dependent_files && !v->view.stale;

	v->view.stale |= was_right;
	return was_right;
}

void view_mark_and_invalidate(struct vfs *v)
{
	if (view_mark_stale(v))
		view_invalidate(v, NULL);
}
