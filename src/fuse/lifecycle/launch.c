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
#include "base/print.h"
#include "fuse/control.h"
#include "fuse/control_socket.h"
#include "fuse/lifecycle/supervisor.h"
#include "fuse/lifecycle/mount.h"
#include "fuse/lifecycle/utab.h"
#include "fuse/lifecycle/worker.h"

enum { STACK_MIN = 256 << 10 };

/* A mount that is being made. */
struct launcher {
	struct supervisor supervisor;            /* first */
	bool covers_files;                       /* the mount point is not empty */
	char read_only_reason[CONTROL_TEXT_MAX]; /* or "" */
	enum outcome code;
	char failure[CONTROL_TEXT_MAX];
};

static int set_failure(struct launcher *l, enum outcome code, const char *why)
{
	if (!l->code) {
		l->code = code;
		snprintf(l->failure, sizeof(l->failure), "%s", why);
	}
	return -1;
}

static int open_signalfd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void detach_from_terminal(void)
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

static int start_worker(struct supervisor *s, struct error *e)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_errno(e, "socketpair");
	fflush(NULL);
	s->worker_pid = fork();
	if (s->worker_pid == 0) {
		close(ends[0]);
		if (!s->request->foreground)
			detach_from_terminal();
		exit(worker_main(s->request, ends[1], s->signal_fd));
	}
	close(ends[1]);
	s->worker_sock = ends[0];
	return s->worker_pid < 0 ? error_errno(e, "fork") : 0;
}

static int mount_and_send(struct supervisor *s, bool read_only, struct error *e)
{
	/* Closed on return: with a copy in this process, callers would hang if the worker died. */
	CLEANUP(close_fd) int fd = -1;
	CLEANUP(close_fd) int control_sock = -1;
	struct control_msg m = {.type = CONTROL_MOUNTED};
	struct mount_entry entry;
	int r;

	r = mount_point_prepare(s->request, &s->mountpoint, &s->owns_mountpoint, e);
	if (r == 0)
		r = mount_attach(s->request, s->mountpoint, read_only, &fd, e);
	if (r < 0)
		return r;
	r = mountinfo_find_point(MOUNTINFO, s->mountpoint, &entry);
	if (r < 0) {
		char text[400];

		(void)mount_detach(s->mountpoint, true, text, sizeof(text));
		return error_set(e, r, "the mount does not appear in %s", MOUNTINFO);
	}
	memcpy(s->dev, entry.dev, sizeof(s->dev));
	control_sock = control_socket_open(s->dev);
	if (control_sock < 0)
		return error_set(e, control_sock, "cannot create the socket for mapfs -u: %s",
			strerror(-control_sock));
	m.code = s->owns_mountpoint;
	r = control_send_fds(s->worker_sock, &m, (int[]){fd, control_sock});
	if (r < 0)
		return error_set(e, r, "the worker died before the mount was usable");
	/* utab may block; meanwhile the worker begins to serve. */
	if (geteuid() == 0)
		utab_add(s->request->path, s->mountpoint);
	return 0;
}

static int handle_loaded(struct launcher *l, const struct control_msg *m)
{
	struct error e = ERROR_INIT;

	if (m->code)
		snprintf(l->read_only_reason, sizeof(l->read_only_reason), "%s",
			m->text[0] ? m->text : "mounted read-only");
	if (mount_and_send(&l->supervisor, l->supervisor.request->vfs_options.read_only || m->code,
		    &e) < 0)
		return set_failure(l, OUTCOME_MOUNT, error_text(&e));
	return 0;
}

static int handle_worker_death(struct launcher *l)
{
	char line[200];
	int status = 0;

	if (waitpid(l->supervisor.worker_pid, &status, 0) == l->supervisor.worker_pid)
		l->supervisor.worker_pid = -1;
	supervisor_describe_exit(status, " before the mount was usable", line, sizeof(line));
	return set_failure(l, OUTCOME_MOUNT, line);
}

/* Handle a message of the worker. Returns 1 when it serves, 0 before that, -1 after a failure. */
static int handle_message(struct launcher *l)
{
	struct control_msg m;
	int r = control_recv(l->supervisor.worker_sock, &m);

	if (r < 0 && r != -EPROTO)
		return set_failure(l, OUTCOME_MOUNT, strerror(-r));
	if (r == 0)
		return handle_worker_death(l);
	if (r < 0)
		return 0;
	if (m.type == CONTROL_NOTE)
		messages_add(&l->supervisor.messages, "mapfs: %s: %s",
			l->supervisor.request->display_name, m.text);
	else if (m.type == CONTROL_FAILED)
		return set_failure(l,
			m.code == OUTCOME_BUSY || m.code == OUTCOME_MOUNT ? (enum outcome)m.code
									  : OUTCOME_REFUSED,
			m.text);
	else if (m.type == CONTROL_LOADED && !l->supervisor.mountpoint)
		return handle_loaded(l, &m);
	return m.type == CONTROL_SERVING && l->supervisor.dev[0];
}

