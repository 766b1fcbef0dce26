/* SPDX-License-Identifier: Zlib */
#include "fuse/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuse/keeper_door.h"

enum { REQUESTS_AT_A_TIME = 64 }; /* before the other descriptors get a turn */
/* How long one that came in by the door may leave its socket full before it is let go. */
enum { KEEPER_PATIENCE_S = 1 };
enum { BEAT_MS = 1000 }; /* between two signs of life during a save */

static void keeper_gone(struct front *f)
{
	if (f->control_fd >= 0)
		close(f->control_fd);
	f->control_fd = -1;
	mounted_keep(&f->tree);
}

void front_tell(struct front *f, enum control_type type, int code, const char *text)
{
	int r = f->control_fd < 0 ? 0 : control_tell(f->control_fd, type, code, text);

	if (r == -EPIPE || r == -EAGAIN)
		keeper_gone(f);
}

static void take_door(struct front *f, struct control_msg *m)
{
	if (f->door_fd >= 0)
		close(f->door_fd);
	f->door_fd = m->fd;
	f->door_code = m->code;
	m->fd = -1;
}

static void on_message(struct front *f, struct control_msg *m)
{
	switch (m->type) {
	case CONTROL_DOOR:
		take_door(f, m);
		break;
	case CONTROL_UNMOUNT:
		front_tell(f, CONTROL_ORPHAN, f->door_code, NULL);
		break;
	case CONTROL_SAVE:
		if (m->code & CONTROL_DISCARD)
			front_discard(f);
		else
			front_save(f, m->code & CONTROL_MAY_STAY);
		break;
	case CONTROL_KEEP:
		mounted_keep(&f->tree);
		break;
	case CONTROL_QUIT:
		fuse_session_exit(f->se);
		break;
	default:
		break;
	}
}

static void on_control(struct front *f)
{
	struct control_msg m;
	int r = control_recv(f->control_fd, &m);

	if (r == 0 || (r < 0 && r != -EAGAIN && r != -EPROTO && r != -EINTR))
		keeper_gone(f);
	else if (r > 0)
		on_message(f, &m);
	if (r > 0 && m.fd >= 0)
		close(m.fd);
}

/* While there is a keeper, who comes here is sent back to it. */
static void on_door(struct front *f)
{
	struct timeval patience = {.tv_sec = KEEPER_PATIENCE_S};
	int sock = door_answer(f->door_fd, 0);

	if (sock < 0)
		return;
	if (f->control_fd >= 0) {
		close(sock);
		return;
	}
	(void)setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	f->control_fd = sock;
}

static void on_signal(struct front *f, int signal_fd)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (f->control_fd >= 0)
		front_tell(f, CONTROL_STOPPING, 0, NULL);
	if (f->control_fd >= 0)
		return;
	f->stopping = true;
	front_save(f, false);
}

/* False: the session is over. */
static bool on_requests(struct front *f, struct fuse_buf *buf)
{
	for (int i = 0; i < REQUESTS_AT_A_TIME; i++) {
		int r = fuse_session_receive_buf(f->se, buf);

		if (r == -EINTR)
			continue;
		if (r == -EAGAIN)
			return true;
		if (r <= 0)
			return false;
		fuse_session_process_buf(f->se, buf);
	}
	return true;
}

/* Returns how long to wait at most, in ms. */
static int beat(struct front *f, int wait)
{
	int64_t now = clock_ms();

	if (!f->saves)
		return wait;
	if (now - f->beat_ms >= BEAT_MS) {
		f->beat_ms = now;
		f->host.progress(&f->host, "", 0, 0);
	}
	return wait < 0 || wait > BEAT_MS ? BEAT_MS : wait;
}

void loop_run(struct front *f, int signal_fd)
{
	struct fuse_buf buf = {0};
	int fuse_fd = fuse_session_fd(f->se);
	bool serving = true;

	(void)fcntl(fuse_fd, F_SETFL, fcntl(fuse_fd, F_GETFL) | O_NONBLOCK);
	while (serving && !fuse_session_exited(f->se)) {
		struct pollfd p[] = {
			{.fd = fuse_fd, .events = POLLIN},
			{.fd = pool_fd(f->pool), .events = POLLIN},
			{.fd = signal_fd, .events = POLLIN},
			{.fd = f->control_fd, .events = POLLIN}, /* -1 is passed over */
			{.fd = f->door_fd, .events = POLLIN},
		};

		if (poll(p, 5, beat(f, mounted_timeout(&f->tree))) < 0 && errno != EINTR)
			break;
		mounted_tick(&f->tree);
		if (p[1].revents)
			pool_complete(f->pool);
		if (p[2].revents)
			on_signal(f, signal_fd);
		if (p[3].revents)
			on_control(f);
		if (p[4].revents)
			on_door(f);
		if (p[0].revents)
			serving = on_requests(f, &buf);
	}
	free(buf.mem);
	/* Its name goes with the number of the device, which the next mount may get. */
	if (f->door_fd >= 0)
		close(f->door_fd);
	f->door_fd = -1;
}
