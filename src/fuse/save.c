/* SPDX-License-Identifier: Zlib */
/* The saves that are asked for: what mapped pages hold first, then the save, then its report. */
#include <stdlib.h>

#include "base/container.h"
#include "fuse/front.h"

/*
 * The kernel writes a file's dirty pages back before it forgets them. Then a handle that does not
 * write has each file judged by an fsync: what is but half written is its author's to close.
 */
struct writeback {
	struct call call; /* first */
	struct job job;   /* the next call is not begun within the reply of the one before */
	struct front *front;
	bool to_end;
	vfs_op last;           /* that was answered */
	struct handle *handle; /* of the file that is looked at; NULL: of none */
	uint64_t *inos;
	size_t n, room;
};

static void add_writer(void *arg, uint64_t ino)
{
	struct writeback *w = arg;

	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		uint64_t *inos = realloc(w->inos, room * sizeof(*inos));

		if (!inos)
			return;
		w->inos = inos;
		w->room = room;
	}
	w->inos[w->n++] = ino;
}

static void saved(void *arg, struct report *report)
{
	struct front *f = arg;

	f->saves--;
	for (size_t i = 0; i < report->n; i++)
		front_tell(f, CONTROL_REPORT, 0, report->lines[i]);
	/* Of several, all but the last were asked for by keepers that are gone. */
	if (!f->saves)
		front_tell(f, CONTROL_SAVED, (int)report->code, NULL);
	report_finish(report);
	if (f->control_fd < 0 && f->stopping)
		fuse_session_exit(f->se);
}

static void answered(struct call *c, int r)
{
	struct writeback *w = (struct writeback *)c;

	if (w->last == vfs_open)
		w->handle = r < 0 ? NULL : c->opened;
	else if (w->last == vfs_release)
		w->handle = NULL;
	pool_return(w->front->pool, &w->job);
}

static void start_save(struct front *f, bool to_end)
{
	if (to_end)
		mounted_save_to_end(&f->tree, saved, f);
	else
		mounted_save(&f->tree, saved, f);
}

static void next(struct job *j)
{
	struct writeback *w = container_of(j, struct writeback, job);
	struct front *f = w->front;

	if (!w->handle && !w->n) {
		start_save(f, w->to_end);
		free(w->inos);
		free(w);
		return;
	}
	w->last = !w->handle ? vfs_open : w->last == vfs_open ? vfs_fsync : vfs_release;
	w->call = (struct call){.op = w->last, .reply = answered, .handle = w->handle};
	if (!w->handle)
		w->call.ino = w->inos[--w->n];
	mounted_submit(&f->tree, &w->call);
}

void front_save(struct front *f, bool to_end)
{
	struct writeback *w = calloc(1, sizeof(*w));

	f->saves++;
	if (!w) {
		start_save(f, to_end);
		return;
	}
	w->job.done = next;
	w->front = f;
	w->to_end = to_end;
	mounted_writers(&f->tree, add_writer, w);
	front_invalidate(&f->host, w->inos, w->n, &w->job);
}

void front_discard(struct front *f)
{
	f->saves++;
	mounted_discard(&f->tree, saved, f);
}
