/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/cleanup.h"
#include "base/say.h"
#include "fuse/control.h"
#include "fuse/keeper_mount.h"
#include "fuse/keeper_mountinfo.h"
#include "fuse/keeper_note.h"
#include "fuse/keeper_watch.h"

struct running {
	const struct mount_request *rq;
	int sock;
	int watch;
	char dev[24]; /* of the mount; "" before there is one */
	/* The errand under way, and the thread that is on it, since it may block. */
	enum errand_kind kind;
	char *point;
	pthread_t thread;
	bool joinable;
	atomic_bool busy;
};

static void log_line(const char *path, int priority, const char *line)
{
	CLEANUP(free) char *whole = NULL;

	if (asprintf(&whole, "%s: %s", path, line) >= 0)
		syslog(priority, "%s", printable(whole));
}

/* What stands at point is the mount; or, for a note that is to be taken back, nothing does. */
static bool is_ours(const struct running *g, enum errand_kind kind, const char *point)
{
	struct mount_entry entry;
	int r = mountinfo_find(MOUNTINFO, point, &entry);

	return kind == ERRAND_FORGET ? r == -ENOENT : r == 0 && strcmp(g->dev, entry.dev) == 0;
}

/* 0, an errno, or the status of a program; and words, or "". */
static int run_errand(struct running *g, char *text, size_t room)
{
	text[0] = '\0';
	if (!is_ours(g, g->kind, g->point)) {
		snprintf(text, room, "%s is not the mount point", g->point);
		return EINVAL;
	}
	switch (g->kind) {
	case ERRAND_UNMOUNT:
	case ERRAND_UNMOUNT_LAZILY:
		return keeper_unmount(g->point, g->kind == ERRAND_UNMOUNT_LAZILY, text, room);
	case ERRAND_FORGET:
		note_remove(g->point);
		return 0;
	default:
		return EINVAL;
	}
}

static void *errand_thread(void *arg)
{
	struct running *g = arg;
	char text[400];
	int status = run_errand(g, text, sizeof(text));

	/* The keeper may ask for the next one at once. */
	g->busy = false;
	control_tell(g->sock, CONTROL_DONE, status, text);
	return NULL;
}

static void end_errand(struct running *g)
{
	if (g->joinable)
		pthread_join(g->thread, NULL);
	g->joinable = false;
	free(TAKE(g->point));
}

/*
 * stat the mount point, as a proof that it answers; watch it (keeper_watch.h), which the keeper
 * must not do itself; and note it. Who unmounted before it was looked at is no failure. In this
 * process: until it is known that the mount answers, there is nothing else to do. 0, or an errno.
 */
static int probe(const struct running *g, const char *point)
{
	struct stat st;

	/* The worker begins to serve meanwhile. */
	if (geteuid() == 0)
		note_add(g->rq->path, point);
	if (stat(point, &st) < 0)
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	if (g->watch >= 0)
		(void)watch_add(g->watch, point);
	return 0;
}

static void take_errand(struct running *g, enum errand_kind kind, const char *point)
{
	int r;

	if (g->busy)
		return;
	if (kind == ERRAND_PROBE) {
		control_tell(g->sock, CONTROL_DONE, probe(g, point), NULL);
		return;
	}
	end_errand(g);
	g->kind = kind;
	g->point = strdup(point);
	g->busy = true;
	r = g->point ? pthread_create(&g->thread, NULL, errand_thread, g) : ENOMEM;
	g->joinable = r == 0;
	if (r) {
		g->busy = false;
		control_tell(g->sock, CONTROL_DONE, r, NULL);
	}
}

/* False: the keeper is gone. */
static bool take_message(struct running *g)
{
	struct control_msg m;
	int r = control_recv(g->sock, &m);

	if (r == 0)
		return false;
	if (r < 0)
		return r == -EPROTO;
	if (m.fd >= 0)
		close(m.fd);
	if (m.type == CONTROL_DEVICE && !g->dev[0])
		snprintf(g->dev, sizeof(g->dev), "%.*s", (int)sizeof(g->dev) - 1, m.text);
	else if (m.type == CONTROL_NOTE)
		log_line(g->rq->path, m.code, m.text);
	else if (m.type == CONTROL_ERRAND)
		take_errand(g, (enum errand_kind)m.code, m.text);
	return true;
}

