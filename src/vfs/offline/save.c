/* SPDX-License-Identifier: Zlib */
/* Save the map of a command: build it, report all that is not in the new map, and write it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/output.h"
#include "base/print.h"
#include "vfs/offline/change.h"
#include "vfs/offline/streams.h"
#include "vfs/save/save.h"
#include "vfs/tree/lost.h"

struct look {
	size_t left;
	bool refused, kept;
};

/* Report a path by the file that it was copied from. Returns false if there is none. */
static bool print_by_origin(struct offline *t, const struct change_save *how, const char *path,
	const char *what, const char *why)
{
	CLEANUP(free) char *name = how->origin ? how->origin(how->origin_arg, t, path) : NULL;

	if (name)
		print_line(stderr, "mapfs: %s: %s%s", name, what, why);
	return name;
}

static void report_entry(struct offline *t, const struct change_save *how, const char *path,
	const char *what, const char *why)
{
	if (!print_by_origin(t, how, path, what, why))
		offline_print(t, "%s: %s%s", path, what, why);
}

static void check_scratch(struct offline *t, const struct change_save *how,
	const struct overlay_build *s, size_t i, const char *path, struct look *l)
{
	const struct oentry *u = s->oentries[i];
	const struct dentry d = oentry_dentry(s->oentries[i]);
	char why[LOST_REASON_MAX];

	if (u->is_dir || change_classify(t, &d) != CHANGE_SCRATCH)
		return;
	l->left++;
	if (!l->kept)
		report_entry(t, how, path, how->left ? "ignored: " : "",
			lost_reason(t->overlay, u, why, sizeof(why)));
}

static void check_refused(struct offline *t, const struct change_save *how, const struct oentry *u,
	const char *path, const char *why, struct look *l)
{
	if (how->refused && how->refused(how->refused_arg, u, why))
		return;
	report_entry(t, how, path, how->skip ? "ignored: " : "", why);
	l->left += how->skip;
	l->refused |= !how->skip;
}

/* Was a part removed that its object needs, and that has to stay in the map? */
static bool is_needed(const struct overlay_build *s, size_t i)
{
	return s->result.outputs[i].hidden_outcome == BUILD_RESTORED &&
	       !s->inputs[s->inputs[i].parent].is_removed;
}

/* Report an entry that is not in the new map, or is still in it though it was removed. */
static void check_entry(struct offline *t, const struct change_save *how,
	const struct overlay_build *s, size_t i, struct look *l)
{
	const struct build_output *b = &s->result.outputs[i];
	CLEANUP(free) char *path = oentry_path(s->oentries[i]), *kept = NULL;

	if (!path)
		return;
	if (b->outcome == BUILD_SCRATCH && !s->inputs[i].is_removed)
		check_scratch(t, how, s, i, path, l);
	if (b->outcome == BUILD_REFUSED)
		check_refused(
			t, how, s->oentries[i], path, b->reason ? b->reason : strerror(ENOMEM), l);
	/* Report a part that cannot be removed, or renamed to a scratch name, once. */
	if (b->outcome == BUILD_KEPT || is_needed(s, i)) {
		kept = b->outcome == BUILD_KEPT ? overlay_build_kept_path(s, i) : NULL;
		offline_print(t, "%s: cannot be removed from the map", kept ? kept : path);
		l->kept = true;
	}
	l->refused |= l->kept;
}

/* Report all entries that are not saved. Returns false if the save has to fail. */
static bool check_entries(struct offline *t, const struct change_save *how,
	const struct overlay_build *s, struct look *l)
{
	*l = (struct look){0};
	for (size_t i = 1; i < s->n; i++)
		check_entry(t, how, s, i, l);
	if (l->refused || (l->left && !how->left))
		return false;
	return true;
}

