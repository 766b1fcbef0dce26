/* SPDX-License-Identifier: Zlib */
/*
 * save: one save of a volume. It runs on a worker thread while its task is at the head of the
 * change queue, so the overlay does not change.
 *
 *   save_write        on that thread: check, encode, verify, write the next journal, commit
 *   save_adopt        on the owner's thread, if is_saved: continue from the new map
 *   save_job_finish   on any thread
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
	struct snapshot *map;              /* the map to write; borrowed */
	const struct overlay_build *build; /* the build that made it; borrowed */
	bool is_first;                     /* first save of --new: the base remains the empty map */
	bool is_last; /* nothing continues from the new map, so it is not opened again */

	/* results */
	struct report report;
	enum external_change external; /* valid once the save has checked for changes */
	bool is_unchanged;             /* the map equals the base; nothing was written */
	bool is_saved;                 /* the new map is in place; the members below are set */
	bool is_unconfirmed;           /* the sync after the rename failed: keep the old journal */
	struct snapshot *base;         /* the new map, opened again; NULL if is_first or is_last */
	struct source written;         /* the new files, from save_encode; then save_adopt puts the
					* old ones here, to be closed on a worker thread */
	struct stat stat, second_stat; /* of the new files */
	char name[NAME_MAX + 1], second_name[NAME_MAX + 1]; /* of the new files */
	struct journal next_journal;                        /* of the new map */
};

/* Run format_edit.check; each fault is a line in the report. -EINVAL: a game refuses the map;
 * -ESTALE: the file was overwritten. Mere warnings give 0. */
int save_check(struct save_job *s, struct error *e);
/* Encode the map into new files, read them back to verify, and sync them. Sets s->written. outs[1]
 * is NULL if the map has one file. */
int save_encode(struct save_job *s, struct replace *const outs[], struct error *e);
/* carry_over.c: has the overlay changes that the new map lacks, such as refused contents? */
bool has_carried_over(const struct overlay_build *s);
/* Has the overlay changes, other than scratch files, that are not carried over? */
bool has_completed(const struct overlay_build *s);
/* Receives a carried-over operation, valid during the call. 0, or -errno to end the loop. */
typedef int (*carry_over_fn)(void *arg, const struct journal_op *op);
/* Call fn for each operation that the new journal has to keep, with the paths of the new map. */
int carry_over(const struct overlay_build *s, carry_over_fn fn, void *arg);
/* Save the volume's own map: check and encode it, write the next journal, and commit. Sets the
 * results. A failure is reported by save_failed. */
void save_write(struct save_job *s);
/* After a save that wrote nothing: reduce the journal to the carried-over operations, if it has
 * any. A failure is reported by save_failed, and clears is_unchanged. On the worker thread. */
void save_reduce_journal(struct save_job *s);
/* Continue the volume from the saved map. Owner's thread. */
void save_adopt(struct save_job *s);
/* Report a failed save; unless is_saved, also whether the old map is intact, and where the changes
 * are kept, for which it syncs the journal. */
void save_failed(struct save_job *s, const struct error *e);
/* If the map was saved beside the original (vol->conflict), report that. Each later save does. */
void report_conflict(struct report *r, const struct volume *vol);
/* Note that the map is new and empty, if nothing was saved into it yet. */
void report_new_map(const struct volume *vol, struct report *report);
/* Report that the journal was set aside under this name. Does nothing if the name is "". */
void report_set_aside(struct report *r, const char *journal);
void save_job_finish(struct save_job *s);
