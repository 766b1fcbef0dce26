/* SPDX-License-Identifier: Zlib */
/* When a save runs, and what it is given. */
#include "vfs/save/run.h"

#include <errno.h>
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
	bool to_end;
	size_t trying; /* closes that are tried again before it, and 1 while that is so */
	vfs_saved done;
	void *arg;
	struct save_job save;
	struct overlay_build staged;
	struct rescue rescue;
};

static void saving_free(struct job *j)
{
	struct saving *s = (struct saving *)j;

	save_job_finish(&s->save);
	overlay_build_finish(&s->staged);
	free(s);
}

static void saving_report(struct saving *s)
{
	struct report report = s->save.report;
	vfs_saved done = s->done;
	void *arg = s->arg;

	s->save.report = (struct report)REPORT_INIT;
	s->task.job = (struct job){.run = saving_free};
	pool_submit(s->v->pool, &s->task.job);
	done(arg, &report);
}

static void saving_rescued(struct rescue *r)
{
	saving_report(container_of(r, struct saving, rescue));
}

static void saving_told(struct job *j)
{
	struct saving *s = (struct saving *)j;

	report_conflict(&s->save.report, s->save.vol);
	s->rescue = (struct rescue){.v = s->v, .report = &s->save.report, .done = saving_rescued};
	if (s->to_end && s->save.vol->access == VOLUME_WRITABLE)
		rescue_begin(&s->rescue);
	else
		saving_report(s);
}

/* The kernel may wait for a read that waits for a view, and that for the queue. */
static void saving_finish(struct saving *s, struct inode *const *nodes, size_t n)
{
	s->task.job.done = saving_told;
	change_queue_leave(s->save.vol);
	if (n)
		inode_invalidate(s->v, nodes, n, &s->task.job);
	else
		saving_told(&s->task.job);
}

/* What is so since the last save is no news; what was otherwise meanwhile is. */
static void tell_said(struct saving *s)
{
	struct volume *vol = s->v->vol;

	report_add_news(&s->save.report, &s->staged.format_report, &vol->told);
	report_code(&s->save.report, s->staged.format_report.code);
	report_finish(&vol->told);
	vol->told = s->staged.format_report;
	s->staged.format_report = (struct report)REPORT_INIT;
}

/* The kernel forgets what a file was shown as before the save, and names that went with it. */
struct telling {
	struct vfs *v;
	const struct overlay_build *staged;
	struct inode **nodes;
	size_t n, room;
};

/* Who lists it anew has not been there since it changed before. */
static void tell_names(struct vfs *v, struct inode *dir)
{
	if (dir && !dir->is_listing_stale)
		names_tell(v, dir);
}

static void tell_gone(struct vfs *v, struct oentry *u)
{
	if (u->inode)
		inode_forget_name(v, u->inode);
	tell_names(v, u->parent->inode);
}

static void tell_upper(void *arg, struct oentry *u, struct oentry *heir)
{
	struct telling *t = arg;
	struct inode *n = u->inode;

	if (!heir) {
		tell_gone(t->v, u);
		return;
	}
	u->inode = NULL;
	heir->inode = n;
	n->oentry = heir;
	/* What it lacked is in the map now. */
	if (u->is_dir && u->origin == ENTRY_NONE && heir->origin != ENTRY_NONE)
		tell_names(t->v, n);
	if (u->is_dir || (!heir->refusal && (heir->has_content || heir->frozen_map)))
		return;
	if (file_drop_write_buffer(n) || !n->write_buffer)
		n->is_cached = false;
	if (!n->write_buffer && array_room(t->nodes, t->n, t->room))
		t->nodes[t->n++] = n;
}

/* What another mount may make nothing of is in no map, and in the journal as well. */
static int apply(void *arg, const struct journal_op *op)
{
	int r = overlay_apply(arg, op);

	return r == -ENOMEM ? r : 0;
}

static int apply_left(void *arg, struct overlay *next)
{
	const struct telling *t = arg;

	return carry_over(t->staged, apply, next);
}

/* The tree goes on over what was written. */
static void go_on(struct saving *s, struct telling *t)
{
	const struct rebase how = {apply_left, tell_upper, t};
	struct vfs *v = s->v;

	if (!s->save.base)
		return;
	(void)overlay_rebase(&v->overlay, s->save.base, &how);
	v->view.stale = false;
	view_spoil_and_tell(v);
}

static void note_refused(struct vfs *v, struct oentry *u, const char *why)
{
	CLEANUP(free) char *path = oentry_path(u), *line = NULL;

	if (path && asprintf(&line, "refused: %s: %s", path, why) >= 0)
		v->host->note(v->host, line);
	free(u->refusal);
	u->refusal = strdup(why);
}

/*
 * Does the overlay continue over the current map? After a save that wrote nothing it stays as it
 * is, and so does the journal, if they hold something that this map does not show: objects that
 * were moved and are back at their places, or operations that are carried over.
 */
static bool goes_on(const struct saving *s)
{
	return s->save.saved ||
	       (s->save.same && !overlay_build_moves(&s->staged) && !has_carried_over(&s->staged));
}

