/* SPDX-License-Identifier: Zlib */
/* The worker's loop over its descriptors: requests, finished jobs, signals, the launcher, and who
 * asks for a save. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuse/session/session.h"

enum { REQUESTS_AT_A_TIME = 64 }; /* before the other descriptors get a turn */

static void launcher_gone(struct session *f)
{
	f->launcher_gone = true;
	(void)shutdown(f->launcher_fd, SHUT_RDWR);
	/* Nobody would ever unmount what nobody was told of. */
	if (!f->is_public)
		fuse_session_exit(f->fuse);
}

void session_send(struct session *f, const struct control_msg *m)
{
	if (!f->launcher_gone && m->type != CONTROL_PROGRESS &&
		control_socket_send_one(f->launcher_fd, m) < 0)
		launcher_gone(f);
	(void)control_socket_send(&f->control, m);
}

static void on_launcher(struct session *f)
{
	struct control_msg m;
	int r = control_recv(f->launcher_fd, &m);

	if (r == 1 && m.type == CONTROL_KEEP)
		f->is_public = true;
	else if (r == 1 && m.type == CONTROL_STOP)
		session_stop(f);
	else if (r == 0 || (r < 0 && r != -EAGAIN && r != -EPROTO))
		launcher_gone(f);
}

static void heard(void *arg, const struct control_msg *m)
{
	struct session *f = arg;

	if (!m || m->type == CONTROL_SAVE)
		f->client_removes_mountpoint = m && m->code & CONTROL_CLEANS;
	if (!m)
		mounted_keep(&f->tree);
	else if (m->type == CONTROL_QUIT)
		fuse_session_exit(f->fuse);
	else if (m->type == CONTROL_SAVE && m->code & CONTROL_DISCARD)
		session_discard(f);
	else if (m->type == CONTROL_SAVE)
		session_save(f, m->code & CONTROL_MAY_STAY);
}

static void on_signal(struct session *f, int signal_fd)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		session_stop(f);
}

/* False: the session is over. */
static bool on_requests(struct session *f, struct fuse_buf *buf)
{
	for (int i = 0; i < REQUESTS_AT_A_TIME; i++) {
		int r = fuse_session_receive_buf(f->fuse, buf);

		if (r == -EINTR)
			continue;
		if (r == -EAGAIN)
			return true;
		if (r <= 0)
			return false;
		fuse_session_process_buf(f->fuse, buf);
	}
	return true;
}

/* Who came by the number of our device has meant us only if it is ours still. */
static bool is_over(int fuse_fd)
{
	struct pollfd p = {.fd = fuse_fd};

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

/* In ms, at most */
static int wait_of(struct session *f)
{
	int wait = mounted_timeout(&f->tree);

	return (f->saves || f->control.full) && (wait < 0 || wait > SESSION_HEARTBEAT_MS)
		       ? SESSION_HEARTBEAT_MS
		       : wait;
}

enum { SLOT_FUSE, SLOT_POOL, SLOT_SIGNAL, SLOT_LAUNCHER, SLOT_DOOR };

/* False: the session is over. */
static bool turn(struct session *f, int signal_fd, struct fuse_buf *buf)
{
	int fuse_fd = fuse_session_fd(f->fuse);
	struct pollfd p[SLOT_DOOR + 1 + CONTROL_CLIENTS_MAX] = {
		{.fd = fuse_fd, .events = POLLIN},
		{.fd = pool_fd(f->pool), .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
		{.fd = f->launcher_gone ? -1 : f->launcher_fd, .events = POLLIN},
	};
	size_t n = SLOT_DOOR + control_socket_poll(&f->control, p + SLOT_DOOR);
	int r = poll(p, n, wait_of(f));
	bool knocks = f->control.full;

	if (r < 0 && errno != EINTR)
		return false;
	mounted_tick(&f->tree);
	if (f->saves)
		session_heartbeat(f);
	if (r < 0)
		return true;
	if (p[SLOT_POOL].revents)
		pool_complete(f->pool);
	if (p[SLOT_SIGNAL].revents)
		on_signal(f, signal_fd);
	if (p[SLOT_LAUNCHER].revents)
		on_launcher(f);
	for (size_t i = SLOT_DOOR; i < n; i++)
		knocks |= p[i].revents != 0;
	if (knocks && is_over(fuse_fd))
		return false;
	if (knocks)
		control_socket_serve(&f->control, heard, f);
	return !p[SLOT_FUSE].revents || on_requests(f, buf);
}

void session_run(struct session *f, int signal_fd)
{
	struct fuse_buf buf = {0};
	int fuse_fd = fuse_session_fd(f->fuse);

	f->owner = pthread_self();
	(void)fcntl(fuse_fd, F_SETFL, fcntl(fuse_fd, F_GETFL) | O_NONBLOCK);
	(void)fcntl(f->launcher_fd, F_SETFL, O_NONBLOCK);
	while (!fuse_session_exited(f->fuse) && turn(f, signal_fd, &buf))
		;
	free(buf.mem);
	/* Its name goes with the number of the device, which the next mount may get. */
	control_socket_shut(&f->control);
}
