/* SPDX-License-Identifier: Zlib */
/* Save the maps of a folder, a few at a time. If one fails, the others are saved all the same. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "vfs/folder/level.h"
#include "vfs/folder/opened.h"
#include "vfs/volume/outcome.h"
#include "vfs/volume/report.h"

enum { AT_A_TIME = 3, BEAT_MS = 1000 };

typedef void (*ask_fn)(struct vfs *v, vfs_saved done, void *arg);

struct gathering {
	struct folder *folder;
	ask_fn ask;
	bool only_good; /* drop the reports of failed saves */
	vfs_saved done;
	void *arg;
	struct gathered {
		struct opened *o;
		struct report report;
	} * maps; /* by path */
	size_t n, next, under_way;
	bool asking;
};

struct part {
	struct gathering *all;
	struct gathered *map;
};

static void continue_gathering(struct gathering *g);

static void finish_part(void *arg, struct report *report)
{
	struct part part = *(struct part *)arg;
	struct gathering *g = part.all;

	free(arg);
	if (!g->only_good || report->code != OUTCOME_SAVE_FAILED)
		part.map->report = *report;
	else
		report_finish(report);
	g->under_way--;
	continue_gathering(g);
}

static void report_no_memory(struct report *report)
{
	report_add(report, REPORT_REFUSED, "out of memory");
	report_raise_code(report, OUTCOME_SAVE_FAILED);
}

static void finish_gathering(struct gathering *g)
{
	struct report report = REPORT_INIT;

	for (size_t i = 0; i < g->n; i++) {
		struct gathered *m = &g->maps[i];

		report_merge_map(&report, m->o->path, &m->report);
		report_finish(&m->report);
		m->o->calls--;
		opened_touch(g->folder, m->o); /* it may be unused now */
	}
	reserve_close(&g->folder->reserve);
	g->done(g->arg, &report);
	free(g->maps);
	free(g);
}

static void continue_gathering(struct gathering *g)
{
	if (g->asking)
		return;
	g->asking = true;
	while (g->next < g->n && g->under_way < AT_A_TIME) {
		struct gathered *m = &g->maps[g->next++];
		struct part *part = malloc(sizeof(*part));

		if (!part) {
			report_no_memory(&m->report);
			continue;
		}
		*part = (struct part){g, m};
		g->under_way++;
		g->ask(m->o->v, finish_part, part);
	}
	g->asking = false;
	if (!g->under_way && g->next == g->n)
		finish_gathering(g);
}

static bool may_hold_changes(const struct opened *o)
{
	return o->state == OPENED && o->v->vol->access == VOLUME_WRITABLE;
}

static int compare_maps(const void *a, const void *b)
{
	const struct gathered *x = a, *y = b;

	return strcmp(x->o->path, y->o->path);
}

/* Collect all maps that may have changes, sorted by path, and keep them open. */
static int collect_maps(struct gathering *g)
{
	struct folder *f = g->folder;

	g->maps = calloc(f->recent.n + f->held.n + 1, sizeof(*g->maps));
	if (!g->maps)
		return -ENOMEM;
	for (struct opened *o = opened_next(f, NULL); o; o = opened_next(f, o))
		if (may_hold_changes(o)) {
			g->maps[g->n++].o = o;
			o->calls++;
		}
	qsort(g->maps, g->n, sizeof(*g->maps), compare_maps);
	return 0;
}

static void ask_all(struct folder *f, ask_fn ask, bool only_good, vfs_saved done, void *arg)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct report report = REPORT_INIT;

	if (g) {
		g->folder = f;
		g->ask = ask;
		g->only_good = only_good;
		g->done = done;
		g->arg = arg;
		if (collect_maps(g) == 0) {
			reserve_open(&f->reserve);
			continue_gathering(g);
			return;
		}
	}
	free(g);
	report_no_memory(&report);
	done(arg, &report);
}

void folder_save(struct folder *f, bool to_end, vfs_saved done, void *arg)
{
	ask_all(f, to_end ? vfs_save_before_unmount : vfs_save, false, done, arg);
}

void level_fsync(struct folder *f, struct level *, struct call *c)
{
	vfs_saved done;
	void *arg = vfs_saved_for(f->host, c, &done);

	if (arg)
		folder_save(f, false, done, arg);
}

void folder_discard(struct folder *f, vfs_saved done, void *arg)
{
	f->discards = true;
	ask_all(f, vfs_discard, false, done, arg);
}

void folder_keep(struct folder *f)
{
	f->discards = false;
	for (struct opened *o = opened_next(f, NULL); o; o = opened_next(f, o))
		if (o->v)
			vfs_undo_discard(o->v);
}

/* End one map. folder_end has already saved those that could be saved in parallel. */
static void end_one(struct vfs *v, vfs_saved done, void *arg)
{
	struct report report = REPORT_INIT;

	v->host->progress(v->host, "", 0, 0); /* a heartbeat for each map */
	vfs_end(v, &report);
	done(arg, &report);
}

struct ending {
	struct report *report;
	bool done;
};

static void merge_reports(void *arg, struct report *report)
{
	struct ending *e = arg;

	report_merge_new(e->report, report);
	e->done = true;
}

/* Run the pool until *done or, if done is NULL, until it is empty. */
static void run_pool(struct folder *f, const bool *done)
{
	struct pollfd p = {.fd = pool_fd(f->pool), .events = POLLIN};

	while (done ? !*done : pool_count_pending(f->pool) != 0) {
		if (poll(&p, 1, BEAT_MS) == 0)
			f->host->progress(f->host, "", 0, 0);
		pool_complete(f->pool);
	}
}

void folder_end(struct folder *f, struct report *report)
{
	struct ending ending = {report, false};

	run_pool(f, NULL);
	if (!f->discards) {
		/* Saves that fail here are repeated below, and reported there. */
		ask_all(f, vfs_save, true, merge_reports, &ending);
		run_pool(f, &ending.done);
	}
	ask_all(f, end_one, false, merge_reports, &ending);
}
