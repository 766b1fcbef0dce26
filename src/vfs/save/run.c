/* SPDX-License-Identifier: Zlib */
/* When a save runs, and what it is given. */
#include "vfs/save/run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "vfs/volume/commit_queue.h"
#include "vfs/volume/outcome.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/placements.h"
#include "vfs/tree/stage.h"
#include "vfs/save/changes.h"
#include "vfs/save/left.h"
#include "vfs/save/prepare.h"
#include "vfs/save/save.h"

struct saving {
	struct job job;
	struct commit_task task;
	struct vfs *v;
	vfs_saved done;
	void *arg;
	struct save_job save;
	struct changes changes;
	bool finalized;
};

static void saving_write(struct job *j)
{
	save_write(&((struct saving *)j)->save);
}

static void saving_free(struct job *j)
{
	struct saving *s = (struct saving *)j;

	save_job_finish(&s->save);
	free(s);
}

static void saving_finish(struct saving *s)
{
	struct report report = s->save.report;
	vfs_saved done = s->done;
	void *arg = s->arg;

	s->save.report = (struct report)REPORT_INIT;
	if (s->save.vol->conflict)
		report_conflict(&report, s->save.vol->name);
	changes_finish(&s->changes);
	commit_queue_leave(s->save.vol);
	s->job = (struct job){.run = saving_free};
	pool_submit(s->v->pool, &s->job);
	done(arg, &report);
}

/* What is so since the last save is no news; what was otherwise meanwhile is. */
static void tell_said(struct save_job *s)
{
	struct volume *vol = s->vol;

	report_add_news(&s->report, &s->said, &vol->told);
	report_finish(&vol->told);
	vol->told = s->said;
	s->said = (struct report)REPORT_INIT;
}

static void saving_done(struct job *j)
{
	struct saving *s = (struct saving *)j;

	if (s->save.saved) {
		save_adopt(&s->save);
		placements_keep(s->v, s->save.placements, s->save.n_placements);
		s->save.placements = NULL;
		s->save.n_placements = 0;
	}
	if (s->save.saved || s->save.same) {
		tell_said(&s->save);
		changes_report(&s->changes, s->save.finalized, s->save.saved, &s->save.report);
		changes_saved(s->v);
		volume_unchanged(s->save.vol);
		s->v->vol->restructured = false;
		objects_saved(s->v, s->save.saved);
	}
	saving_finish(s);
}

/* Also one that is being written on: what was closed last was refused, or waits, and is to be kept.
 */
static bool is_draft(const struct node *n)
{
	return file_judged(n) && (n->stage->verdict < 0 || (n->pending && stage_is_open(n->stage)));
}

static int draft_content(const struct stage *s, struct extent *ret)
{
	if (!stage_is_open(s) || (!s->closed.mem && !s->closed.file))
		return spool_extent(s->spool, ret, NULL);
	*ret = extent_ref(&s->closed);
	return 0;
}

static int collect_drafts(struct vfs *v, struct save_job *s)
{
	struct draft *drafts;
	int r = 0;

	for (const struct node *n = NULL; r == 0 && (n = node_next(v, n));) {
		struct draft d = {0};

		if (!is_draft(n))
			continue;
		drafts = realloc(s->drafts, (s->n_drafts + 1) * sizeof(*drafts));
		if (!drafts)
			return -ENOMEM;
		s->drafts = drafts;
		d.path = node_path_in(n, s->finalized);
		d.reason = strdup(error_text(&n->stage->why));
		r = d.path && d.reason ? draft_content(n->stage, &d.content) : -ENOMEM;
		drafts[s->n_drafts++] = d;
	}
	return r;
}

static void saving_short(struct saving *s)
{
	report_add(&s->save.report, REPORT_REFUSED, "out of memory");
	report_code(&s->save.report, OUTCOME_SAVE_FAILED);
	saving_finish(s);
}

static void saving_finalize(struct job *j)
{
	struct saving *s = (struct saving *)j;

	changes_weigh(&s->changes);
	s->finalized = save_finalize(&s->save);
}

/* Drafts go to the next journal by the names that the new map gives. */
static void saving_finalized(struct job *j)
{
	struct saving *s = (struct saving *)j;

	if (!s->finalized) {
		saving_finish(s);
		return;
	}
	if (collect_drafts(s->v, &s->save) < 0) {
		saving_short(s);
		return;
	}
	s->job = (struct job){saving_write, saving_done, NULL};
	pool_submit(s->v->pool, &s->job);
}

/* Of what is saved all or nothing: what would be a draft. */
static bool saving_refused(struct saving *s)
{
	struct vfs *v = s->v;
	bool refused = false;

	for (const struct node *n = NULL; v->vol->at_once && (n = node_next(v, n));) {
		CLEANUP(free) char *path = is_draft(n) ? node_path(n) : NULL;

		if (!is_draft(n))
			continue;
		report_add(&s->save.report, REPORT_REFUSED, "%s: %s", path ? path : "?",
			error_text(&n->stage->why));
		refused = true;
	}
	if (refused)
		report_code(&s->save.report, OUTCOME_SAVE_FAILED);
	return refused;
}

