/* SPDX-License-Identifier: Zlib */
/*
 * door: where `mapfs -u` finds the keeper of a mount and waits for its answer.
 *
 * An abstract unix socket whose name follows from the mount's device, so that neither side has to
 * touch the mount: "mapfs/0:52", or where somebody has that name, it and 16 random digits behind a
 * point, "mapfs/0:52.0123456789abcdef", which a client finds in the kernel's list of sockets.
 * Anybody may take such names or knock at them: both ends ask the kernel who the other is
 * (SO_PEERCRED), and talk only to the user who mounted, and to root; nobody waits for another.
 *
 * The number of a device is given out again as soon as it is free, so a client may come to the
 * keeper of the mount that had it before. It is sent away without a word then, and comes again, to
 * the next one in turn.
 *
 * The back door is a second such socket, which the worker has for the case that its keeper dies.
 */
#ifndef FUSE_KEEPER_DOOR_H
#define FUSE_KEEPER_DOOR_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "fuse/control.h"

enum { DOOR_CLIENTS_MAX = 16 };

struct door {
	int listener;                   /* -1: closed */
	int clients[DOOR_CLIENTS_MAX];  /* -1: free */
	bool waiting[DOOR_CLIENTS_MAX]; /* has asked, and waits for DONE */
};

void door_init(struct door *d);
void door_finish(struct door *d);

int door_open(struct door *d, const char *dev);
int door_open_back(const char *dev); /* returns the listening socket, or -errno */
void door_shut(struct door *d);      /* no new clients; those inside stay */

/* Fills at most 1 + DOOR_CLIENTS_MAX entries; returns how many. */
size_t door_poll(const struct door *d, struct pollfd *ret);

/* Whether an UNMOUNT of this mount point is for us. */
typedef bool door_is_meant(void *arg, const char *where);

/*
 * Takes in who knocks and reads what the clients say. Who means another is sent away. Returns the
 * flags of all new UNMOUNT messages and the last one's mount point (CONTROL_TEXT_MAX bytes), or -1
 * where there was none.
 */
int door_serve(struct door *d, door_is_meant *is_meant, void *arg, char *ret_where);

/* Lets one client in whose user may ask: a socket with these flags (SOCK_NONBLOCK), or -errno. */
int door_answer(int listener, int flags);

/* To all that wait; DONE ends their visit. A client that does not read is sent away. */
void door_tell(struct door *d, const struct control_msg *m);

/*
 * For the client: connect to a keeper of a mount that `owner` made. Returns a socket, or -errno,
 * without having waited. *turn, 0 at first, says which one where there are several, and is moved on
 * to the next.
 */
int door_knock(const char *dev, uid_t owner, unsigned *turn);
int door_knock_back(const char *dev, uid_t owner, unsigned *turn);

#endif
