/* SPDX-License-Identifier: Zlib */
/*
 * control socket: where `mapfs -u` connects to the worker of a mount.
 *
 * An abstract unix socket. Its name is derived from the mount's device, so neither side touches the
 * mount: "mapfs/0:52". If another process has taken that name, a period and 16 random digits are
 * added, "mapfs/0:52.0123456789abcdef"; the client finds this name in /proc/net/unix. Any user may
 * take such names or connect to them. So both ends ask the kernel for the peer's user (SO_PEERCRED)
 * and talk only to root and to the user who mounted. Neither end waits for an unknown peer.
 *
 * The kernel reuses device numbers. So a client may connect to the worker of an earlier mount whose
 * session is over. That worker closes the connection without a message, and the client connects
 * again, to the next mount.
 *
 * A worker may have used up its descriptors, and `mapfs -u` must still reach it. So one descriptor
 * is kept spare: it is closed if accept4 finds none free, and when a client leaves, its descriptor
 * becomes the spare one (dup3, so that it is never free in between).
 *
 * Calling sequence of a worker: control_socket_init, _adopt, then in its loop _poll, _serve and
 * _send; _shut when the session ends, and _finish. One thread at a time.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "fuse/control.h"

enum { CONTROL_CLIENTS_MAX = 16 };

struct control_socket {
	int listener; /* -1: closed */
	int spare;    /* -1: a client uses it, or another thread took it */
	bool is_full; /* accept4 had no descriptor or memory; a client waits in the backlog */
	int clients[CONTROL_CLIENTS_MAX];     /* -1: free */
	bool is_waiting[CONTROL_CLIENTS_MAX]; /* has sent a message: gets all replies */
};

/* Create the socket for a device, such as "0:52". Returns the listening socket, or -errno. */
int control_socket_open(const char *dev);

void control_socket_init(struct control_socket *s);
/* Take over a listening socket, and open the spare descriptor. Returns 0, or -errno if no
 * descriptor is left for that; s has the listener nevertheless. */
int control_socket_adopt(struct control_socket *s, int listener);
void control_socket_finish(struct control_socket *s);
void control_socket_shut(struct control_socket *s); /* accept no more clients; keep the others */

/* Fill in the descriptors to poll, at most 1 + CONTROL_CLIENTS_MAX. Returns their number. */
size_t control_socket_poll(const struct control_socket *s, struct pollfd *ret);

/* Accept a client. Receive at most one message from each client, and call fn with it, or with NULL
 * if the client disconnected after an earlier message. Call it when poll reports a descriptor, and
 * regularly while is_full. */
typedef void control_socket_handler(void *arg, const struct control_msg *m);
void control_socket_serve(struct control_socket *s, control_socket_handler *fn, void *arg);

/* Send a message to each waiting client, as control_socket_send_one. Disconnects those that fail,
 * and returns the number of the others. */
size_t control_socket_send(struct control_socket *s, const struct control_msg *m);

/* Send a message on a non-blocking socket, waiting for a second at most. PROGRESS is dropped if the
 * socket is full, which is no failure. Returns 0 or -errno. */
int control_socket_send_one(int sock, const struct control_msg *m);

/* Connect a client to the worker of a mount that `owner` mounted. Returns a non-blocking socket, or
 * -errno: -EPERM if another user has the name, -ECONNREFUSED if no process has. Never blocks. */
int control_socket_connect(const char *dev, uid_t owner);
