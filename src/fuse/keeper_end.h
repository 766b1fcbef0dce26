/* SPDX-License-Identifier: Zlib */
/*
 * end: how a mount fails to come to be, is unmounted, and is cleaned up after; the half of the
 * keeper's states (keeper_state.h) from UNMOUNTING on.
 */
#ifndef FUSE_KEEPER_END_H
#define FUSE_KEEPER_END_H

#include "fuse/keeper_state.h"

bool keeper_mounted_at(struct keeper *k, const char *point);
/* Whether the mount is in the tree at all. It may have been moved, or bound to a second place: then
 * k->point follows it. */
bool keeper_still_mounted(struct keeper *k);
void keeper_set_point(struct keeper *k, char *point); /* takes point */

void keeper_close_control(struct keeper *k);
/* DONE to the invoker, if there is one still. */
void keeper_tell_invoker(struct keeper *k, enum outcome code, const char *text);

/* What the keeper ends with; the first counts. */
void keeper_set_result(struct keeper *k, enum outcome code, const char *text);
/* The mount does not come to be. Nothing was written that the worker could save. */
void keeper_fail(struct keeper *k, enum outcome code, const char *text);

/* UNMOUNTING, as far as k->wish goes; and what follows when its errand has ended with status. */
void keeper_start_unmount(struct keeper *k);
void keeper_unmount_ended(struct keeper *k, bool lazy, int status, const char *text);
/* How long a session may take to end by itself once the mount is gone; and QUIT after that. */
enum { KEEPER_ENDING_MS = 2000 };
void keeper_end_session(struct keeper *k);
/* The clients hear why not, and the mount is served as before. */
void keeper_refuse_end(struct keeper *k, enum outcome code, const char *text);

/* CLEANING, and OVER where nothing is left to unmount. */
void keeper_clean(struct keeper *k);

#endif
