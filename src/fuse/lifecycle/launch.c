/* SPDX-License-Identifier: Zlib */
#include "fuse/lifecycle/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/disk/mountinfo.h"
#include "base/say.h"
#include "fuse/control.h"
#include "fuse/control_socket.h"
#include "fuse/lifecycle/supervisor.h"
#include "fuse/lifecycle/mount.h"
#include "fuse/lifecycle/note.h"
#include "fuse/lifecycle/worker.h"

enum { STACK_MIN = 256 << 10 };

/* The mount is about to be, or it failed with a message for people. */
struct launcher {
	struct supervisor supervisor; /* first */
	bool covers;                  /* the mount point holds something */
	char note[CONTROL_TEXT_MAX];  /* why it is read-only, or "" */
	enum outcome code;
	char why[CONTROL_TEXT_MAX];
};

static int fail(struct launcher *l, enum outcome code, const char *why)
{
	if (!l->code) {
		l->code = code;
		snprintf(l->why, sizeof(l->why), "%s", why);
	}
	return -1;
}

static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Out of the terminal's reach. */
static void go_to_background(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
}

static int start_worker(struct supervisor *g, struct error *e)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_errno(e, "socketpair");
	fflush(NULL);
	g->pid = fork();
	if (g->pid == 0) {
		close(ends[0]);
		if (!g->request->foreground)
			go_to_background();
		exit(worker_main(g->request, ends[1], g->signals));
	}
	close(ends[1]);
	g->worker = ends[0];
	return g->pid < 0 ? error_errno(e, "fork") : 0;
}

static int mount_and_send(struct supervisor *g, bool read_only, struct error *e)
{
	/* With a copy of it here, a dead worker would leave its callers hanging. */
	CLEANUP(close_fd) int fd = -1;
	CLEANUP(close_fd) int door = -1;
	struct control_msg m = {.type = CONTROL_MOUNTED};
	struct mount_entry entry;
	int r;

	r = mount_point_take(g->request, &g->mountpoint, &g->owns_mountpoint, e);
	if (r == 0)
		r = mount_begin(g->request, g->mountpoint, read_only, &fd, e);
	if (r < 0)
		return r;
	r = mountinfo_find(MOUNTINFO, g->mountpoint, &entry);
	if (r < 0) {
		char text[400];

		(void)mount_end(g->mountpoint, true, text, sizeof(text));
		return error_set(e, r, "the mount does not appear in %s", MOUNTINFO);
	}
	memcpy(g->dev, entry.dev, sizeof(g->dev));
	door = control_socket_open(g->dev);
	if (door < 0)
		return error_set(e, door, "no socket for mapfs -u: %s", strerror(-door));
	m.code = g->owns_mountpoint;
	r = control_pass(g->worker, &m, (int[]){fd, door});
	if (r < 0)
		return error_set(e, r, "the worker died before the mount was usable");
	/* While the worker begins to serve. */
	if (geteuid() == 0)
		note_add(g->request->path, g->mountpoint);
	return 0;
}

static int sound(struct launcher *l, const struct control_msg *m)
{
	struct error e = ERROR_INIT;

	if (m->code)
		snprintf(
			l->note, sizeof(l->note), "%s", m->text[0] ? m->text : "mounted read-only");
	if (mount_and_send(&l->supervisor, l->supervisor.request->how.read_only || m->code, &e) < 0)
		return fail(l, OUTCOME_MOUNT, error_text(&e));
	return 0;
}

static int worker_died(struct launcher *l)
{
	char line[200];
	int status = 0;

	if (waitpid(l->supervisor.pid, &status, 0) == l->supervisor.pid)
		l->supervisor.pid = -1;
	supervisor_describe(status, " before the mount was usable", line, sizeof(line));
	return fail(l, OUTCOME_MOUNT, line);
}

/* What the worker says until it serves: 1 then, 0 before, -1 after a failure. */
static int take_message(struct launcher *l)
{
	struct control_msg m;
	int r = control_recv(l->supervisor.worker, &m);

	if (r < 0 && r != -EPROTO)
		return fail(l, OUTCOME_MOUNT, strerror(-r));
	if (r == 0)
		return worker_died(l);
	if (r < 0)
		return 0;
	if (m.type == CONTROL_NOTE)
		messages_add(&l->supervisor.messages, "mapfs: %s: %s", l->supervisor.request->shown,
			m.text);
	else if (m.type == CONTROL_FAILED)
		return fail(l,
			m.code == OUTCOME_BUSY || m.code == OUTCOME_MOUNT ? (enum outcome)m.code
									  : OUTCOME_REFUSED,
			m.text);
	else if (m.type == CONTROL_SOUND && !l->supervisor.mountpoint)
		return sound(l, &m);
	return m.type == CONTROL_SERVING && l->supervisor.dev[0];
}

