/* SPDX-License-Identifier: Zlib */
/* Run a save: retry failed closes, build the map, write it, and continue from it. */
#include "vfs/save/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/container.h"
#include "vfs/ops/close.h"
#include "vfs/overlay/overlay_build.h"
#include "vfs/save/rescue.h"
#include "vfs/save/save.h"
#include "vfs/tree/write_buffer.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/change_queue.h"

struct saving {
	struct change_task task; /* first */
	struct vfs *v;
	bool before_unmount;
	size_t pending_retries; /* closes being retried, plus 1 while retry_closes runs */
	vfs_saved done;
	void *arg;
	struct save_job save;
	struct overlay_build build;
	struct rescue rescue;
};

static void free_saving(struct job *j)
{
	struct saving *s = (struct saving *)j;

	save_job_finish(&s->save);
	overlay_build_finish(&s->build);
	free(s);
}

static void deliver_report(struct saving *s)
{
	struct report report = s->save.report;
	vfs_saved done = s->done;
	void *arg = s->arg;

	s->save.report = (struct report)REPORT_INIT;
	s->task.job = (struct job){.run = free_saving};
	pool_submit(s->v->pool, &s->task.job);
	done(arg, &report);
}

static void finish_rescue(struct rescue *r)
{
	deliver_report(container_of(r, struct saving, rescue));
}

static void finish_invalidation(struct job *j)
{
	struct saving *s = (struct saving *)j;

	report_conflict(&s->save.report, s->save.vol);
	s->rescue = (struct rescue){.v = s->v, .report = &s->save.report, .done = finish_rescue};
	if (s->before_unmount && s->save.vol->access == VOLUME_WRITABLE)
		rescue_begin(&s->rescue);
	else
		deliver_report(s);
}

/* Leave the queue, then invalidate inodes: the kernel may wait for a read that needs the queue. */
static void leave_queue(struct saving *s, struct inode *const *nodes, size_t n)
{
	s->task.job.done = finish_invalidation;
	change_queue_leave(s->save.vol);
	if (n)
		inode_invalidate(s->v, nodes, n, &s->task.job);
	else
		finish_invalidation(&s->task.job);
}

/* Report the format's lines that the last save did not report. */
static void report_format_news(struct saving *s)
{
	struct volume *vol = s->v->vol;

	report_add_new(&s->save.report, &s->build.format_report, &vol->last_format_report);
	report_raise_code(&s->save.report, s->build.format_report.code);
	report_finish(&vol->last_format_report);
	vol->last_format_report = s->build.format_report;
	s->build.format_report = (struct report)REPORT_INIT;
}

/* Collects the inodes whose cached content the kernel has to drop after the save. */
struct rebase_args {
	struct vfs *v;
	const struct snapshot *before; /* the base until now */
	const struct overlay_build *build;
	struct inode **inodes;
	size_t n, room;
};

/* Invalidate the names in a directory, unless that was done since it was last listed. */
static void invalidate_names(struct vfs *v, struct inode *dir)
{
	if (dir && !dir->is_listing_stale)
		names_invalidate(v, dir);
}

static void invalidate_removed(struct vfs *v, struct oentry *u)
{
	if (u->inode)
		inode_forget_name(v, u->inode);
	invalidate_names(v, u->parent->inode);
}

/* Does a directory of the new base have other names than before? The format may have added some:
 * mandatory entries in a new directory, or directories of paths that a file lists. */
static bool has_other_names(const struct rebase_args *t, const struct oentry *u, entry_id now)
{
	const struct snapshot *after = t->v->vol->base;
	char a[NAME_MAX + 1], b[NAME_MAX + 1];
	uint64_t at = 0, to = 0;
	struct file_attr en;
	int r, q;

	if (u->origin == ENTRY_NONE || now == ENTRY_NONE)
		return u->origin != now;
	do {
		r = t->before->format->list(t->before, u->origin, &at, a, &en, NULL);
		q = after->format->list(after, now, &to, b, &en, NULL);
	} while (r > 0 && q > 0 && strcmp(a, b) == 0);
	return r > 0 || q > 0;
}

