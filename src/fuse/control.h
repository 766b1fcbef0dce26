/* SPDX-License-Identifier: Zlib */
/*
 * control: what keeper, worker, the invoker and `mapfs -u` say to each other.
 *
 * All of them talk over SOCK_SEQPACKET sockets; one message is one packet. Both ends are the same
 * program, so the packet is the struct's own bytes; it never leaves the machine. Texts are whole
 * lines without a newline and without the "mapfs: FILE: " that the printing side puts before them.
 * The keeper trusts no message: the worker has read a stranger's file.
 *
 * Keeper (K) and worker (W), in the order of a mount's life:
 *
 *   W  NOTE*                what was assumed or repaired; K tells the person or the system log
 *   W  FAILED code text     the map is refused; W exits. code is the exit code (enum outcome)
 *   W  SOUND code           the map can be served. code 1: read-only although that was not asked
 *                           for, and text says why; code 0 otherwise
 *   K  MOUNTED fd           the /dev/fuse descriptor; W passes it to libfuse as /dev/fd/N, and
 *                           serves. K has the mount's root looked at through the kernel, and then
 *                           tells the invoker that the mount is usable
 *
 *   K  SAVE code        save now; W answers with what is set in below. CONTROL_MAY_STAY: where the
 *                       save fails, or what would vanish with the mount cannot be copied out,
 *                       _SAVE_FAILED is to be the answer: there is no unmount then.
 *                       CONTROL_DISCARD: nothing is saved now, nor at the end of the session; W
 *                       reports what is thrown away and answers SAVED at once
 *   W    PROGRESS*        done and total, in bytes, and in text what is being done; at most some
 *                         dozens a second. One with "" comes each second, so that who waits knows
 *                         that W is alive
 *   W    REPORT*          a line each: saved, removed, left, refused
 *   W    SAVED code       OUTCOME_DONE, _SAVE_FAILED, _LEFT or _CONFLICT. K sends no second SAVE
 *                         before it
 *
 *   K  KEEP             there is no unmount: DISCARD is taken back
 *   W  STOPPING             W got a signal that asks it to end: K starts the orderly stop
 *   K  QUIT                 the mount is gone from the tree; end the session although files may
 *                           still be open
 *   K  DOOR code fd         a listening socket (door.h's back door); W answers there when K is
 * gone. code 1: the mount point is to be removed at the end
 *
 * When the session ends (unmounted from outside, by K, or after QUIT) W saves once more by itself:
 * PROGRESS*, REPORT*, SAVED code, and exits with that code. Lines that a
 * SAVE reported in the same words before are not printed twice. A worker that goes without a SAVED
 * after MOUNTED counts as dead: K says that the journal is kept.
 *
 * K never waits for W while W may wait for K, and never touches the mount itself. W may wait for K.
 * Where K is gone, W's sends give -EPIPE and its receives 0: before MOUNTED it exits, afterwards it
 * serves on and saves at the end of the session all the same. The first `mapfs -u` that then comes
 * to the back door says UNMOUNT, hears ORPHAN with the code of DOOR, and is W's keeper from there
 * on: it sends SAVE, unmounts, and listens for the last SAVED.
 *
 * Invoker (I) and K: NOTE*, then DONE code text. `mapfs -u` (C) and K:
 *
 *   C  UNMOUNT code text    CONTROL_FORCE, CONTROL_DISCARD; the mount point as the kernel says it
 *   K  PROGRESS* REPORT*
 *   K  DONE code text       the exit code of `mapfs -u`, and an error's line, or ""
 */
#ifndef FUSE_CONTROL_H
#define FUSE_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "vfs/volume/outcome.h"

enum control_type {
	CONTROL_NOTE = 1,
	CONTROL_FAILED,
	CONTROL_SOUND,
	CONTROL_MOUNTED,
	CONTROL_SAVE,
	CONTROL_PROGRESS,
	CONTROL_REPORT,
	CONTROL_SAVED,
	CONTROL_STOPPING,
	CONTROL_QUIT,
	CONTROL_DOOR,
	CONTROL_UNMOUNT,
	CONTROL_DONE,
	CONTROL_ORPHAN,
	CONTROL_KEEP,
	CONTROL_DEVICE, /* this and the next: keeper_runner.h */
	CONTROL_ERRAND,
};

enum { CONTROL_TEXT_MAX = 4096 }; /* bytes with the ending NUL: a path, or a line */
/* The code of SAVE and UNMOUNT, a sum of these */
enum {
	CONTROL_MAY_STAY = 1, /* SAVE: see above */
	CONTROL_FORCE = 1,    /* UNMOUNT: even if the save fails or files are in use */
	CONTROL_DISCARD = 2,  /* both: nothing is saved */
};

struct control_msg {
	uint32_t type;
	int32_t code;
	uint64_t done, total; /* PROGRESS */
	int fd; /* MOUNTED, DOOR; -1 elsewhere. A received one is the receiver's to close */
	char text[CONTROL_TEXT_MAX];
};

/*
 * Send m, whose fd is borrowed and whose text is sent up to its NUL. Returns 0, -EPIPE where the
 * other end is gone (no signal), -EAGAIN where a non-blocking socket is full, or another -errno.
 */
int control_send(int sock, const struct control_msg *m);

/* A child with a socket between it and its parent: each gets its own end. Returns its pid, 0 in the
 * child, or -errno. */
pid_t control_fork(int *ret_sock, struct error *e);

/* control_send for type, code and a line of text, which is cut to fit; NULL is none. */
int control_tell(int sock, enum control_type type, int code, const char *text);

/*
 * Receive one message. Returns 1, 0 where the other end is gone, -EAGAIN where a non-blocking
 * socket has nothing, -EPROTO for what is no message (a descriptor in it is closed), or another
 * -errno.
 */
int control_recv(int sock, struct control_msg *ret);

/* The outcome of a save, by the code of SAVED, which may be anything. */
enum outcome control_outcome(int code);

#endif