static int wait_until_it_serves(struct launcher *l)
{
	struct pollfd p[] = {{.fd = l->supervisor.worker, .events = POLLIN},
		{.fd = l->supervisor.signals, .events = POLLIN}, {.fd = -1}};
	int r = 0;

	while (r == 0) {
		p[2] = messages_poll(&l->supervisor.messages);
		if (poll(p, 3, -1) < 0)
			continue;
		messages_write(&l->supervisor.messages);
		/* Somebody may have stored something as soon as there is a mount: from there on a
		 * signal is the guard's, who has it saved. */
		if (p[1].revents)
			return l->supervisor.dev[0] ? 1 : fail(l, OUTCOME_MOUNT, "interrupted");
		if (p[0].revents)
			r = take_message(l);
	}
	return r;
}

static int begin(struct launcher *l)
{
	struct supervisor *g = &l->supervisor;
	struct error e = ERROR_INIT;
	int r = mount_point_look(g->request, &l->covers, &e);

	g->signals = take_signals();
	if (r == 0 && g->signals < 0)
		r = error_errno(&e, "signalfd");
	if (r == 0)
		r = start_worker(g, &e);
	if (r < 0)
		return fail(l, OUTCOME_MOUNT, error_text(&e));
	/* While the worker reads the map. */
	if (geteuid() == 0)
		note_prepare();
	return wait_until_it_serves(l);
}

/* Nothing was written that the worker could save. */
static void undo(struct supervisor *g)
{
	/* Without us it ends by itself while it has no descriptor, and takes away what --new made.
	 */
	if (g->worker >= 0)
		close(take_fd(&g->worker));
	if (g->pid > 0 && (!g->request->create || g->dev[0]))
		kill(g->pid, SIGKILL);
	if (g->pid > 0)
		(void)waitpid(g->pid, NULL, 0);
	supervisor_clean(g, true);
}

static bool is_told_to_end(const struct supervisor *g)
{
	struct pollfd p = {.fd = g->signals, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

/* From here on people know of it. Who is told to end is the guard until then, and says so. */
static enum outcome serve(struct launcher *l)
{
	struct supervisor *g = &l->supervisor;
	bool told = !g->request->foreground && is_told_to_end(g);
	bool stay = g->request->foreground || told;
	enum outcome code = OUTCOME_DONE;

	if (l->covers)
		messages_add(&g->messages,
			"mapfs: %s: the mount point %s is not empty: what is in it is covered",
			g->request->shown, g->mountpoint);
	if (l->note[0])
		messages_add(&g->messages, "mapfs: %s: %s", g->request->shown, l->note);
	(void)control_tell(g->worker, CONTROL_KEEP, 0, NULL);
	supervisor_drop_rights(g);
	fflush(NULL);
	if (!stay && fork() == 0) {
		go_to_background();
		openlog("mapfs", LOG_PID, LOG_DAEMON);
		exit((int)supervisor_run(g));
	}
	if (stay)
		code = supervisor_run(g);
	if (told)
		messages_add(&g->messages, "mapfs: %s: interrupted", g->request->shown);
	return told && code == OUTCOME_DONE ? OUTCOME_MOUNT : code;
}

/* The kernel kills a worker that runs out of its stack, and no message would say why. */
static bool has_stack(const struct mount_request *rq)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= STACK_MIN)
		return true;
	say(stderr, "mapfs: %s: a mount needs a stack of %d kB (limited to %ju, ulimit -s)",
		rq->shown, STACK_MIN >> 10, (uintmax_t)limit.rlim_cur >> 10);
	return false;
}

enum outcome launch(const struct mount_request *rq)
{
	struct launcher l = {.supervisor = {.request = rq, .worker = -1, .pid = -1, .signals = -1}};

	if (!has_stack(rq))
		return OUTCOME_MOUNT;
	/* What a caller left open (a lock, the end of a pipe) is not for the life of the mount; the
	 * paths in rq are resolved. */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (chdir("/") < 0) {
		say(stderr, "mapfs: /: %s", strerror(errno));
		return OUTCOME_MOUNT;
	}
	/* An inherited "ignore" of SIGHUP is nohup's and stays; the others must reach us. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	if (begin(&l) > 0) {
		l.code = serve(&l);
	} else {
		undo(&l.supervisor);
		messages_add(&l.supervisor.messages, "mapfs: %s: %s", rq->shown, l.why);
	}
	messages_finish(&l.supervisor.messages);
	if (l.supervisor.worker >= 0)
		close(l.supervisor.worker);
	if (l.supervisor.signals >= 0)
		close(l.supervisor.signals);
	free(l.supervisor.mountpoint);
	return l.code;
}
