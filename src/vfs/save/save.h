/* SPDX-License-Identifier: Zlib */
/*
 * One save of a volume, on a worker thread, while the volume's commit queue is held: nothing is
 * applied meanwhile, so what it sees holds still.
 */
#ifndef VFS_SAVE_SAVE_H
#define VFS_SAVE_SAVE_H

#include "vfs/tree/node.h"

struct draft {
	char *path;
	char *reason;
	struct extent content;
};

struct save_job {
	struct volume *vol;
	struct vfs_host *host;
	bool first; /* of a map that --new makes: its tree is still that of an empty map after */
	struct snapshot *now; /* NULL: nobody goes on from it, and the volume's stay */
	struct placement *placements;
	size_t n_placements;

	/* results */
	struct report report;
	struct report said; /* what the format says of the map to be written */
	bool in_place;      /* another program wrote into the map's file */
	bool same;          /* there was nothing to write after all */
	struct snapshot *finalized;
	struct draft *drafts; /* what the next journal keeps, by its paths in the finalized map */
	size_t n_drafts;
	bool saved;  /* the following are set */
	bool unsure; /* renamed, but not known to be on disk: the old journal stays */
	struct snapshot *rebased, *rebased_finalized;
	struct file *file, *second; /* second: of a map of two files, or NULL */
	struct stat stat, second_stat;
	char name[NAME_MAX + 1], second_name[NAME_MAX + 1];
	struct journal next;
};

/* The map to be written. false: there is none, and the report says why. */
bool save_finalize(struct save_job *s);
/* Check, write, verify, journal of what is left, rename. Fills the results. */
void save_write(struct save_job *s);
/* On the owner's thread: the volume goes on from what was saved. */
void save_adopt(struct save_job *s);
/* Told by every save after the one that went elsewhere, in the same words. */
void report_conflict(struct report *r, const char *name);
/* Told of a map that the mount made, as long as nothing was saved into it. */
void report_fresh(const struct volume *vol, struct report *report);
/* The journal was set aside (journal_remove's ret_kept), or not (""). */
void report_kept(struct report *r, const char *journal);
/* On any thread. */
void save_job_finish(struct save_job *s);

#endif
