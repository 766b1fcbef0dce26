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

#define SOCKET_LIST "/proc/net/unix" /* sockets of this network namespace, with names */
enum { FLAG_LISTENS = 1 << 16 /* in its column "Flags" */ };

/* Time for which a client may leave its socket full before it is disconnected. */
enum { CLIENT_PATIENCE_MS = 1000 };

enum { NAME_ROOM = 96, RANDOM_DIGITS = 16 };

static void format_name(const char *dev, char *ret)
{
	snprintf(ret, NAME_ROOM, "mapfs/%s", dev);
}

static socklen_t fill_address(const char *name, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(ret->sun_path + 1, name, strlen(name));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static bool is_peer(int sock, uid_t who)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &n) < 0)
		return false;
	return cred.uid == who || cred.uid == 0;
}

void control_socket_init(struct control_socket *s)
{
	s->listener = s->spare = -1;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		s->clients[i] = -1;
		s->is_waiting[i] = false;
	}
}

int control_socket_adopt(struct control_socket *s, int listener)
{
	s->listener = listener;
	s->spare = fcntl(listener, F_DUPFD_CLOEXEC, 0);
	return s->spare < 0 ? -errno : 0;
}

/* Disconnect a client. Its descriptor becomes the missing spare one, without being free between. */
static void remove_client(struct control_socket *s, size_t i)
{
	int fd = s->clients[i];

	if (fd >= 0 && s->spare < 0 && s->listener >= 0)
		s->spare = dup3(s->listener, fd, O_CLOEXEC);
	if (fd >= 0 && s->spare != fd)
		close(fd);
	s->clients[i] = -1;
	s->is_waiting[i] = false;
}

void control_socket_finish(struct control_socket *s)
{
	control_socket_shut(s);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		remove_client(s, i);
}

static int listen_at(const char *name)
{
	CLEANUP(close_fd) int sock = -1;
	struct sockaddr_un a;
	socklen_t n = fill_address(name, &a);

	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0 || bind(sock, (struct sockaddr *)&a, n) < 0 ||
		listen(sock, CONTROL_CLIENTS_MAX) < 0)
		return -errno;
	return take_fd(&sock);
}

/* Any user can take the first name; the random one cannot be guessed. */
int control_socket_open(const char *dev)
{
	char name[NAME_ROOM];
	uint64_t random;
	size_t n;
	int sock;

	format_name(dev, name);
	sock = listen_at(name);
	if (sock != -EADDRINUSE)
		return sock;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -errno;
	n = strlen(name);
	snprintf(name + n, sizeof(name) - n, ".%016" PRIx64, random);
	return listen_at(name);
}

void control_socket_shut(struct control_socket *s)
{
	if (s->listener >= 0)
		close(s->listener);
	if (s->spare >= 0)
		close(s->spare);
	s->listener = s->spare = -1;
}

size_t control_socket_poll(const struct control_socket *s, struct pollfd *ret)
{
	size_t n = 0;

	if (s->listener >= 0 && !s->is_full)
		ret[n++] = (struct pollfd){.fd = s->listener, .events = POLLIN};
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (s->clients[i] >= 0)
			ret[n++] = (struct pollfd){.fd = s->clients[i], .events = POLLIN};
	}
	return n;
}

static int accept_client(struct control_socket *s)
{
	int sock = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return sock < 0 ? -errno : sock;
}

/* Accept a client. If no descriptor is free, close the spare one first. If that fails too, or
 * memory is short, set is_full: poll would report the same client again at once, so retry later. */
static void add_client(struct control_socket *s)
{
	CLEANUP(close_fd) int sock = accept_client(s);

	if ((sock == -EMFILE || sock == -ENFILE) && s->spare >= 0) {
		close(take_fd(&s->spare));
		sock = accept_client(s);
	}
	s->is_full = sock < 0 && sock != -EAGAIN;
	if (sock < 0 || !is_peer(sock, geteuid()))
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (s->clients[i] < 0) {
			s->clients[i] = take_fd(&sock);
			return;
		}
	}
}

void control_socket_serve(struct control_socket *s, control_socket_handler *fn, void *arg)
{
	struct control_msg m;

	if (s->listener >= 0)
		add_client(s);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		int r = s->clients[i] < 0 ? -EAGAIN : control_recv(s->clients[i], &m);

		if (r == -EAGAIN)
			continue;
		if (r == 1) {
			s->is_waiting[i] = true;
			fn(arg, &m);
			continue;
		}
		r = s->is_waiting[i];
		remove_client(s, i);
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

size_t control_socket_send(struct control_socket *s, const struct control_msg *m)
{
	size_t n = 0;

	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (!s->is_waiting[i])
			continue;
		/* control_socket_serve then removes the client. */
		if (control_socket_send_one(s->clients[i], m) < 0)
			(void)shutdown(s->clients[i], SHUT_RDWR);
		else
			n++;
	}
	return n;
}

static int connect_to_name(const char *name, uid_t owner)
{
	/* Non-blocking: an unknown process with this name may leave its queue full. */
	CLEANUP(close_fd)
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	socklen_t n = fill_address(name, &a);

	if (sock < 0 || connect(sock, (struct sockaddr *)&a, n) < 0)
		return -errno;
	if (!is_peer(sock, owner))
		return -EPERM;
	return take_fd(&sock);
}

/* Find a listening socket in a line of SOCKET_LIST whose name is `first` with random digits.
 * Returns the name in the line, or NULL. */
static const char *parse_random_name(char *line, const char *first)
{
	char *name = strstr(line, " @");
	size_t n = strlen(first);
	unsigned flags;

	if (!name || strncmp(name + 2, first, n) != 0 || name[2 + n] != '.')
		return NULL;
	/* Accepted connections have the name, too. */
	if (sscanf(line, "%*s %*s %*s %x", &flags) != 1 || !(flags & FLAG_LISTENS))
		return NULL;
	name += 2;
	name[strcspn(name, "\n")] = '\0';
	return strlen(name) == n + 1 + RANDOM_DIGITS ? name : NULL;
}

int control_socket_connect(const char *dev, uid_t owner)
{
	CLEANUP(free) char *line = NULL;
	char first[NAME_ROOM];
	size_t room = 0;
	int sock, r;
	FILE *f;

	format_name(dev, first);
	sock = r = connect_to_name(first, owner);
	f = sock < 0 ? fopen(SOCKET_LIST, "re") : NULL;
	while (sock < 0 && f && getline(&line, &room, f) > 0) {
		const char *name = parse_random_name(line, first);

		if (name)
			sock = connect_to_name(name, owner);
	}
	if (f)
		fclose(f);
	return sock < 0 ? r : sock;
}
