/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "fuse/keeper_mount.h"
#include "fuse/keeper_mountinfo.h"
#include "fuse/keeper_point.h"
#include "fuse/keeper_state.h"
#include "fuse/worker.h"

void keeper_say(struct keeper *k, int priority, const char *fmt, ...)
{
	char line[CONTROL_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (k->invoker >= 0)
		control_tell(k->invoker, CONTROL_NOTE, 0, line);
	else if (k->rq->foreground)
		say(stderr, "mapfs: %s: %s", k->rq->shown, line);
	else
		runner_log(&k->runner, priority, line);
}

static void ask_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGCHLD);
	sigaddset(ret, SIGHUP);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
}

/* The worker's process: of all that is open it keeps 0 to 2 and the socket. */
static _Noreturn void become_worker(const struct mount_request *rq, int sock)
{
	sigset_t none;

	if (sock != 3)
		dup2(sock, 3);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	close_range(4, ~0U, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	exit(worker_main(rq, 3));
}

static int start_worker(struct keeper *k, struct error *e)
{
	int sock;
	pid_t pid = control_fork(&sock, e);

	if (pid < 0)
		return (int)pid;
	if (pid == 0)
		become_worker(k->rq, sock);
	fcntl(sock, F_SETFL, O_NONBLOCK);
	k->control = sock;
	k->worker = pid;
	return 0;
}

static int run_keeper(struct keeper *k, struct error *e)
{
	CLEANUP(close_fd) int signals = -1;
	sigset_t mask;
	int r;

	r = point_look(k->rq, &k->covers, e);
	if (r < 0)
		return r;
	ask_signals(&mask);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return error_errno(e, "signalfd");
	r = runner_start(&k->runner, k->watch, e);
	if (r == 0)
		r = start_worker(k, e);
	if (r < 0)
		return r;
	r = keeper_loop(k, signals);
	return r < 0 ? error_set(e, r, "poll: %s", strerror(-r)) : 0;
}

static enum outcome keep(const struct mount_request *rq, int invoker)
{
	struct error e = ERROR_INIT;
	struct keeper k;
	enum outcome result;

	/* An inherited "ignore" of SIGHUP is nohup's and stays; these two must reach us. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	keeper_init(&k, rq, invoker);
	if (run_keeper(&k, &e) < 0) {
		k.result = OUTCOME_MOUNT;
		if (k.invoker >= 0)
			control_tell(k.invoker, CONTROL_DONE, (int)k.result, error_text(&e));
		else
			keeper_say(&k, LOG_ERR, "%s", error_text(&e));
	}
	result = k.result;
	keeper_finish(&k);
	return result;
}

static _Noreturn void become_keeper(const struct mount_request *rq, int invoker)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	openlog("mapfs", LOG_PID, LOG_DAEMON);
	exit((int)keep(rq, invoker));
}

/* Print what the keeper says until it is done one way or the other. */
static enum outcome listen_to_keeper(const struct mount_request *rq, int sock)
{
	struct control_msg m;
	int r;

	while ((r = control_recv(sock, &m)) == 1 && m.type == CONTROL_NOTE)
		say(stderr, "mapfs: %s: %s", rq->shown, m.text);
	if (r != 1 || m.type != CONTROL_DONE) {
		say(stderr, "mapfs: %s: the process that keeps the mount died", rq->shown);
		return OUTCOME_MOUNT;
	}
	if (m.text[0])
		say(stderr, "mapfs: %s: %s", rq->shown, m.text);
	return (enum outcome)m.code;
}

enum { WAIT_MS = 2000, PAUSE_MS = 10 };

struct dead {
	const struct mount_request *rq;
	size_t before; /* mounts of the map that stood before this start: theirs is another's to say
			*/
	char *point;   /* owned */
};

static bool is_of_map(const struct dead *d, const struct mount_entry *entry)
{
	return entry->mapfs && entry->owner == geteuid() && strcmp(entry->source, d->rq->path) == 0;
}

static void count_before(void *arg, const char *point, const struct mount_entry *entry)
{
	struct dead *d = arg;

	(void)point;
	d->before += is_of_map(d, entry);
}

/* They are in the order of mounting. */
static void find_dead(void *arg, const char *point, const struct mount_entry *entry)
{
	struct dead *d = arg;
	struct statvfs fs;

	if (d->point || !is_of_map(d, entry))
		return;
	if (d->before) {
		d->before--;
		return;
	}
	/* Attributes the kernel may know of before; of this it asks each time. */
	if (statvfs(point, &fs) < 0 && (errno == ENOTCONN || errno == ECONNABORTED))
		d->point = strdup(point);
}

/* A start that failed is over when the last of its processes is gone; one may still mount. */
static void wait_for_all(void)
{
	int left = WAIT_MS;

	while (left > 0 && waitpid(-1, NULL, WNOHANG) >= 0) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
		left -= PAUSE_MS;
	}
}

/* Whichever of them was killed, this start leaves no mount that answers nobody. */
static void unmount_dead(struct dead *d)
{
	char text[CONTROL_TEXT_MAX];

	wait_for_all();
	if (mountinfo_each(MOUNTINFO, find_dead, d) < 0 || !d->point)
		return;
	if (keeper_unmount(d->point, true, text, sizeof(text)) == 0 && d->rq->make_mountpoint)
		(void)rmdir(d->point);
	free(d->point);
}

enum outcome keeper_start(const struct mount_request *rq)
{
	CLEANUP(close_fd) int mine = -1;
	struct dead dead = {.rq = rq};
	enum outcome code;
	int ends[2];
	pid_t pid;

	/* What a caller left open (a lock, the end of a pipe) is not for the life of the mount; the
	 * paths in rq are resolved. */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (chdir("/") < 0) {
		say(stderr, "mapfs: /: %s", strerror(errno));
		return OUTCOME_MOUNT;
	}
	if (rq->foreground)
		return keep(rq, -1);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		say(stderr, "mapfs: %s: socketpair: %s", rq->shown, strerror(errno));
		return OUTCOME_MOUNT;
	}
	mine = ends[0];
	(void)mountinfo_each(MOUNTINFO, count_before, &dead);
	/* All of them are waited for where the start fails. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(mine);
		become_keeper(rq, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		say(stderr, "mapfs: %s: fork: %s", rq->shown, strerror(errno));
		return OUTCOME_MOUNT;
	}
	code = listen_to_keeper(rq, mine);
	if (code != OUTCOME_DONE)
		unmount_dead(&dead);
	return code;
}
