/* SPDX-License-Identifier: Zlib */
/* A requested save: write dirty mapped pages back, save, send the report. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/container.h"
#include "base/threads/clock.h"
#include "fuse/session/session.h"

/* The kernel writes a file's dirty pages back before it drops them. Then an fsync without a handle
 * validates each written file; a file in the middle of write() calls is left to its close. */
struct writeback {
	struct call call; /* first */
	struct job job;   /* starts the next call, outside the reply of the previous one */
	struct session *session;
	bool to_end;
	uint64_t *inos;
	size_t n, room;
};

static void add_inode(void *arg, uint64_t ino)
{
	struct writeback *w = arg;

	if (array_reserve(w->inos, w->n, w->room))
		w->inos[w->n++] = ino;
}

static void send_text(struct session *s, enum control_type type, const char *text)
{
	struct control_msg m = {.type = type};

	snprintf(m.text, sizeof(m.text), "%s", text);
	session_send(s, &m);
}

static void send_saved(struct session *s, enum outcome code, bool unrescued)
{
	struct control_msg m = {.type = CONTROL_SAVED, .code = (int)code};

	m.flags = (s->owns_mountpoint ? CONTROL_MADE_MOUNTPOINT : 0) |
		  (unrescued ? CONTROL_NOT_RESCUED : 0);
	if (control_socket_send(&s->control, &m) && s->client_removes_mountpoint)
		m.flags |= CONTROL_CLIENT_REMOVES;
	if (!s->is_launcher_gone)
		(void)control_socket_send_one(s->launcher_fd, &m);
}

static void handle_saved(void *arg, struct report *report)
{
	struct session *s = arg;

	s->pending_saves--;
	for (size_t i = 0; i < report->n; i++)
		send_text(s, CONTROL_REPORT, report->lines[i]);
	report_finish(&s->last_report);
	s->last_report = *report;
	if (s->pending_saves)
		return;
	send_saved(s, report->code, report->unrescued);
	if (s->is_stopping)
		fuse_session_exit(s->fuse);
}

/* The result is ignored: the report of the save has it. */
static void handle_fsync(struct call *c, int)
{
	struct writeback *w = (struct writeback *)c;

	pool_submit_done(w->session->pool, &w->job);
}

static void start_save(struct session *s, bool to_end)
{
	if (to_end)
		mounted_save_to_end(&s->tree, handle_saved, s);
	else
		mounted_save(&s->tree, handle_saved, s);
}

static void fsync_next(struct job *j)
{
	struct writeback *w = container_of(j, struct writeback, job);
	struct session *s = w->session;

	if (!w->n) {
		start_save(s, w->to_end);
		free(w->inos);
		free(w);
		return;
	}
	w->call = (struct call){.op = vfs_fsync, .reply = handle_fsync, .ino = w->inos[--w->n]};
	mounted_submit(&s->tree, &w->call);
}

static void set_progress(struct session *s, const char *what, uint64_t done, uint64_t total)
{
	pthread_mutex_lock(&s->lock);
	s->progress.done = done;
	s->progress.total = total;
	snprintf(s->progress.text, sizeof(s->progress.text), "%s", what);
	pthread_mutex_unlock(&s->lock);
}

void session_save(struct session *s, bool to_end)
{
	struct writeback *w = calloc(1, sizeof(*w));

	if (!s->pending_saves++)
		set_progress(s, "", 0, 0);
	if (!w) {
		start_save(s, to_end);
		return;
	}
	w->job.done = fsync_next;
	w->session = s;
	w->to_end = to_end;
	mounted_writers(&s->tree, add_inode, w);
	if (w->n)
		session_invalidate(&s->host, w->inos, w->n, &w->job);
	else
		fsync_next(&w->job);
}

void session_discard(struct session *s)
{
	s->pending_saves++;
	mounted_discard(&s->tree, handle_saved, s);
}

void session_stop(struct session *s)
{
	if (s->is_stopping)
		return;
	s->is_stopping = true;
	session_save(s, false);
}

int session_end(struct session *s)
{
	struct report report = REPORT_INIT, news = REPORT_INIT;
	enum outcome code;

	mounted_end(&s->tree, &report);
	report_add_new(&news, &report, &s->last_report);
	for (size_t i = 0; i < news.n; i++)
		send_text(s, CONTROL_REPORT, news.lines[i]);
	/* A failed save does not count if the last one succeeds; OUTCOME_PARTIAL does. */
	code = s->last_report.code == OUTCOME_SAVE_FAILED
		       ? report.code
		       : outcome_worse(s->last_report.code, report.code);
	send_saved(s, code, report.unrescued);
	report_finish(&news);
	report_finish(&report);
	report_finish(&s->last_report);
	return (int)code;
}

void session_progress(struct vfs_host *h, const char *what, uint64_t done, uint64_t total)
{
	struct session *s = (struct session *)h;

	if (*what)
		set_progress(s, what, done, total);
	if (pthread_equal(pthread_self(), s->owner))
		session_heartbeat(s);
}

void session_heartbeat(struct session *s)
{
	int64_t now = clock_ms();
	struct control_msg m;

	if (now - s->progress_sent_ms < SESSION_HEARTBEAT_MS)
		return;
	s->progress_sent_ms = now;
	pthread_mutex_lock(&s->lock);
	m = s->progress;
	pthread_mutex_unlock(&s->lock);
	m.type = CONTROL_PROGRESS;
	session_send(s, &m);
}
