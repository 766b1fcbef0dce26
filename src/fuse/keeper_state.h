/* SPDX-License-Identifier: Zlib */
/*
 * state: the life of one mount as the keeper sees it. keeper_loop.c waits and reads, keeper_state.c
 * decides, keeper_start.c is before and after.
 *
 *   OPENING     the worker looks at the file                  until SOUND or FAILED
 *   PROBING     mounted, descriptor sent; an errand looks at the root through the kernel
 *                                                             until it has
 *   SERVING     nothing to do
 *   SAVING      SAVE was sent                                 until SAVED
 *   UNMOUNTING  an errand unmounts                                until it has
 *   ENDING      the worker saves what is left                 until it is gone
 *   CLEANING    the worker is gone; an errand may have to unmount
 *   OVER
 */
#ifndef FUSE_KEEPER_STATE_H
#define FUSE_KEEPER_STATE_H

#include <stdarg.h>
#include <stdbool.h>
#include <sys/types.h>

#include "fuse/control.h"
#include "fuse/keeper_door.h"
#include "fuse/keeper_lines.h"
#include "fuse/keeper_runner.h"
#include "fuse/request.h"

enum keeper_state {
	KEEPER_OPENING,
	KEEPER_PROBING,
	KEEPER_SERVING,
	KEEPER_SAVING,
	KEEPER_UNMOUNTING,
	KEEPER_ENDING,
	KEEPER_CLEANING,
	KEEPER_OVER,
};

/* How much the end is wanted; more never becomes less but by a refusal to who asked. */
enum keeper_wish {
	WISH_NONE,
	WISH_ASKED,  /* mapfs -u: only if the save succeeds (or is not wanted) and nothing is in use
		      */
	WISH_FORCED, /* mapfs -u --force: whatever happens, lazily */
	WISH_SIGNAL, /* a signal: the same, and no way back */
};

struct keeper {
	const struct mount_request *rq;
	enum keeper_state state;
	enum keeper_wish wish;
	int invoker; /* who waits for the mount to be usable; -1: nobody, or told */
	int control; /* to the worker; -1 when it is gone */
	pid_t worker;
	struct runner runner;
	struct door door;
	char *point;      /* where it is mounted, without symbolic links; NULL before */
	char *made_point; /* the mount point that is ours to remove; NULL: none */
	char dev[24];     /* st_dev of the mount; "" before */
	int watch;        /* on the mount (keeper_watch.h); -1: none */
	bool watched;     /* it is there, since the mount was usable */
	bool gone;        /* the file system ended: dev may be another's */
	bool mounted;     /* as far as we know */
	bool noted;       /* there is a note of it (keeper_note.h) that nobody has taken back */
	bool read_only;
	bool covers;           /* the mount point held something */
	bool back_door;        /* the worker has it */
	char *note;            /* for when the mount is usable: why it is read-only; NULL: none */
	struct lines reported; /* REPORT lines since the last SAVE */
	bool discard;          /* the SAVE under way, or the last one, was to throw away */
	int64_t ending_ms;     /* when the mount was gone and the worker was to end */
	enum outcome saved;    /* by the last SAVE that was answered */
	bool has_saved;        /* a SAVED came since the last SAVE was sent */
	enum outcome result;   /* what the keeper ends with */
	char why[1000];        /* the line for it */
};

void keeper_init(struct keeper *k, const struct mount_request *rq, int invoker);
void keeper_finish(struct keeper *k);

/* Events. Each handles what happened and moves the state on. */
void keeper_message(struct keeper *k, struct control_msg *m);
/* where: the mount point that was named, or NULL. discard: nothing is to be saved. */
void keeper_wants_end(struct keeper *k, enum keeper_wish wish, bool discard, const char *where);
void keeper_errand_ended(struct keeper *k, enum errand_kind kind, int status, const char *text);
void keeper_worker_ended(struct keeper *k, int wait_status);
void keeper_mounts_changed(struct keeper *k);
/* Whether `mapfs -u` of this mount point means us. */
bool keeper_is_meant(struct keeper *k, const char *where);

/* Open those doors that are not open yet; false: a name is taken, perhaps by the mount that had the
 * device's number before. To be tried again. */
bool keeper_open_doors(struct keeper *k);

/* A line for people: to the invoker while it waits, to stderr in the foreground, else to the system
 * log. priority is syslog's. */
void keeper_say(struct keeper *k, int priority, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Run the loop until KEEPER_OVER. signals is a signalfd. */
int keeper_loop(struct keeper *k, int signals);

#endif