static void move_inode(void *arg, struct oentry *u, struct oentry *heir)
{
	struct rebase_args *t = arg;
	struct inode *n = u->inode;

	if (!heir) {
		invalidate_removed(t->v, u);
		return;
	}
	u->inode = NULL;
	heir->inode = n;
	n->oentry = heir;
	if (u->is_dir && !n->is_listing_stale && has_other_names(t, u, heir->origin))
		invalidate_names(t->v, n);
	if (u->is_dir || (!heir->refusal && (heir->has_content || heir->frozen_map)))
		return;
	if (file_drop_write_buffer(n) || !n->write_buffer)
		n->is_cached = false;
	if (!n->write_buffer && array_reserve(t->inodes, t->n, t->room))
		t->inodes[t->n++] = n;
}

/* Ignore operations that cannot be replayed on the new map: they stay in the journal. */
static int apply_operation(void *arg, const struct journal_op *op)
{
	int r = overlay_apply(arg, op);

	return r == -ENOMEM ? r : 0;
}

static int apply_carried_over(void *arg, struct overlay *next)
{
	const struct rebase_args *t = arg;

	return carry_over(t->build, apply_operation, next);
}

/* Continue the overlay over the new base. */
static void rebase_overlay(struct saving *s, struct rebase_args *t)
{
	const struct rebase how = {apply_carried_over, move_inode, t};
	struct vfs *v = s->v;

	if (!s->save.base)
		return;
	t->before = v->overlay->base;
	(void)overlay_rebase(&v->overlay, s->save.base, &how);
	v->view.stale = false;
	view_mark_and_invalidate(v);
}

static void refuse_content(struct vfs *v, struct oentry *u, const char *why)
{
	CLEANUP(free) char *path = oentry_path(u), *line = NULL;

	if (path && asprintf(&line, "refused: %s: %s", path, why) >= 0)
		v->host->note(v->host, line);
	free(u->refusal);
	u->refusal = strdup(why);
}

/* Is the overlay rebased after this save? If the map is unchanged but objects moved, overlay and
 * journal stay, because the base shows other paths. */
static bool is_rebased(const struct saving *s)
{
	return s->save.is_saved || (s->save.is_unchanged && !overlay_build_moves(&s->build));
}

/* Update refusals and write buffers from the outcomes of the build. */
static void apply_outcomes(struct saving *s)
{
	for (size_t i = 1; i < s->build.n; i++) {
		const struct build_output *b = &s->build.result.outputs[i];
		struct oentry *u = s->build.oentries[i];

		if (u->is_dir || s->build.inputs[i].is_removed)
			continue;
		if (u->inode && u->inode->write_buffer &&
			u->inode->write_buffer->state == BUFFER_LOGGED)
			u->inode->write_buffer->state = BUFFER_CLEAN;
		/* Its origin now belongs to another file, or was removed. */
		if (u->is_scratch && b->outcome != BUILD_KEPT && is_rebased(s)) {
			oentry_freeze(overlay_shown(s->v->overlay, u), u);
			u->origin = ENTRY_NONE;
		}
		if (b->outcome == BUILD_REFUSED && !oentry_is_refused(u))
			refuse_content(s->v, u, b->reason ? b->reason : strerror(ENOMEM));
		/* A scratch file keeps its refusal. */
		else if (b->outcome != BUILD_REFUSED && b->outcome != BUILD_SCRATCH)
			free(TAKE(u->refusal));
	}
}

/* Remove a journal whose changes cancel out, so that the base has them all. Its replay would give
 * files that were swapped the wrong origins. Keep the name table for the next journal. */
static void remove_obsolete_journal(struct journal *j)
{
	CLEANUP(bytes_unref) struct bytes *names = NULL;

	if (!journal_exists(j) || j->kept || journal_names(j, &names, NULL) < 0 ||
		journal_remove(j, NULL, NULL) < 0)
		return;
	journal_set_names(j, TAKE(names));
}

/* After a save that failed, keep its map, so that the next save copies its composed blobs. */
static void keep_composed(struct saving *s)
{
	struct overlay *o = s->v->overlay;

	if (s->save.is_saved || s->save.is_unchanged || !s->build.result.map)
		return;
	snapshot_unref(o->unsaved);
	o->unsaved = snapshot_ref(s->build.result.map);
}

