/* SPDX-License-Identifier: Zlib */
/* Saving the maps of a folder: some at a time, and what one hinders is no other's. */
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
	bool only_good; /* the report of a save that failed is left out */
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

static void go_on(struct gathering *g);

static void answered(void *arg, struct report *report)
{
	struct part part = *(struct part *)arg;
	struct gathering *g = part.all;

	free(arg);
	if (!g->only_good || report->code != OUTCOME_SAVE_FAILED)
		part.map->report = *report;
	else
		report_finish(report);
	g->under_way--;
	go_on(g);
}

static void no_memory(struct report *report)
{
	report_add(report, REPORT_REFUSED, "out of memory");
	report_code(report, OUTCOME_SAVE_FAILED);
}

static void finish(struct gathering *g)
{
	struct report report = REPORT_INIT;

	for (size_t i = 0; i < g->n; i++) {
		struct gathered *m = &g->maps[i];

		report_merge_map(&report, m->o->path, &m->report);
		report_finish(&m->report);
		m->o->calls--;
		opened_touch(g->folder, m->o); /* nothing may keep it open any more */
	}
	reserve_close(&g->folder->reserve);
	g->done(g->arg, &report);
	free(g->maps);
	free(g);
}

static void go_on(struct gathering *g)
{
	if (g->asking)
		return;
	g->asking = true;
	while (g->next < g->n && g->under_way < AT_A_TIME) {
		struct gathered *m = &g->maps[g->next++];
		struct part *part = malloc(sizeof(*part));

		if (!part) {
			no_memory(&m->report);
			continue;
		}
		*part = (struct part){g, m};
		g->under_way++;
		g->ask(m->o->v, answered, part);
	}
	g->asking = false;
	if (!g->under_way && g->next == g->n)
		finish(g);
}

static bool may_hold_changes(const struct opened *o)
{
	return o->state == OPENED && o->v->vol->access == VOLUME_WRITABLE;
}

static int by_path(const void *a, const void *b)
{
	const struct gathered *x = a, *y = b;

	return strcmp(x->o->path, y->o->path);
}

/* All maps that were locked, which stay open until they were asked. */
static int gather(struct gathering *g)
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
	qsort(g->maps, g->n, sizeof(*g->maps), by_path);
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
		if (gather(g) == 0) {
			reserve_open(&f->reserve);
			go_on(g);
			return;
		}
	}
	free(g);
	no_memory(&report);
	done(arg, &report);
}

void folder_save(struct folder *f, bool to_end, vfs_saved done, void *arg)
{
	ask_all(f, to_end ? vfs_save_to_end : vfs_save, false, done, arg);
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
	f->discard = true;
	ask_all(f, vfs_discard, false, done, arg);
}

void folder_keep(struct folder *f)
{
	f->discard = false;
	for (struct opened *o = opened_next(f, NULL); o; o = opened_next(f, o))
		if (o->v)
			vfs_keep(o->v);
}

/* The end of each map, once as many as go together were saved. */
static void end_one(struct vfs *v, vfs_saved done, void *arg)
{
	struct report report = REPORT_INIT;

	v->host->progress(v->host, "", 0, 0); /* of many each takes its time */
	vfs_end(v, &report);
	done(arg, &report);
}

struct ending {
	struct report *report;
	bool done;
};

static void ended(void *arg, struct report *report)
{
	struct ending *e = arg;

	report_merge_new(e->report, report);
	e->done = true;
}

/* The pool works until then. */
static void wait_for(struct folder *f, const bool *done)
{
	struct pollfd p = {.fd = pool_fd(f->pool), .events = POLLIN};

	while (done ? !*done : pool_pending(f->pool) != 0) {
		if (poll(&p, 1, BEAT_MS) == 0)
			f->host->progress(f->host, "", 0, 0);
		pool_complete(f->pool);
	}
}

void folder_end(struct folder *f, struct report *report)
{
	struct ending ending = {report, false};

	wait_for(f, NULL);
	if (!f->discard) {
		/* Those that cannot be saved are tried again below, and say why there. */
		ask_all(f, vfs_save, true, ended, &ending);
		wait_for(f, &ending.done);
	}
	ask_all(f, end_one, false, ended, &ending);
}