/* A file is refused as long as the map that follows from all does not have it. */
static void take_verdicts(struct saving *s)
{
	for (size_t i = 1; i < s->staged.n; i++) {
		const struct build_output *b = &s->staged.built.outputs[i];
		struct oentry *u = s->staged.oentries[i];

		if (u->is_dir || s->staged.entries[i].is_removed)
			continue;
		if (u->inode && u->inode->write_buffer &&
			u->inode->write_buffer->state == BUFFER_LOGGED)
			u->inode->write_buffer->state = BUFFER_CLEAN;
		/* What it came from is another file's, or gone. */
		if (u->is_scratch && b->outcome != BUILD_KEPT && goes_on(s)) {
			oentry_freeze(overlay_shown(s->v->overlay, u), u);
			u->origin = ENTRY_NONE;
		}
		if (b->outcome == BUILD_REFUSED && !oentry_is_refused(u))
			note_refused(s->v, u, b->reason ? b->reason : strerror(ENOMEM));
		/* What was refused may mean nothing any more, for the same reason. */
		else if (b->outcome != BUILD_REFUSED && b->outcome != BUILD_SCRATCH)
			free(TAKE(u->refusal));
	}
}

/* All that the journal holds is in the map that there was: done to that map anew, it would say of
 * files that took each other's place what they came from before. */
static void forget_journal(struct journal *j)
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

	if (s->save.saved || s->save.same || !s->staged.built.map)
		return;
	snapshot_unref(o->unsaved);
	o->unsaved = snapshot_ref(s->staged.built.map);
}

static void saving_done(struct job *j)
{
	struct saving *s = (struct saving *)j;
	struct telling t = {.v = s->v, .staged = &s->staged};

	if (view_delays(s->v, j))
		return;
	overlay_build_keep_parsed(&s->staged);
	keep_composed(s);
	if (s->save.saved || s->save.same) {
		tell_said(s);
		overlay_build_report(&s->staged, &s->save.report);
		take_verdicts(s);
	}
	if (s->save.saved)
		save_adopt(&s->save);
	else if (goes_on(s))
		s->save.base = snapshot_ref(s->v->vol->now);
	if (goes_on(s) && !s->save.saved)
		forget_journal(&s->v->vol->journal);
	if (goes_on(s))
		go_on(s, &t);
	saving_finish(s, t.nodes, t.n);
	free(t.nodes);
}

static void saving_run(struct job *j)
{
	struct saving *s = (struct saving *)j;
	struct error e = ERROR_INIT;
	int r = overlay_build_run(&s->staged, &e);

	s->save.map = s->staged.built.map;
	if (r == 0)
		overlay_build_advise(&s->staged, s->save.vol->advise);
	if (r < 0)
		save_failed(&s->save, &e);
	else if (!s->save.first && !overlay_build_differs(&s->staged))
		s->save.same = true;
	else
		save_write(&s->save);
}

static bool saving_start(struct change_task *t)
{
	struct saving *s = (struct saving *)t;
	struct volume *vol = s->save.vol;
	struct error e = ERROR_INIT;

	if (!overlay_differs(s->v->overlay) && !s->save.first) {
		forget_journal(&vol->journal);
		report_fresh(vol, &s->save.report);
		return false;
	}
	if (overlay_build_begin(s->v->overlay, &s->staged, &e) == 0) {
		t->holds_still = true;
		return true;
	}
	save_failed(&s->save, &e);
	return false;
}

static void saving_enter(struct saving *s)
{
	if (--s->trying == 0)
		change_queue_enter(s->v->vol, &s->task);
}

static void tried(struct vfs *, struct inode *, void *arg, int)
{
	saving_enter(arg);
}

/* Everybody has closed it, and what kept its bytes from the journal may be over. */
static bool is_unkept(const struct inode *n)
{
	return file_is_validated(n) && !n->is_busy && !n->writers &&
	       n->write_buffer->state != BUFFER_CLEAN;
}

static void try_closes(struct saving *s)
{
	struct vfs *v = s->v;

	for (struct inode *n = inode_next(v, NULL), *next; n; n = next) {
		next = inode_next(v, n);
		if (!is_unkept(n))
			continue;
		s->trying++;
		close_content(v, n, CLOSE_VALIDATED, tried, s);
	}
}

static void save(struct vfs *v, bool to_end, vfs_saved done, void *arg)
{
	struct saving *s = calloc(1, sizeof(*s));
	struct report report = REPORT_INIT;

	if (!s) {
		report_add(&report, REPORT_REFUSED, "out of memory");
		report_code(&report, OUTCOME_SAVE_FAILED);
		done(arg, &report);
		return;
	}
	s->v = v;
	s->to_end = to_end;
	s->done = done;
	s->arg = arg;
	s->task =
		(struct change_task){.job = {saving_run, saving_done, NULL}, .start = saving_start};
	s->save.vol = v->vol;
	s->save.host = v->host;
	s->save.build = &s->staged;
	s->save.first = v->vol->journal.fresh && v->vol->opened.st_size == 0;
	s->save.ends = v->is_ending;
	s->trying = 1;
	try_closes(s);
	saving_enter(s);
}

void vfs_save(struct vfs *v, vfs_saved done, void *arg)
{
	save(v, false, done, arg);
}

void vfs_save_to_end(struct vfs *v, vfs_saved done, void *arg)
{
	save(v, true, done, arg);
}
