/* SPDX-License-Identifier: Zlib */
#include "fuse/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SOCKETS "/proc/net/unix" /* those of this network namespace, with their names */
enum { LISTENS = 1 << 16 /* in its column "Flags" */ };

/* How long a client may leave its socket full before it is sent away. */
enum { CLIENT_PATIENCE_MS = 1000 };

enum { NAME_ROOM = 96, DIGITS = 16 };

static void name_of(const char *dev, char *ret)
{
	snprintf(ret, NAME_ROOM, "mapfs/%s", dev);
}

static socklen_t address(const char *name, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(ret->sun_path + 1, name, strlen(name));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static bool peer_is(int sock, uid_t who)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &n) < 0)
		return false;
	return cred.uid == who || cred.uid == 0;
}

void control_socket_init(struct control_socket *d)
{
	d->listener = d->spare = -1;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		d->clients[i] = -1;
		d->waiting[i] = false;
	}
}

int control_socket_take(struct control_socket *d, int listener)
{
	d->listener = listener;
	d->spare = fcntl(listener, F_DUPFD_CLOEXEC, 0);
	return d->spare < 0 ? -errno : 0;
}

/* A client's descriptor becomes the spare one without being free in between. */
static void send_away(struct control_socket *d, size_t i)
{
	int fd = d->clients[i];

	if (fd >= 0 && d->spare < 0 && d->listener >= 0)
		d->spare = dup3(d->listener, fd, O_CLOEXEC);
	if (fd >= 0 && d->spare != fd)
		close(fd);
	d->clients[i] = -1;
	d->waiting[i] = false;
}

void control_socket_finish(struct control_socket *d)
{
	control_socket_shut(d);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		send_away(d, i);
}

static int listen_at(const char *name)
{
	CLEANUP(close_fd) int sock = -1;
	struct sockaddr_un a;
	socklen_t n = address(name, &a);

	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0 || bind(sock, (struct sockaddr *)&a, n) < 0 ||
		listen(sock, CONTROL_CLIENTS_MAX) < 0)
		return -errno;
	return take_fd(&sock);
}

/* The first name may be another's: anybody can have taken it. The next one nobody foresees. */
int control_socket_open(const char *dev)
{
	char name[NAME_ROOM];
	uint64_t random;
	size_t n;
	int sock;

	name_of(dev, name);
	sock = listen_at(name);
	if (sock != -EADDRINUSE)
		return sock;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -errno;
	n = strlen(name);
	snprintf(name + n, sizeof(name) - n, ".%016" PRIx64, random);
	return listen_at(name);
}

void control_socket_shut(struct control_socket *d)
{
	if (d->listener >= 0)
		close(d->listener);
	if (d->spare >= 0)
		close(d->spare);
	d->listener = d->spare = -1;
}

size_t control_socket_poll(const struct control_socket *d, struct pollfd *ret)
{
	size_t n = 0;

	if (d->listener >= 0 && !d->full)
		ret[n++] = (struct pollfd){.fd = d->listener, .events = POLLIN};
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (d->clients[i] >= 0)
			ret[n++] = (struct pollfd){.fd = d->clients[i], .events = POLLIN};
	}
	return n;
}

static int accept_client(struct control_socket *d)
{
	int sock = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return sock < 0 ? -errno : sock;
}

/* If no descriptor is free, the spare one makes room. If there is none (a client uses it, or
 * another thread was faster), or memory is short, poll would report the same client again at once:
 * look again later. */
static void let_in(struct control_socket *d)
{
	CLEANUP(close_fd) int sock = accept_client(d);

	if ((sock == -EMFILE || sock == -ENFILE) && d->spare >= 0) {
		close(take_fd(&d->spare));
		sock = accept_client(d);
	}
	d->full = sock < 0 && sock != -EAGAIN;
	if (sock < 0 || !peer_is(sock, geteuid()))
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (d->clients[i] < 0) {
			d->clients[i] = take_fd(&sock);
			return;
		}
	}
}

void control_socket_serve(struct control_socket *d, control_socket_received *fn, void *arg)
{
	struct control_msg m;

	if (d->listener >= 0)
		let_in(d);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		int r = d->clients[i] < 0 ? -EAGAIN : control_recv(d->clients[i], &m);

		if (r == -EAGAIN)
			continue;
		if (r == 1) {
			d->waiting[i] = true;
			fn(arg, &m);
			continue;
		}
		r = d->waiting[i];
		send_away(d, i);
		if (r)
			fn(arg, NULL);
	}
}

int control_socket_send_one(int sock, const struct control_msg *m)
{
	struct pollfd p = {.fd = sock, .events = POLLOUT};
	int r = control_send(sock, m);

	if (r == -EAGAIN && m->type == CONTROL_PROGRESS)
		return 0;
	if (r == -EAGAIN && poll(&p, 1, CLIENT_PATIENCE_MS) == 1)
		r = control_send(sock, m);
	return r;
}

size_t control_socket_send(struct control_socket *d, const struct control_msg *m)
{
	size_t n = 0;

	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (!d->waiting[i])
			continue;
		/* It is heard to be gone, then. */
		if (control_socket_send_one(d->clients[i], m) < 0)
			(void)shutdown(d->clients[i], SHUT_RDWR);
		else
			n++;
	}
	return n;
}

static int knock_at(const char *name, uid_t owner)
{
	/* Whoever took the name may leave his queue full: nobody is waited for who is not known. */
	CLEANUP(close_fd)
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	socklen_t n = address(name, &a);

	if (sock < 0 || connect(sock, (struct sockaddr *)&a, n) < 0)
		return -errno;
	if (!peer_is(sock, owner))
		return -EPERM;
	return take_fd(&sock);
}

/* The name in a line of SOCKETS, if it is a further one of `first`; NULL: it is not. */
static const char *further_name(char *line, const char *first)
{
	char *name = strstr(line, " @");
	size_t n = strlen(first);
	unsigned flags;

	if (!name || strncmp(name + 2, first, n) != 0 || name[2 + n] != '.')
		return NULL;
	/* The ends of connections have the name, too. */
	if (sscanf(line, "%*s %*s %*s %x", &flags) != 1 || !(flags & LISTENS))
		return NULL;
	name += 2;
	name[strcspn(name, "\n")] = '\0';
	return strlen(name) == n + 1 + DIGITS ? name : NULL;
}

int control_socket_connect(const char *dev, uid_t owner)
{
	CLEANUP(free) char *line = NULL;
	char first[NAME_ROOM];
	size_t room = 0;
	int sock, r;
	FILE *f;

	name_of(dev, first);
	sock = r = knock_at(first, owner);
	f = sock < 0 ? fopen(SOCKETS, "re") : NULL;
	while (sock < 0 && f && getline(&line, &room, f) > 0) {
		const char *name = further_name(line, first);

		if (name)
			sock = knock_at(name, owner);
	}
	if (f)
		fclose(f);
	return sock < 0 ? r : sock;
}