static _Noreturn void run(struct running *g)
{
	while (take_message(g))
		;
	end_errand(g);
	_exit(0);
}

/* Root's unmounts, and looks at files through the mount. An ordinary user's has nothing to give up:
 * fusermount3 has to gain rights. */
static void drop_rights(const struct running *g)
{
	struct error e = ERROR_INIT;

	if (capability_keep(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_DAC_OVERRIDE), NULL, &e) < 0)
		log_line(g->rq->path, LOG_WARNING, error_text(&e));
}

enum { SOCK_FD = 3, WATCH_FD };

static _Noreturn void become_runner(const struct mount_request *rq, int sock, int watch)
{
	struct running g = {.rq = rq, .sock = SOCK_FD, .watch = -1};
	/* Above both, so that neither overwrites the other. */
	int high_sock = fcntl(sock, F_DUPFD_CLOEXEC, WATCH_FD + 1);
	int high_watch = watch < 0 ? -1 : fcntl(watch, F_DUPFD_CLOEXEC, WATCH_FD + 1);

	/* A signal to the whole group is the keeper's to answer. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (high_sock < 0 || dup3(high_sock, SOCK_FD, O_CLOEXEC) < 0)
		_exit(1);
	if (high_watch >= 0)
		g.watch = dup3(high_watch, WATCH_FD, O_CLOEXEC);
	close_range(g.watch < 0 ? WATCH_FD : WATCH_FD + 1, ~0U, 0);
	/* Whoever called looks for "busy" in what fusermount3 says. */
	setenv("LC_ALL", "C", 1);
	/* While the worker reads the map. */
	if (geteuid() == 0) {
		drop_rights(&g);
		note_prepare();
	}
	run(&g);
}

int runner_start(struct runner *r, int watch, struct error *e)
{
	int sock;
	pid_t pid = control_fork(&sock, e);

	if (pid < 0)
		return (int)pid;
	if (pid == 0)
		become_runner(r->rq, sock, watch);
	r->sock = sock;
	return 0;
}

void runner_finish(struct runner *r)
{
	if (r->sock >= 0)
		close(r->sock);
	r->sock = -1;
	r->out = ERRAND_NONE;
}

void runner_mounted(struct runner *r, const char *dev)
{
	if (r->sock >= 0)
		(void)control_tell(r->sock, CONTROL_DEVICE, 0, dev);
}

int runner_send(struct runner *r, enum errand_kind kind, const char *point, struct error *e)
{
	int sent = r->sock < 0 ? -EPIPE : 0;

	if (sent == 0)
		sent = control_tell(r->sock, CONTROL_ERRAND, (int)kind, point);
	if (sent < 0)
		return error_set(e, sent,
			"cannot unmount: the process that does it was killed; fusermount3 -u %s "
			"still can",
			point);
	r->out = kind;
	return 0;
}

enum errand_kind runner_answer(struct runner *r, int *ret_status, char *text, size_t room)
{
	enum errand_kind kind = r->out;
	struct control_msg m;
	int got = control_recv(r->sock, &m);

	if (got == 1 && m.type == CONTROL_DONE) {
		*ret_status = m.code;
		snprintf(text, room, "%s", m.text);
	} else if (got == 0) {
		close(r->sock);
		r->sock = -1;
		*ret_status = EIO;
		snprintf(text, room, "the process that does it was killed");
	} else {
		return ERRAND_NONE;
	}
	r->out = ERRAND_NONE;
	return kind;
}

void runner_log(struct runner *r, int priority, const char *line)
{
	if (r->sock < 0 || control_tell(r->sock, CONTROL_NOTE, priority, line) < 0)
		log_line(r->rq->path, priority, line);
}