/* Print a line "refused: PATH: WHY" by the origin of PATH. False for others, or without one. */
static bool print_origin(struct offline *t, const struct change_save *how, const char *line)
{
	const char *path = strncmp(line, "refused: ", 9) == 0 ? line + 9 : NULL;
	bool told = false;

	for (const char *at = path; at && !told && (at = strstr(at, ": ")); at++) {
		CLEANUP(free) char *in_map = strndup(path, (size_t)(at - path));

		told = in_map && print_by_origin(t, how, in_map, "", at + 2);
	}
	return told;
}

static void print_report(struct offline *t, const struct report *r, const struct change_save *how)
{
	for (size_t i = 0; i < r->n; i++) {
		/* "saved" is not plain after a conflict, when it names another file. */
		bool plain = r->code != OUTCOME_CONFLICT &&
			     (strncmp(r->lines[i], "saved: ", 7) == 0 ||
				     strncmp(r->lines[i], "removed: ", 9) == 0);

		if (plain ? how->verbose && streams_named(t->file)
			  : !print_origin(t, how, r->lines[i]))
			offline_print(t, "%s", r->lines[i]);
		else if (plain && how->verbose)
			output_report("%s", r->lines[i]);
	}
}

static void no_progress(struct vfs_host *, const char *, uint64_t, uint64_t)
{
}

/* Write the map to an `out`, which the caller commits. */
static void write_out(struct out *out, struct save_job *job)
{
	const struct format_edit *edit = job->vol->format->edit;
	struct error e = ERROR_INIT;
	int r;

	job->is_unchanged =
		(job->map == job->build->result.map && !overlay_build_differs(job->build)) ||
		(edit->same && edit->same(job->vol->base, job->map));
	r = job->is_unchanged ? out_copy(out, &job->vol->source, &e) : out_write(out, job, &e);
	if (r < 0)
		save_failed(job, &e);
}

/* Write the built map. Blocks signals that end the program, so that no temporary file stays. */
static enum outcome write_map(
	struct offline *t, const struct change_save *how, struct overlay_build *s)
{
	struct vfs_host host = {.progress = no_progress};
	struct save_job job = {.vol = t->vol,
		.host = &host,
		.map = how->map ? how->map : s->result.map,
		.build = s,
		.is_last = true};
	struct report *report = &job.report;
	sigset_t ends, before;
	enum outcome code;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	if (how->out)
		write_out(how->out, &job);
	else
		save_write(&job);
	if (job.is_saved)
		save_adopt(&job);
	if (job.is_saved || !report->error) {
		/* The lines of the build are not about how->map, nor about an unwritten map. */
		if (!how->map && !job.is_unchanged) {
			overlay_build_advise(s, t->vol->advise);
			report_merge(report, &s->format_report);
		}
		overlay_build_report(s, report);
	}
	if (job.is_saved)
		report_conflict(report, t->vol);
	code = report->code;
	if (how->error && report->error)
		*how->error = report->error;
	if (io_is_full(report->error))
		offline_print(
			t, "%s", strerror(-report->error)); /* all other lines follow from it */
	else if (!how->silent || (code != OUTCOME_DONE && code != OUTCOME_PARTIAL))
		print_report(t, report, how);
	save_job_finish(&job);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

enum outcome change_save(struct offline *t, const struct change_save *how)
{
	enum outcome code = OUTCOME_DONE;
	struct error e = ERROR_INIT;
	struct overlay_build s;
	struct look l;

	if (overlay_build(t->overlay, &s, &e) < 0) {
		offline_print(t, "%s", io_is_full(e.code) ? strerror(-e.code) : error_text(&e));
		if (how->error)
			*how->error = e.code;
		return OUTCOME_SAVE_FAILED;
	}
	if (!check_entries(t, how, &s, &l))
		code = OUTCOME_SAVE_FAILED;
	else if (how->out || how->map || t->vol->journal.fresh || overlay_build_differs(&s))
		code = write_map(t, how, &s);
	overlay_build_finish(&s);
	return l.left && code != OUTCOME_SAVE_FAILED ? outcome_worse(code, OUTCOME_PARTIAL) : code;
}
