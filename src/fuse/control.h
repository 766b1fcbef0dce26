/* SPDX-License-Identifier: Zlib */
/*
 * control: the messages between launcher, worker and `mapfs -u`.
 *
 * They use SOCK_SEQPACKET sockets; one message is one packet. Both ends are the same program on the
 * same machine, so a packet holds the bytes of struct control_msg. Texts are whole lines without a
 * newline; the printing process adds "mapfs: FILE: ". No process trusts the worker, which has read
 * an untrusted file.
 *
 * Launcher (L) and worker (W), in this order:
 *
 *   W  NOTE* text           a line for the user, such as what W repaired; at any time
 *   W  FAILED code text     the map cannot be opened or served; code: enum outcome; W exits
 *   W  LOADED code          the map can be served. code 1: it is read-only although this was not
 *                           requested, and text is the reason; code 0 otherwise
 *   L  MOUNTED code fds     the /dev/fuse descriptor, which W passes to libfuse as /dev/fd/N, and
 *                           the listening control socket (control_socket.h). code 1: the mount
 *                           point was made for this mount, and is removed at the end
 *   W  SERVING              the kernel's first request arrived: the mount is usable
 *   L  KEEP                 the mount is public: W serves even if L exits. If L exits before KEEP,
 *                           W ends
 *   L  STOP                 save and end, as after SIGTERM
 *   W  REPORT*, SAVED code  after each save and after the last one, as below
 *
 * `mapfs -u` (C) and worker. W serves several clients; each that has sent a message gets them all:
 *
 *   C  SAVE code            save now. The code is a sum of:
 *                           CONTROL_MAY_STAY: C does not unmount if the save fails (SAVED with
 *                           OUTCOME_SAVE_FAILED), or if a file that only the mount holds cannot be
 *                           copied out (flag CONTROL_NOT_RESCUED);
 *                           CONTROL_DISCARD: W reports unsaved changes and saves them neither now
 *                           nor at the end, unless C disconnects before the end;
 *                           CONTROL_REMOVES_MOUNTPOINT: C removes the mount point
 *   W    PROGRESS*          bytes done and in total, and in text the step, or ""; several a second,
 *                           so that C knows that W is alive
 *   W    REPORT* text       one line of the report each (vfs/volume/report.h)
 *   W    SAVED code         OUTCOME_DONE, _SAVE_FAILED, _PARTIAL, _CONFLICT; if no save is pending
 *   C  QUIT                 C unmounted: end, although files may be open, or other namespaces have
 *                           copies of the mount
 *
 * When the session ends (by any unmount, after QUIT or a signal), W saves once more: PROGRESS*,
 * REPORT*, SAVED code. It does not repeat lines of the previous report. It exits with that code,
 * which includes the outcome of the previous save, unless that failed. If SAVED is not W's last
 * message, W counts as dead, and the journal is kept.
 *
 * W waits a second at most for a peer that does not read. It waits for L without a limit until the
 * mount is usable.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "vfs/volume/outcome.h"

enum control_type {
	CONTROL_NOTE = 1,
	CONTROL_FAILED,
	CONTROL_LOADED,
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
/* Flags in the code of SAVE. */
enum { CONTROL_MAY_STAY = 1, CONTROL_DISCARD = 2, CONTROL_REMOVES_MOUNTPOINT = 4 };
/* Flags of SAVED. */
enum {
	CONTROL_MADE_MOUNTPOINT = 1, /* also the code of MOUNTED: the mount made its mount point */
	CONTROL_CLIENT_REMOVES = 2,  /* to L: C removes the mount point, not the supervisor */
	CONTROL_NOT_RESCUED = 4,     /* a file that only the mount holds was not copied out */
};

struct control_msg {
	uint32_t type;
	int32_t code;
	uint32_t flags;       /* of SAVED */
	uint64_t done, total; /* bytes, of PROGRESS */
	char text[CONTROL_TEXT_MAX];
};

enum { CONTROL_FDS = 2 }; /* descriptors of MOUNTED */

/* Send a message; its text ends at the NUL. Returns 0, -EPIPE if the other end is closed (without
 * SIGPIPE), -EAGAIN if a non-blocking socket is full, or another -errno. */
int control_send(int sock, const struct control_msg *m);
/* Send a message with descriptors, which stay open here. Returns as control_send. */
int control_send_fds(int sock, const struct control_msg *m, const int fds[CONTROL_FDS]);

/* Send type, code and one line (or NULL), which is truncated to fit. Returns as control_send. */
int control_send_text(int sock, enum control_type type, int code, const char *text);

/*
 * Receive one message. Returns 1, 0 if the other end is closed, -EAGAIN if a non-blocking socket
 * has no packet, -EPROTO for an invalid packet (skipped), -EMFILE if this process has no room for
 * its descriptors, or another -errno. A failure closes all descriptors of the packet.
 */
int control_recv(int sock, struct control_msg *ret);
/* Receive a message with descriptors; the caller closes them. Returns as control_recv; a message
 * without descriptors is -EPROTO. */
int control_recv_fds(int sock, struct control_msg *ret, int ret_fds[CONTROL_FDS]);

/* Convert the untrusted code of SAVED: OUTCOME_SAVE_FAILED for an unknown code. */
enum outcome control_outcome(int code);