static int wait_for_serving(struct launcher *l)
{
	struct pollfd p[] = {{.fd = l->supervisor.worker_sock, .events = POLLIN},
		{.fd = l->supervisor.signal_fd, .events = POLLIN}, {.fd = -1}};
	int r = 0;

	while (r == 0) {
		p[2] = messages_poll(&l->supervisor.messages);
		if (poll(p, 3, -1) < 0)
			continue;
		messages_write(&l->supervisor.messages);
		/* Once mounted, a program may have written a file: leave the signal to the
		 * supervisor, which lets the worker save. */
		if (p[1].revents)
			return l->supervisor.dev[0] ? 1
						    : set_failure(l, OUTCOME_MOUNT, "interrupted");
		if (p[0].revents)
			r = handle_message(l);
	}
	return r;
}

static int start_mount(struct launcher *l)
{
	struct supervisor *s = &l->supervisor;
	struct error e = ERROR_INIT;
	int r = mount_point_check(s->request, &l->covers_files, &e);

	s->signal_fd = open_signalfd();
	if (r == 0 && s->signal_fd < 0)
		r = error_errno(&e, "signalfd");
	if (r == 0)
		r = start_worker(s, &e);
	if (r < 0)
		return set_failure(l, OUTCOME_MOUNT, error_text(&e));
	/* While the worker reads the map. */
	if (geteuid() == 0)
		utab_load();
	return wait_for_serving(l);
}

/* End the worker and the mount, which no program has changed. */
static void abort_mount(struct supervisor *s)
{
	/* Before MOUNTED, a worker that loses this socket ends, and removes a --new file. */
	if (s->worker_sock >= 0)
		close(take_fd(&s->worker_sock));
	if (s->worker_pid > 0 && (!s->request->create || s->dev[0]))
		kill(s->worker_pid, SIGKILL);
	if (s->worker_pid > 0)
		(void)waitpid(s->worker_pid, NULL, 0);
	supervisor_clean(s, true);
}

static bool has_signal(const struct supervisor *s)
{
	struct pollfd p = {.fd = s->signal_fd, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

/* Make the mount public. If a signal is pending, stay in the foreground as the supervisor. */
static enum outcome finish_launch(struct launcher *l)
{
	struct supervisor *s = &l->supervisor;
	bool interrupted = !s->request->foreground && has_signal(s);
	bool stay = s->request->foreground || interrupted;
	enum outcome code = OUTCOME_DONE;

	if (l->covers_files)
		messages_add(&s->messages,
			"mapfs: %s: mount point %s is not empty: its files are hidden by the mount",
			s->request->display_name, s->mountpoint);
	if (l->read_only_reason[0])
		messages_add(&s->messages, "mapfs: %s: %s", s->request->display_name,
			l->read_only_reason);
	(void)control_send_text(s->worker_sock, CONTROL_KEEP, 0, NULL);
	supervisor_drop_rights(s);
	fflush(NULL);
	if (!stay && fork() == 0) {
		detach_from_terminal();
		openlog("mapfs", LOG_PID, LOG_DAEMON);
		exit((int)supervisor_run(s));
	}
	if (stay)
		code = supervisor_run(s);
	if (interrupted)
		messages_add(&s->messages, "mapfs: %s: interrupted", s->request->display_name);
	return interrupted && code == OUTCOME_DONE ? OUTCOME_MOUNT : code;
}

/* The kernel kills a worker that overflows its stack, without a message. */
static bool has_stack(const struct mount_request *rq)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= STACK_MIN)
		return true;
	print_line(stderr, "mapfs: %s: a mount needs a stack of %d kB (limited to %ju, ulimit -s)",
		rq->display_name, STACK_MIN >> 10, (uintmax_t)limit.rlim_cur >> 10);
	return false;
}

enum outcome launch(const struct mount_request *rq)
{
	struct launcher l = {
		.supervisor = {
			.request = rq, .worker_sock = -1, .worker_pid = -1, .signal_fd = -1}};

	if (!has_stack(rq))
		return OUTCOME_MOUNT;
	/* The mount must not keep descriptors of the caller (a lock, a pipe) or its working
	 * directory; the paths in rq are resolved. */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (chdir("/") < 0) {
		print_line(stderr, "mapfs: /: %s", strerror(errno));
		return OUTCOME_MOUNT;
	}
	/* nohup lets SIGHUP be ignored, which stays; the others must reach this process. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	if (start_mount(&l) > 0) {
		l.code = finish_launch(&l);
	} else {
		abort_mount(&l.supervisor);
		messages_add(&l.supervisor.messages, "mapfs: %s: %s", rq->display_name, l.failure);
	}
	messages_finish(&l.supervisor.messages);
	if (l.supervisor.worker_sock >= 0)
		close(l.supervisor.worker_sock);
	if (l.supervisor.signal_fd >= 0)
		close(l.supervisor.signal_fd);
	free(l.supervisor.mountpoint);
	return l.code;
}
