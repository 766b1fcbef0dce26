/* SPDX-License-Identifier: Zlib */
/*
 * control: what launcher, worker and `mapfs -u` say to each other.
 *
 * All of them talk over SOCK_SEQPACKET sockets; one message is one packet. Both ends are the same
 * program, so the packet is the struct's own bytes; it never leaves the machine. Texts are whole
 * lines without a newline and without the "mapfs: FILE: " that the printing side puts before them.
 * Nobody trusts the worker, which has read a stranger's file.
 *
 * Launcher (L) and worker (W):
 *
 *   W  NOTE*                what was assumed or repaired, at any time
 *   W  FAILED code text     the map is refused; W exits. code is the exit code (enum outcome)
 *   W  SOUND code           the map can be served. code 1: read-only although that was not asked
 *                           for, and text says why; code 0 otherwise
 *   L  MOUNTED code fds     the /dev/fuse descriptor, which W passes to libfuse as /dev/fd/N, and
 *                           the socket where W listens for `mapfs -u` (door.h); W serves. code 1:
 *                           the mount point was made for this mount, and is to be removed at the
 *                           end
 *   W  SERVING              the kernel was answered: the mount is usable
 *   L  KEEP                 people know of the mount: W serves on whether L is there or not. Where
 *                           L goes before that, W ends
 *   L  STOP                 end, as after SIGTERM
 *   W  REPORT*, SAVED code  of each save, as below, and of the last one
 *
 * `mapfs -u` (C) and worker, which talks with several at a time, and tells all of them the same:
 *
 *   C  SAVE code            save now. CONTROL_MAY_STAY: there is no unmount if the save fails
 *                           (code _SAVE_FAILED), or if a file that only the mount holds cannot be
 *                           copied out (flag CONTROL_UNRESCUED). CONTROL_DISCARD: nothing is saved
 *                           now, nor at the end, and W reports what is thrown away; taken back
 *                           where C goes before the end. CONTROL_CLEANS: C will remove the mount
 *                           point
 *   W    PROGRESS*          done and total, in bytes, and in text what is being done, or "";
 *                           several a second, so that C knows that W is alive
 *   W    REPORT*            a line each: saved, removed, left, refused
 *   W    SAVED code         OUTCOME_DONE, _SAVE_FAILED, _LEFT or _CONFLICT
 *   C  QUIT                 the mount is gone from the tree: end, although files may be open, or
 *                           other namespaces have copies of it
 *
 * When the session ends (unmounted by whomever, after QUIT or a signal) W saves once more by
 * itself: PROGRESS*, REPORT*, SAVED code, and exits with that code, which takes the save before
 * into account. Lines that were reported in the same words before are not told again. A worker that
 * goes without a SAVED after that counts as dead: the journal is kept.
 *
 * W never waits for the others but for an instant, and for L until the mount is usable.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "vfs/volume/outcome.h"

enum control_type {
	CONTROL_NOTE = 1,
	CONTROL_FAILED,
	CONTROL_SOUND,
	CONTROL_MOUNTED,
	CONTROL_SERVING,
	CONTROL_KEEP,
	CONTROL_STOP,
	CONTROL_SAVE,
	CONTROL_PROGRESS,
	CONTROL_REPORT,
	CONTROL_SAVED,
	CONTROL_QUIT,
};

enum { CONTROL_TEXT_MAX = 4096 }; /* bytes with the ending NUL: a path, or a line */
/* The code of SAVE, a sum of these */
enum { CONTROL_MAY_STAY = 1, CONTROL_DISCARD = 2, CONTROL_CLEANS = 4 };
/* What SAVED says in flags, a sum of these */
enum {
	CONTROL_MADE = 1,    /* MOUNTED's code */
	CONTROL_CLEANED = 2, /* a `mapfs -u` that said CLEANS hears it */
	CONTROL_UNRESCUED = 4,
};

struct control_msg {
	uint32_t type;
	int32_t code;
	uint32_t flags;       /* SAVED */
	uint64_t done, total; /* PROGRESS */
	char text[CONTROL_TEXT_MAX];
};

enum { CONTROL_FDS = 2 }; /* of MOUNTED */

/*
 * Send m, whose text is sent up to its NUL. Returns 0, -EPIPE where the other end is gone (no
 * signal), -EAGAIN where a non-blocking socket is full, or another -errno.
 */
int control_send(int sock, const struct control_msg *m);
/* ... with descriptors, which are borrowed. */
int control_pass(int sock, const struct control_msg *m, const int fds[CONTROL_FDS]);

/* control_send for type, code and a line of text, which is cut to fit; NULL is none. */
int control_tell(int sock, enum control_type type, int code, const char *text);

/*
 * Receive one message. Returns 1, 0 where the other end is gone, -EAGAIN where a non-blocking
 * socket has nothing, -EPROTO for what is no message, -EMFILE if there is no room for its
 * descriptors (those that came are closed), or another -errno.
 */
int control_recv(int sock, struct control_msg *ret);
/* ... which has descriptors, that are the receiver's to close. */
int control_take(int sock, struct control_msg *ret, int ret_fds[CONTROL_FDS]);

/* The outcome of a save, by the code of SAVED, which may be anything. */
enum outcome control_outcome(int code);