static void finish_build(struct job *j)
{
	struct saving *s = (struct saving *)j;
	struct rebase_args t = {.v = s->v, .build = &s->build};

	if (view_delays_save(s->v, j))
		return;
	overlay_build_keep_parsed(&s->build);
	keep_composed(s);
	if (s->save.is_saved || s->save.is_unchanged) {
		report_format_news(s);
		overlay_build_report(&s->build, &s->save.report);
		apply_outcomes(s);
	}
	if (s->save.is_saved)
		save_adopt(&s->save);
	else if (is_rebased(s))
		s->save.base = snapshot_ref(s->v->vol->base);
	if (is_rebased(s) && !s->save.is_saved && !has_carried_over(&s->build))
		remove_obsolete_journal(&s->v->vol->journal);
	if (is_rebased(s))
		rebase_overlay(s, &t);
	leave_queue(s, t.inodes, t.n);
	free(t.inodes);
}

static void run_save(struct job *j)
{
	struct saving *s = (struct saving *)j;
	struct error e = ERROR_INIT;
	int r = overlay_build_run(&s->build, &e);

	s->save.map = s->build.result.map;
	if (r == 0)
		overlay_build_advise(&s->build, s->save.vol->advise);
	if (r < 0)
		save_failed(&s->save, &e);
	else if (!s->save.is_first && !overlay_build_differs(&s->build))
		s->save.is_unchanged = true;
	else
		save_write(&s->save);
	if (is_rebased(s) && !s->save.is_saved)
		save_reduce_journal(&s->save);
}

static bool start_save(struct change_task *t)
{
	struct saving *s = (struct saving *)t;
	struct volume *vol = s->save.vol;
	struct error e = ERROR_INIT;

	if (!overlay_differs(s->v->overlay) && !s->save.is_first) {
		remove_obsolete_journal(&vol->journal);
		report_new_map(vol, &s->save.report);
		return false;
	}
	if (overlay_build_begin(s->v->overlay, &s->build, &e) == 0) {
		t->holds_still = true;
		return true;
	}
	save_failed(&s->save, &e);
	return false;
}

static void enter_queue(struct saving *s)
{
	if (--s->pending_retries == 0)
		change_queue_enter(s->v->vol, &s->task);
}

static void finish_retry(struct vfs *, struct inode *, void *arg, int)
{
	enter_queue(arg);
}

/* Have all writers closed the file, but its close is incomplete (say, on a full disk)? */
static bool is_unlogged(const struct inode *n)
{
	return file_is_validated(n) && !n->is_busy && !n->writers &&
	       n->write_buffer->state != BUFFER_CLEAN;
}

static void retry_closes(struct saving *s)
{
	struct vfs *v = s->v;

	for (struct inode *n = inode_next(v, NULL), *next; n; n = next) {
		next = inode_next(v, n);
		if (!is_unlogged(n))
			continue;
		s->pending_retries++;
		close_content(v, n, CLOSE_VALIDATED, finish_retry, s);
	}
}

static void request_save(struct vfs *v, bool to_end, vfs_saved done, void *arg)
{
	struct saving *s = calloc(1, sizeof(*s));
	struct report report = REPORT_INIT;

	if (!s) {
		report_add(&report, REPORT_REFUSED, "out of memory");
		report_raise_code(&report, OUTCOME_SAVE_FAILED);
		done(arg, &report);
		return;
	}
	s->v = v;
	s->before_unmount = to_end;
	s->done = done;
	s->arg = arg;
	s->task = (struct change_task){.job = {run_save, finish_build, NULL}, .start = start_save};
	s->save.vol = v->vol;
	s->save.host = v->host;
	s->save.build = &s->build;
	s->save.is_first = v->vol->journal.fresh && v->vol->map_stat.st_size == 0;
	s->save.is_last = v->is_ending;
	s->pending_retries = 1;
	retry_closes(s);
	enter_queue(s);
}

void vfs_save(struct vfs *v, vfs_saved done, void *arg)
{
	request_save(v, false, done, arg);
}

void vfs_save_before_unmount(struct vfs *v, vfs_saved done, void *arg)
{
	request_save(v, true, done, arg);
}
