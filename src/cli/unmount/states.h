/* SPDX-License-Identifier: Zlib */
/*
 * states: the unmount of one target as a state machine.
 *
 * The machine waits in one function (wait_once in states.c). That function ends a state when its
 * limit has passed, whatever the worker, the users of the mount and the disk do. Calls to the
 * mount, and calls to the map's disk that --force must be able to end, run in a child process
 * (attempt.h), for which the machine waits in the same function. Two calls run without a child: the
 * look for free room after a failed save, and the removal of discarded journals. unmount_limit has
 * the limits:
 *
 *   state    does                                        limit           with --force
 *   CONNECT  connect to the worker's socket, every 50    1 s             1 s
 *            ms: the launcher may be about to open it
 *   SAVE     ask for the save, print its report          -               silence
 *   SYNC     no worker: fsync the mount's root; with     - (discard 4 s) 4 s
 *            --discard only ask whether it answers
 *   UNMOUNT  unmount, every 50 ms for 2 s while it is    6 s             4 s
 *            in use; then until users are seen, for 0.5
 *            s at most, and name them. Lazily with
 *            --force, or a worker silent, died or dead (4 s)
 *   END      ask the worker to exit, print its report    -               silence
 *   JOURNAL  print which journals there are              -               4 s
 *
 * "-": no limit, since a save or a disk may take long. In SAVE and END a message mentions --force
 * after 8 s without a message from the worker.
 * silence: 4 s without a message (a worker that saves sends several a second), or 20 s without
 * progress of the save. The limit of UNMOUNT holds while the mount is in the tree. After that the
 * kernel writes pages back through the worker, and the machine waits for it without a limit, unless
 * the unmount is a lazy one.
 *
 *   state    event                                       next state
 *   CONNECT  connected to the worker of this mount       SAVE
 *            not mounted any more                        JOURNAL, code 1
 *            mounted by another user                     DONE, code 3
 *            limit                                       SYNC
 *   SAVE     the worker sends SAVED (it has the code)    UNMOUNT
 *            SAVED with code 4, or a file could not be   DONE
 *            copied out, without --force
 *            socket closed before any message: the       CONNECT, 50 times; then SYNC
 *            session of that worker is over
 *            socket closed                               UNMOUNT, worker died, code 4
 *            limit                                       UNMOUNT, worker silent
 *   SYNC     saved                                       UNMOUNT, worker out of reach, code 0 or 5
 *            failed, without --force                     DONE, code 4
 *            failed, with --force                        UNMOUNT, code 4
 *            no process serves the mount                 UNMOUNT, worker dead
 *            limit, without --discard                    UNMOUNT, worker silent
 *            --discard: a process serves it, or limit    DONE, code 7
 *   UNMOUNT  unmounted, and the worker listens           END
 *            the same, but mounted elsewhere as well     DONE
 *            unmounted, and the worker is out of reach   DONE
 *            unmounted, and it is silent, died or dead   JOURNAL
 *            the mount is in use                         DONE, code 7
 *            another failure, or limit                   DONE, code 3
 *            either, and the worker died                 JOURNAL
 *   END      socket closed after SAVED                   DONE, with the code of that
 *            socket closed                               UNMOUNT, worker died, code 4
 *            limit                                       UNMOUNT, worker silent
 *   JOURNAL  a code is set                               DONE, with that code
 *            there is none                               DONE, code 0
 *            there is one, or a failure, or limit        DONE, code 4
 *            discard, and the worker is dead             DONE, once they are discarded (no limit)
 */
#pragma once

#include "cli/target.h"
#include "cli/unmount/console.h"

struct unmount_options {
	bool force, discard, verbose;
};

enum unmount_state {
	STATE_CONNECT,
	STATE_SAVE,
	STATE_SYNC,
	STATE_UNMOUNT,
	STATE_END,
	STATE_JOURNAL,
	STATE_DONE,
};

enum unmount_worker {
	WORKER_LISTENS,      /* or not known yet */
	WORKER_OUT_OF_REACH, /* no socket, as in another network namespace; the mount answers */
	WORKER_SILENT,       /* stopped, or waiting for the disk */
	WORKER_DIED,         /* after SAVE was sent */
	WORKER_DEAD,         /* before the unmount */
};

struct unmount {
	const struct unmount_options *options;
	struct mount_entry *entry; /* of the target */
	struct console console;
	enum unmount_state state;
	enum unmount_worker worker;
	int code;                   /* the exit code; -1: JOURNAL decides */
	int sock;                   /* to the worker, or -1 */
	unsigned stale_connections; /* connections to workers whose session was over */
	bool has_message;           /* the worker has sent a message */
	bool owns_mountpoint; /* the mount point was made for this mount, and may be removed */
	bool names_users;     /* attempt_unmount prints the users of the mount if it fails */
	struct control_msg progress; /* the last PROGRESS with a text, for the terminal */
	/* Times in ms (base/threads/clock.h) */
	int64_t started, now;
	int64_t since;      /* the state began, or the last message came */
	int64_t progressed; /* the state began, or the save made progress */
};

/* Unmount a target. If it is not mounted, print that and its journals, or discard them (--discard).
 * is_one_of_many: prefix the lines of its report. Returns the exit code. */
int unmount_target(struct target *t, const struct unmount_options *how, bool is_one_of_many);

/* Does UNMOUNT unmount lazily? */
bool unmount_is_lazy(const struct unmount *u);

/* The time at which the state ends; INT64_MAX if it has no limit. Public for tests. */
int64_t unmount_limit(const struct unmount *u);
/* Receive messages, and print the report, until SAVED (*ret; WORKER_LISTENS), until the worker
 * closes the socket (WORKER_DIED), or until the limit (WORKER_SILENT). Public for tests. */
enum unmount_worker unmount_receive(struct unmount *u, struct control_msg *ret);
