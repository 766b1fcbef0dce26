/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/cleanup.h"
#include "base/say.h"
#include "fuse/control.h"
#include "fuse/keeper_errand.h"
#include "fuse/keeper_lines.h"
#include "fuse/keeper_mount.h"
#include "fuse/keeper_mountinfo.h"
#include "fuse/keeper_note.h"
#include "fuse/keeper_watch.h"

struct running {
	const struct mount_request *rq;
	int sock;
	int watch;
	char dev[24]; /* of the mount; "" before there is one */
	struct lines paths;
	struct errand errand;
};

static void log_line(const char *path, int priority, const char *line)
{
	CLEANUP(free) char *whole = NULL;

	if (asprintf(&whole, "%s: %s", path, line) >= 0)
		syslog(priority, "%s", printable(whole));
}

static void unmount_run(const void *point)
{
	keeper_unmount_and_exit(point, false);
}

static void unmount_lazily_run(const void *point)
{
	keeper_unmount_and_exit(point, true);
}

static void forget_run(const void *point)
{
	note_remove(point);
	_exit(0);
}

/* What stands at point is the mount; or, for a note that is to be taken back, nothing does. */
static bool is_ours(const struct running *g, enum errand_kind kind, const char *point)
{
	struct mount_entry entry;
	int r = mountinfo_find(MOUNTINFO, point, &entry);

	return kind == ERRAND_FORGET ? r == -ENOENT : r == 0 && strcmp(g->dev, entry.dev) == 0;
}

static int start(struct running *g, enum errand_kind kind, const char *point, struct error *e)
{
	/* The child has its own copy of all this. */
	const struct errand_flush flush = {.point = point, .dev = g->dev, .paths = g->paths.at};

	if (!is_ours(g, kind, point))
		return error_set(e, -EINVAL, "%s is not the mount point", point);
	switch (kind) {
	case ERRAND_FLUSH:
		return g->paths.n ? errand_start(&g->errand, errand_flush_run, &flush, e)
				  : error_set(e, -EINVAL, "nothing to flush");
	case ERRAND_UNMOUNT:
		return errand_start(&g->errand, unmount_run, point, e);
	case ERRAND_UNMOUNT_LAZILY:
		return errand_start(&g->errand, unmount_lazily_run, point, e);
	case ERRAND_FORGET:
		return errand_start(&g->errand, forget_run, point, e);
	default:
		return error_set(e, -EINVAL, "no errand %d", (int)kind);
	}
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
	struct error e = ERROR_INIT;

	if (g->errand.pid)
		return;
	if (kind == ERRAND_PROBE)
		control_tell(g->sock, CONTROL_DONE, probe(g, point), NULL);
	else if (start(g, kind, point, &e) < 0)
		control_tell(g->sock, CONTROL_DONE, -e.code, e.text);
	lines_clear(&g->paths);
}

/* False: the keeper is gone. */
static bool take_message(struct running *g)
{
	struct control_msg m;
	int r = control_recv(g->sock, &m);

	if (r == 0)
		return false;
	if (r < 0)
		return r == -EPROTO || r == -EAGAIN;
	if (m.fd >= 0)
		close(m.fd);
	if (m.type == CONTROL_DEVICE && !g->dev[0])
		snprintf(g->dev, sizeof(g->dev), "%.*s", (int)sizeof(g->dev) - 1, m.text);
	else if (m.type == CONTROL_NOTE)
		log_line(g->rq->path, m.code, m.text);
	else if (m.type == CONTROL_FLUSH_PATH)
		lines_add(&g->paths, m.text);
	else if (m.type == CONTROL_ERRAND)
		take_errand(g, (enum errand_kind)m.code, m.text);
	return true;
}

static void reap(struct running *g)
{
	char text[400];
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != g->errand.pid)
			continue;
		errand_finish(&g->errand, text, sizeof(text));
		control_tell(
			g->sock, CONTROL_DONE, WIFEXITED(status) ? WEXITSTATUS(status) : EIO, text);
	}
}

static _Noreturn void run(struct running *g)
{
	struct signalfd_siginfo info;
	sigset_t mask;
	int signals;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		_exit(1);
	for (;;) {
		struct pollfd p[] = {
			{.fd = g->sock, .events = POLLIN}, {.fd = signals, .events = POLLIN}};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			reap(g);
		if (p[0].revents && !take_message(g))
			_exit(0);
	}
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
	struct running g = {.rq = rq, .sock = SOCK_FD, .watch = -1, .errand = ERRAND_INIT};
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

int runner_send(struct runner *r, enum errand_kind kind, const char *point, char *const *paths,
	struct error *e)
{
	int sent = r->sock < 0 ? -EPIPE : 0;

	for (; sent == 0 && paths && *paths; paths++)
		sent = control_tell(r->sock, CONTROL_FLUSH_PATH, 0, *paths);
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
