/* SPDX-License-Identifier: Zlib */
/*
 * door: where `mapfs -u` finds the worker of a mount and waits for its answer.
 *
 * An abstract unix socket whose name follows from the mount's device, so that neither side has to
 * touch the mount: "mapfs/0:52", or where somebody has that name, it and 16 random digits behind a
 * point, "mapfs/0:52.0123456789abcdef", which a client finds in the kernel's list of sockets.
 * Anybody may take such names or knock at them: both ends ask the kernel who the other is
 * (SO_PEERCRED), and talk only to the user who mounted, and to root; nobody waits for another.
 *
 * The number of a device is given out again as soon as it is free, so a client may come to the
 * worker of the mount that had it before: one whose session is over. Its door is shut then without
 * a word, and the client comes again, to the next one.
 *
 * A worker may have used up its descriptors, and `mapfs -u` must still reach it. So one descriptor
 * is kept spare: it is closed before accept4, and when that client leaves, the client's descriptor
 * becomes the spare one (dup3, so that it is never free in between).
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "fuse/control.h"

enum { CONTROL_CLIENTS_MAX = 16 };

struct control_socket {
	int listener; /* -1: closed */
	int spare;    /* -1: a client uses it, or another thread was faster */
	bool full;    /* accept4 had no descriptor or memory; its client waits in the backlog */
	int clients[CONTROL_CLIENTS_MAX];  /* -1: free */
	bool waiting[CONTROL_CLIENTS_MAX]; /* has asked, and waits for SAVED */
};

/* Returns the listening socket, or -errno. */
int control_socket_open(const char *dev);

void control_socket_init(struct control_socket *d);
/* Listen on a socket, which the door owns from then on. -errno: no descriptor is left for the spare
 * one; the door owns the socket even so. */
int control_socket_take(struct control_socket *d, int listener);
void control_socket_finish(struct control_socket *d);
void control_socket_shut(struct control_socket *d); /* no new clients; those inside stay */

/* Fills at most 1 + CONTROL_CLIENTS_MAX entries; returns how many. */
size_t control_socket_poll(const struct control_socket *d, struct pollfd *ret);

/* To call when poll reports one of them, and from time to time while the door is full. Takes in who
 * knocks, and calls fn for each message, and with NULL for a client that asked for
 * something and is gone. */
typedef void control_socket_received(void *arg, const struct control_msg *m);
void control_socket_serve(struct control_socket *d, control_socket_received *fn, void *arg);

/* To all that wait; returns how many. A client that does not read is sent away. */
size_t control_socket_send(struct control_socket *d, const struct control_msg *m);

/* To one end of a socket that does not block, for a second at most; of PROGRESS not at all. */
int control_socket_send_one(int sock, const struct control_msg *m);

/*
 * For the client: connect to the worker of a mount that `owner` made. Returns a socket that does
 * not block, or -errno, without having waited.
 */
int control_socket_connect(const char *dev, uid_t owner);
