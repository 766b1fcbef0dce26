/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_door.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

/* How long a client may leave its socket full before it is sent away. */
enum { CLIENT_PATIENCE_MS = 1000 };

static const char front[] = "", back[] = "/worker";

static socklen_t address(const char *dev, const char *which, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "mapfs/%s%s", dev, which);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool peer_is(int sock, uid_t who)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &n) < 0)
		return false;
	return cred.uid == who || cred.uid == 0;
}

void door_init(struct door *d)
{
	d->listener = -1;
	for (size_t i = 0; i < DOOR_CLIENTS_MAX; i++) {
		d->clients[i] = -1;
		d->waiting[i] = false;
	}
}

static void send_away(struct door *d, size_t i)
{
	if (d->clients[i] >= 0)
		close(d->clients[i]);
	d->clients[i] = -1;
	d->waiting[i] = false;
}

void door_finish(struct door *d)
{
	door_shut(d);
	for (size_t i = 0; i < DOOR_CLIENTS_MAX; i++)
		send_away(d, i);
}

static int open_at(const char *dev, const char *which)
{
	CLEANUP(close_fd) int sock = -1;
	struct sockaddr_un a;
	socklen_t n = address(dev, which, &a);

	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0 || bind(sock, (struct sockaddr *)&a, n) < 0 ||
		listen(sock, DOOR_CLIENTS_MAX) < 0)
		return -errno;
	return take_fd(&sock);
}

int door_open(struct door *d, const char *dev)
{
	int sock = open_at(dev, front);

	if (sock < 0)
		return sock;
	d->listener = sock;
	return 0;
}

int door_open_back(const char *dev)
{
	return open_at(dev, back);
}

void door_shut(struct door *d)
{
	if (d->listener >= 0)
		close(d->listener);
	d->listener = -1;
}

size_t door_poll(const struct door *d, struct pollfd *ret)
{
	size_t n = 0;

	if (d->listener >= 0)
		ret[n++] = (struct pollfd){.fd = d->listener, .events = POLLIN};
	for (size_t i = 0; i < DOOR_CLIENTS_MAX; i++) {
		if (d->clients[i] >= 0)
			ret[n++] = (struct pollfd){.fd = d->clients[i], .events = POLLIN};
	}
	return n;
}

int door_answer(int listener, int flags)
{
	CLEANUP(close_fd) int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC | flags);

	if (sock < 0)
		return -errno;
	return peer_is(sock, geteuid()) ? take_fd(&sock) : -EPERM;
}

static void let_in(struct door *d)
{
	int sock = door_answer(d->listener, SOCK_NONBLOCK);

	if (sock < 0)
		return;
	for (size_t i = 0; i < DOOR_CLIENTS_MAX; i++) {
		if (d->clients[i] < 0) {
			d->clients[i] = sock;
			return;
		}
	}
	close(sock);
}

int door_serve(struct door *d, door_is_meant *is_meant, void *arg, char *ret_where)
{
	struct control_msg m;
	int flags = -1;

	if (d->listener >= 0)
		let_in(d);
	for (size_t i = 0; i < DOOR_CLIENTS_MAX; i++) {
		int r = d->clients[i] < 0 ? -EAGAIN : control_recv(d->clients[i], &m);

		if (r == -EAGAIN)
			continue;
		if (r != 1 || m.type != CONTROL_UNMOUNT || !is_meant(arg, m.text)) {
			send_away(d, i);
			continue;
		}
		d->waiting[i] = true;
		memcpy(ret_where, m.text, sizeof(m.text));
		flags = (flags < 0 ? 0 : flags) | (m.code & (CONTROL_FORCE | CONTROL_DISCARD));
	}
	return flags;
}

static int tell_patiently(int sock, const struct control_msg *m)
{
	struct pollfd p = {.fd = sock, .events = POLLOUT};
	int r = control_send(sock, m);

	if (r == -EAGAIN && m->type == CONTROL_PROGRESS)
		return 0;
	if (r == -EAGAIN && poll(&p, 1, CLIENT_PATIENCE_MS) == 1)
		r = control_send(sock, m);
	return r;
}

void door_tell(struct door *d, const struct control_msg *m)
{
	for (size_t i = 0; i < DOOR_CLIENTS_MAX; i++) {
		if (!d->waiting[i])
			continue;
		if (tell_patiently(d->clients[i], m) < 0 || m->type == CONTROL_DONE)
			send_away(d, i);
	}
}

static int knock_at(const char *dev, const char *which, uid_t owner)
{
	/* Whoever took the name may leave his queue full: nobody is waited for who is not known. */
	CLEANUP(close_fd)
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	socklen_t n = address(dev, which, &a);

	if (sock < 0 || connect(sock, (struct sockaddr *)&a, n) < 0)
		return -errno;
	if (!peer_is(sock, owner))
		return -EPERM;
	if (fcntl(sock, F_SETFL, 0) < 0)
		return -errno;
	return take_fd(&sock);
}

int door_knock(const char *dev, uid_t owner)
{
	return knock_at(dev, front, owner);
}

int door_knock_back(const char *dev, uid_t owner)
{
	return knock_at(dev, back, owner);
}
