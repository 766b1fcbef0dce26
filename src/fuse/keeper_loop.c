/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fuse/keeper_end.h"
#include "fuse/keeper_mountinfo.h"

/* How often a door that could not be opened is tried again. */
enum { DOOR_RETRY_MS = 200 };

static void read_worker(struct keeper *k)
{
	struct control_msg m;
	int r;

	while (k->control >= 0 && (r = control_recv(k->control, &m)) != -EAGAIN) {
		if (r == 1) {
			/* Nobody sends us descriptors; whoever does loses them. */
			if (m.fd >= 0)
				close(m.fd);
			keeper_message(k, &m);
		} else if (r != -EPROTO) {
			close(k->control);
			k->control = -1;
		}
	}
}

static void reap(struct keeper *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == k->worker) {
			read_worker(k); /* its last words */
			keeper_worker_ended(k, status);
		}
	}
}

static void read_runner(struct keeper *k)
{
	char text[400];
	int status;
	enum errand_kind kind = runner_answer(&k->runner, &status, text, sizeof(text));

	if (kind)
		keeper_errand_ended(k, kind, status, text);
}

static void read_signals(struct keeper *k, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(k);
		else
			keeper_wants_end(k, WISH_SIGNAL, false, NULL);
	}
}

enum { SLOT_SIGNALS, SLOT_CONTROL, SLOT_RUNNER, SLOT_MOUNTS, SLOT_INVOKER, SLOT_DOOR };
enum { SLOTS = SLOT_DOOR + 1 + DOOR_CLIENTS_MAX };

static int wait_for_events(struct keeper *k, int signals, int mounts, struct pollfd *p)
{
	bool try_again =
		k->state == KEEPER_SERVING && k->mounted && (k->door.listener < 0 || !k->back_door);
	bool ending = k->state == KEEPER_ENDING && k->ending_ms;
	size_t n;
	int r;

	/* poll ignores negative descriptors. */
	p[SLOT_SIGNALS] = (struct pollfd){.fd = signals, .events = POLLIN};
	p[SLOT_CONTROL] = (struct pollfd){.fd = k->control, .events = POLLIN};
	p[SLOT_RUNNER] = (struct pollfd){.fd = k->runner.sock, .events = POLLIN};
	p[SLOT_MOUNTS] = (struct pollfd){.fd = mounts, .events = POLLPRI};
	p[SLOT_INVOKER] = (struct pollfd){.fd = k->invoker};
	n = SLOT_DOOR + door_poll(&k->door, p + SLOT_DOOR);
	r = poll(p, n, try_again ? DOOR_RETRY_MS : ending ? KEEPER_ENDING_MS : -1);
	if (r < 0 && errno != EINTR)
		return -errno;
	if (ending)
		keeper_end_session(k);
	/* Also after events: on a machine that mounts all the time it never comes to a pause. */
	if (try_again)
		keeper_open_doors(k);
	return r > 0;
}

static bool is_meant(void *arg, const char *where)
{
	return keeper_is_meant(arg, where);
}

static void read_door(struct keeper *k)
{
	char where[CONTROL_TEXT_MAX];
	int flags = door_serve(&k->door, is_meant, k, where);

	if (flags >= 0)
		keeper_wants_end(k, flags & CONTROL_FORCE ? WISH_FORCED : WISH_ASKED,
			flags & CONTROL_DISCARD, where);
}

int keeper_loop(struct keeper *k, int signals)
{
	CLEANUP(close_fd) int mounts = open(MOUNTINFO, O_RDONLY | O_CLOEXEC);
	struct pollfd p[SLOTS];

	while (k->state != KEEPER_OVER) {
		int r = wait_for_events(k, signals, mounts, p);

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		if (p[SLOT_CONTROL].revents)
			read_worker(k);
		if (p[SLOT_RUNNER].revents)
			read_runner(k);
		if (p[SLOT_SIGNALS].revents)
			read_signals(k, signals);
		if (p[SLOT_MOUNTS].revents)
			keeper_mounts_changed(k);
		if (p[SLOT_INVOKER].revents && k->invoker >= 0) {
			/* Whoever asked is gone before the mount was usable. */
			close(k->invoker);
			k->invoker = -1;
			keeper_wants_end(k, WISH_SIGNAL, false, NULL);
		}
		if (k->state != KEEPER_OVER)
			read_door(k);
	}
	return 0;
}
