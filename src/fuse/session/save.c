/* SPDX-License-Identifier: Zlib */
/* The saves that are asked for: what mapped pages hold first, then the save, then its report. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/container.h"
#include "base/threads/clock.h"
#include "fuse/session/session.h"

/*
 * The kernel writes a file's dirty pages back before it forgets them. Then each file is judged by
 * an fsync of nobody's: what is but half written is its author's to close.
 */
struct writeback {
	struct call call; /* first */
	struct job job;   /* the next call is not begun within the reply of the one before */
	struct session *front;
	bool to_end;
	uint64_t *inos;
	size_t n, room;
};

static void add_writer(void *arg, uint64_t ino)
{
	struct writeback *w = arg;

	if (array_room(w->inos, w->n, w->room))
		w->inos[w->n++] = ino;
}

static void tell(struct session *f, enum control_type type, const char *text)
{
	struct control_msg m = {.type = type};

	snprintf(m.text, sizeof(m.text), "%s", text);
	session_send(f, &m);
}

static void tell_saved(struct session *f, enum outcome code, bool unrescued)
{
	struct control_msg m = {.type = CONTROL_SAVED, .code = (int)code};

	m.flags = (f->owns_mountpoint ? CONTROL_MADE : 0) | (unrescued ? CONTROL_UNRESCUED : 0);
	if (control_socket_send(&f->control, &m) && f->client_removes_mountpoint)
		m.flags |= CONTROL_CLEANED;
	if (!f->launcher_gone)
		(void)control_socket_send_one(f->launcher_fd, &m);
}

static void saved(void *arg, struct report *report)
{
	struct session *f = arg;

	f->saves--;
	for (size_t i = 0; i < report->n; i++)
		tell(f, CONTROL_REPORT, report->lines[i]);
	report_finish(&f->last_report);
	f->last_report = *report;
	if (f->saves)
		return;
	tell_saved(f, report->code, report->unrescued);
	if (f->stopping)
		fuse_session_exit(f->fuse);
}

/* The report tells of what it found. */
static void judged(struct call *c, int)
{
	struct writeback *w = (struct writeback *)c;

	pool_return(w->front->pool, &w->job);
}

static void start_save(struct session *f, bool to_end)
{
	if (to_end)
		mounted_save_to_end(&f->tree, saved, f);
	else
		mounted_save(&f->tree, saved, f);
}

static void next(struct job *j)
{
	struct writeback *w = container_of(j, struct writeback, job);
	struct session *f = w->front;

	if (!w->n) {
		start_save(f, w->to_end);
		free(w->inos);
		free(w);
		return;
	}
	w->call = (struct call){.op = vfs_fsync, .reply = judged, .ino = w->inos[--w->n]};
	mounted_submit(&f->tree, &w->call);
}

static void set_progress(struct session *f, const char *what, uint64_t done, uint64_t total)
{
	pthread_mutex_lock(&f->lock);
	f->progress.done = done;
	f->progress.total = total;
	snprintf(f->progress.text, sizeof(f->progress.text), "%s", what);
	pthread_mutex_unlock(&f->lock);
}

void session_save(struct session *f, bool to_end)
{
	struct writeback *w = calloc(1, sizeof(*w));

	if (!f->saves++)
		set_progress(f, "", 0, 0);
	if (!w) {
		start_save(f, to_end);
		return;
	}
	w->job.done = next;
	w->front = f;
	w->to_end = to_end;
	mounted_writers(&f->tree, add_writer, w);
	if (w->n)
		session_invalidate(&f->host, w->inos, w->n, &w->job);
	else
		next(&w->job);
}

void session_discard(struct session *f)
{
	f->saves++;
	mounted_discard(&f->tree, saved, f);
}

void session_stop(struct session *f)
{
	if (f->stopping)
		return;
	f->stopping = true;
	session_save(f, false);
}

int session_end(struct session *f)
{
	struct report report = REPORT_INIT, news = REPORT_INIT;
	enum outcome code;

	mounted_end(&f->tree, &report);
	report_add_news(&news, &report, &f->last_report);
	for (size_t i = 0; i < news.n; i++)
		tell(f, CONTROL_REPORT, news.lines[i]);
	/* What failed and then succeeded is no failure any more; what was left stays left. */
	code = f->last_report.code == OUTCOME_SAVE_FAILED
		       ? report.code
		       : outcome_worse(f->last_report.code, report.code);
	tell_saved(f, code, report.unrescued);
	report_finish(&news);
	report_finish(&report);
	report_finish(&f->last_report);
	return (int)code;
}

void session_progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	struct session *f = (struct session *)h;

	if (*what)
		set_progress(f, what, done, total);
	if (pthread_equal(pthread_self(), f->owner))
		session_heartbeat(f);
}

void session_heartbeat(struct session *f)
{
	int64_t now = clock_ms();
	struct control_msg m;

	if (now - f->progress_ms < SESSION_HEARTBEAT_MS)
		return;
	f->progress_ms = now;
	pthread_mutex_lock(&f->lock);
	m = f->progress;
	pthread_mutex_unlock(&f->lock);
	m.type = CONTROL_PROGRESS;
	session_send(f, &m);
}