static void saving_start(struct commit_task *t)
{
	struct saving *s = container_of(t, struct saving, task);
	struct volume *vol = s->save.vol;
	int r;

	if (saving_refused(s)) {
		saving_finish(s);
		return;
	}
	if (!vol->dirty && !s->v->vol->restructured && !node_stamped(s->v)) {
		report_fresh(vol, &s->save.report);
		saving_finish(s);
		return;
	}
	r = objects_place(s->v, &s->save.placements, &s->save.n_placements);
	if (r == 0)
		r = node_stamps(s->v, &s->save.placements, &s->save.n_placements);
	if (r < 0) {
		saving_short(s);
		return;
	}
	changes_find(s->v, &s->changes);
	s->save.now = snapshot_ref(vol->now);
	s->job = (struct job){saving_finalize, saving_finalized, NULL};
	pool_submit(s->v->pool, &s->job);
}

static void saving_enter(void *arg)
{
	struct saving *s = arg;

	commit_queue_enter(s->v->vol, &s->task);
}

void vfs_save(struct vfs *v, vfs_saved done, void *arg)
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
	s->done = done;
	s->arg = arg;
	s->task.start = saving_start;
	s->save.vol = v->vol;
	s->save.host = v->host;
	s->save.first = v->vol->fresh && v->vol->opened.st_size == 0;
	names_restore(v);
	save_prepare(v, saving_enter, s);
}

struct ending {
	struct vfs *v;
	vfs_saved done;
	void *arg;
};

static void ending_saved(void *arg, struct report *report)
{
	struct ending end = *(struct ending *)arg;

	free(arg);
	if (end.v->vol->access == VOLUME_WRITABLE)
		left_prepare(end.v, report);
	end.done(end.arg, report);
}

void vfs_save_to_end(struct vfs *v, vfs_saved done, void *arg)
{
	struct ending *end = malloc(sizeof(*end));

	if (!end) {
		vfs_save(v, done, arg);
		return;
	}
	*end = (struct ending){v, done, arg};
	vfs_save(v, ending_saved, end);
}

/* Who waits for the end is to see that it comes. */
enum { BEAT_MS = 1000 };

static void drain(struct vfs *v)
{
	struct pollfd p = {.fd = pool_fd(v->pool), .events = POLLIN};

	while (v->vol->commit_queue || pool_pending(v->pool)) {
		if (poll(&p, 1, BEAT_MS) == 0)
			v->host->progress(v->host, "", 0, 0);
		pool_complete(v->pool);
	}
}

static void first_saved(void *arg, struct report *report)
{
	struct error *e = arg;
	/* Without the word that it begins with: there is nothing yet that was refused. */
	const char *why = report->n ? strstr(report->lines[0], ": ") : NULL;

	if (report->code == OUTCOME_SAVE_FAILED)
		error_set(e, report->error ? report->error : -EIO, "%s",
			why ? why + 2 : "cannot be written");
	report_finish(report);
}

int vfs_create_map(struct vfs *v, struct error *e)
{
	struct error why = ERROR_INIT;

	v->vol->dirty = true;
	vfs_save(v, first_saved, &why);
	drain(v);
	if (why.code && e)
		*e = why;
	return why.code;
}

static void end_saved(void *arg, struct report *report)
{
	report_merge(arg, report);
}

void vfs_end(struct vfs *v, struct report *report)
{
	struct report left = REPORT_INIT;
	char kept[NAME_MAX + 1];
	struct error e = ERROR_INIT;

	v->ending = true;
	drain(v);
	if (v->vol->access != VOLUME_WRITABLE)
		return;
	if (v->discard) {
		left_drop(v);
	} else {
		vfs_save(v, end_saved, report);
		drain(v);
		left_copy(v, &left);
	}
	/* What is in the map, or lies in the open beside it, needs no journal. */
	if (report->code != OUTCOME_SAVE_FAILED && left.code != OUTCOME_SAVE_FAILED) {
		if (journal_remove(&v->vol->journal, kept, &e) < 0)
			report_add(report, REPORT_NOTE, "%s", error_text(&e));
		report_kept(report, kept);
	} else if (journal_sync(&v->vol->journal, &e) < 0) {
		report_add(report, REPORT_NOTE, "%s", error_text(&e));
	} else if (report->code != OUTCOME_SAVE_FAILED && journal_exists(&v->vol->journal)) {
		report_add(report, REPORT_NOTE,
			"the journal beside the map keeps what was closed (see mapfs recover)");
	}
	report_merge(report, &left);
}
