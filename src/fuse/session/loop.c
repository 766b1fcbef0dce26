/* SPDX-License-Identifier: Zlib */
/* The worker's loop: requests, finished jobs, signals, launcher and clients. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuse/session/session.h"

enum { REQUESTS_AT_A_TIME = 64 }; /* before other descriptors are served */

static void handle_launcher_gone(struct session *s)
{
	s->is_launcher_gone = true;
	(void)shutdown(s->launcher_fd, SHUT_RDWR);
	/* No user knows of this mount, so none would unmount it. */
	if (!s->is_public)
		fuse_session_exit(s->fuse);
}

void session_send(struct session *s, const struct control_msg *m)
{
	if (!s->is_launcher_gone && m->type != CONTROL_PROGRESS &&
		control_socket_send_one(s->launcher_fd, m) < 0)
		handle_launcher_gone(s);
	(void)control_socket_send(&s->control, m);
}

static void handle_launcher(struct session *s)
{
	struct control_msg m;
	int r = control_recv(s->launcher_fd, &m);

	if (r == 1 && m.type == CONTROL_KEEP)
		s->is_public = true;
	else if (r == 1 && m.type == CONTROL_STOP)
		session_stop(s);
	else if (r == 0 || (r < 0 && r != -EAGAIN && r != -EPROTO))
		handle_launcher_gone(s);
}

static void handle_client(void *arg, const struct control_msg *m)
{
	struct session *s = arg;

	if (!m || m->type == CONTROL_SAVE)
		s->client_removes_mountpoint = m && m->code & CONTROL_REMOVES_MOUNTPOINT;
	if (!m)
		mounted_keep(&s->tree);
	else if (m->type == CONTROL_QUIT)
		fuse_session_exit(s->fuse);
	else if (m->type == CONTROL_SAVE && m->code & CONTROL_DISCARD)
		session_discard(s);
	else if (m->type == CONTROL_SAVE)
		session_save(s, m->code & CONTROL_MAY_STAY);
}

static void handle_signal(struct session *s, int signal_fd)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		session_stop(s);
}

/* Process requests. Returns false if the session is over. */
static bool handle_requests(struct session *s, struct fuse_buf *buf)
{
	for (int i = 0; i < REQUESTS_AT_A_TIME; i++) {
		int r = fuse_session_receive_buf(s->fuse, buf);

		if (r == -EINTR)
			continue;
		if (r == -EAGAIN)
			return true;
		if (r <= 0)
			return false;
		fuse_session_process_buf(s->fuse, buf);
	}
	return true;
}

/* Is the session over? Then a new client may mean a later mount with our device number. */
static bool is_session_over(int fuse_fd)
{
	struct pollfd p = {.fd = fuse_fd};

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

/* Timeout for poll in ms, or -1. */
static int poll_timeout(struct session *s)
{
	int wait = mounted_timeout(&s->tree);

	return (s->pending_saves || s->control.is_full) && (wait < 0 || wait > SESSION_HEARTBEAT_MS)
		       ? SESSION_HEARTBEAT_MS
		       : wait;
}

enum { SLOT_FUSE, SLOT_POOL, SLOT_SIGNAL, SLOT_LAUNCHER, SLOT_CONTROL };

/* Wait for events and handle them. Returns false if the session is over. */
static bool poll_once(struct session *s, int signal_fd, struct fuse_buf *buf)
{
	int fuse_fd = fuse_session_fd(s->fuse);
	struct pollfd p[SLOT_CONTROL + 1 + CONTROL_CLIENTS_MAX] = {
		{.fd = fuse_fd, .events = POLLIN},
		{.fd = pool_fd(s->pool), .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
		{.fd = s->is_launcher_gone ? -1 : s->launcher_fd, .events = POLLIN},
	};
	size_t n = SLOT_CONTROL + control_socket_poll(&s->control, p + SLOT_CONTROL);
	int r = poll(p, n, poll_timeout(s));
	bool has_client = s->control.is_full;

	if (r < 0 && errno != EINTR)
		return false;
	mounted_tick(&s->tree);
	if (s->pending_saves)
		session_heartbeat(s);
	if (r < 0)
		return true;
	if (p[SLOT_POOL].revents)
		pool_complete(s->pool);
	if (p[SLOT_SIGNAL].revents)
		handle_signal(s, signal_fd);
	if (p[SLOT_LAUNCHER].revents)
		handle_launcher(s);
	for (size_t i = SLOT_CONTROL; i < n; i++)
		has_client |= p[i].revents != 0;
	if (has_client && is_session_over(fuse_fd))
		return false;
	if (has_client)
		control_socket_serve(&s->control, handle_client, s);
	return !p[SLOT_FUSE].revents || handle_requests(s, buf);
}

void session_run(struct session *s, int signal_fd)
{
	struct fuse_buf buf = {0};
	int fuse_fd = fuse_session_fd(s->fuse);

	s->owner = pthread_self();
	(void)fcntl(fuse_fd, F_SETFL, fcntl(fuse_fd, F_GETFL) | O_NONBLOCK);
	(void)fcntl(s->launcher_fd, F_SETFL, O_NONBLOCK);
	while (!fuse_session_exited(s->fuse) && poll_once(s, signal_fd, &buf))
		;
	free(buf.mem);
	/* The next mount may get this device number, and needs the name of the socket. */
	control_socket_shut(&s->control);
}
