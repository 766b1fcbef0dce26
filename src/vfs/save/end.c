/* SPDX-License-Identifier: Zlib */
/* Saves at the beginning and the end of a mount, which the caller waits for. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "vfs/save/rescue.h"
#include "vfs/save/run.h"
#include "vfs/save/save.h"

/* Interval of heartbeats, so that `mapfs -u` does not give up. */
enum { BEAT_MS = 1000 };

static void drain_queue(struct vfs *v)
{
	struct pollfd p = {.fd = pool_fd(v->pool), .events = POLLIN};

	while (v->vol->change_queue || pool_count_pending(v->pool)) {
		if (poll(&p, 1, BEAT_MS) == 0)
			v->host->progress(v->host, "", 0, 0);
		pool_complete(v->pool);
	}
}

static void report_first_save(void *arg, struct report *report)
{
	struct error *e = arg;
	/* Drop the word "refused: ": nothing was refused yet. */
	const char *why = report->n ? strstr(report->lines[0], ": ") : NULL;

	if (report->code == OUTCOME_SAVE_FAILED)
		error_set(e, report->error ? report->error : -EIO, "%s",
			why ? why + 2 : "cannot save the map");
	report_finish(report);
}

int vfs_create_map(struct vfs *v, struct error *e)
{
	struct error why = ERROR_INIT;

	vfs_save(v, report_first_save, &why);
	drain_queue(v);
	if (why.code && e)
		*e = why;
	return why.code;
}

static void merge_save_report(void *arg, struct report *report)
{
	report_merge(arg, report);
}

void vfs_end(struct vfs *v, struct report *report)
{
	struct report left = REPORT_INIT;
	struct rescue rescue = {.v = v, .ends = true, .report = &left};
	char kept[NAME_MAX + 1];
	struct error e = ERROR_INIT;

	v->is_ending = true;
	drain_queue(v);
	if (v->vol->access != VOLUME_WRITABLE)
		return;
	if (v->discards) {
		rescue_dir_drop(&v->vol->rescued);
	} else {
		vfs_save(v, merge_save_report, report);
		drain_queue(v);
		rescue_begin(&rescue);
		drain_queue(v);
	}
	/* All changes are in the map or were copied out: the journal is not needed. */
	if (report->code != OUTCOME_SAVE_FAILED && !left.unrescued) {
		if (journal_remove(&v->vol->journal, kept, &e) < 0)
			report_add(report, REPORT_NOTE, "%s", error_text(&e));
		report_set_aside(report, kept);
	} else if (journal_sync(&v->vol->journal, &e) < 0) {
		/* A failed save has already reported this. */
		if (report->code != OUTCOME_SAVE_FAILED)
			report_add(report, REPORT_NOTE, "%s", error_text(&e));
	} else if (report->code != OUTCOME_SAVE_FAILED && journal_exists(&v->vol->journal)) {
		report_add(report, REPORT_NOTE,
			"the changes are kept in the journal beside the map (see mapfs recover)");
	}
	report_merge(report, &left);
}
