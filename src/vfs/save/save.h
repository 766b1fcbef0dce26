/* SPDX-License-Identifier: Zlib */
/*
 * One save of a volume, on a worker thread, while the volume's commit queue is held: the tree holds
 * still meanwhile.
 */
#pragma once

#include "formats/format.h"
#include "vfs/overlay/overlay_build.h"
#include "vfs/tree/call.h"
#include "vfs/volume/external.h"
#include "vfs/volume/volume.h"

struct save_job {
	struct volume *vol;
	struct vfs_host *host;
	struct snapshot *map;              /* that is to be written; borrowed, as is ... */
	const struct overlay_build *build; /* ... the tree with all that was found of it */
	bool first; /* of a map that --new makes: its tree is still that of an empty map after */
	bool ends;  /* nobody goes on from it: it is not opened anew */

	/* results */
	struct report report;
	enum outside outside;  /* what other programs did to the map, once that was looked at */
	bool same;             /* there was nothing to write after all */
	bool saved;            /* the following are set */
	bool unsure;           /* renamed, but not known to be on disk: the old journal stays */
	struct snapshot *base; /* what was written, opened anew; NULL where `first` or `ends` */
	struct source written; /* the new files; set before that, too */
	struct stat stat, second_stat;
	char name[NAME_MAX + 1], second_name[NAME_MAX + 1];
	struct journal next;
};

/* May the map be written? Why it is refused is in the report. */
int save_check(struct save_job *s, struct error *e);
/* Writes it to new files, which are then read back and on disk; outs[1] is NULL where the map is
 * one file. Sets written. */
int save_encode(struct save_job *s, struct replace *const outs[], struct error *e);
/* leave.c: does the tree hold what the map does not? */
bool has_carried_over(const struct overlay_build *s);
/* ... as operations on the map's own tree: fn returns 0, or -errno, which ends it. */
typedef int (*carry_over_fn)(void *arg, const struct journal_op *op);
int carry_over(const struct overlay_build *s, carry_over_fn fn, void *arg);
/* Both, for the volume's own files; journal of what is left, rename. Fills the results. */
void save_write(struct save_job *s);
/* On the owner's thread: the volume goes on from what was saved. */
void save_adopt(struct save_job *s);
/* There is none to be written: the report says why. */
void save_failed(struct save_job *s, const struct error *e);
/* Told by every save after the one that went elsewhere, in the same words. */
void report_conflict(struct report *r, const struct volume *vol);
/* Told of a map that the mount made, as long as nothing was saved into it. */
void report_fresh(const struct volume *vol, struct report *report);
/* The journal was set aside (journal_remove's ret_kept), or not (""). */
void report_kept(struct report *r, const char *journal);
/* On any thread. */
void save_job_finish(struct save_job *s);
