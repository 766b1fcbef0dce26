/* SPDX-License-Identifier: Zlib */
/*
 * out: the output file of a command that makes a map from other maps. It replaces an existing map
 * atomically.
 *
 *   out_begin or out_begin_held   open and lock the map to replace, if any
 *   out_copy or out_write         write the new files under temporary names
 *   out_commit                    rename them into place
 *   out_finish                    at any point; removes temporary files
 */
#pragma once

#include "vfs/offline/offline.h"
#include "vfs/save/save.h"

struct out {
	const char *path;            /* the name given by the user; borrowed */
	struct offline *existing;    /* the existing map, locked; NULL if there is none */
	struct offline own_existing; /* the same, if out_begin opened it */
	int dirfd;                   /* -1 before out_begin; out_finish closes any other */
	char name[NAME_MAX + 1];
	char second[NAME_MAX + 1]; /* the second file's name, or "" if there is only one file */
	struct file *second_held;  /* the existing second file, or NULL */
	struct stat second_opened;
	struct replace *files[FORMAT_FILES_MAX]; /* the new files; NULL before they are written */
	struct replace *opened;                  /* the file that out_open opened, or NULL */
	bool is_committed; /* out_commit replaced the file, even if the sync after it failed */
};

/* Open and lock the map to replace, if it exists. Call it outside the sandbox, and out_finish also
 * after a failure. "-" is standard output. VOLUME_LOCKED: it is mounted for writing. -EROFS.
 * -EEXIST: only a second file exists. */
int out_begin(struct out *o, const char *path, const struct vfs_options *how, struct error *e);
/* Like out_begin, but the caller has set o->existing to an open map, dirfd to -1, the rest to 0. */
int out_begin_held(struct out *o, const char *path, struct error *e);
/* Check that a map of this format may replace the existing file, which must be empty or a map of
 * the same format. Otherwise the user probably named it by mistake: -EINVAL. A map of two files
 * also needs a path with the ending of its format, not "-": else -EINVAL. */
int out_check(const struct out *o, const struct format *format, struct error *e);
/* Write a copy of a map's files. Drops files that were written before. */
int out_copy(struct out *o, const struct source *from, struct error *e);
/* Check and write the map of a save job. Drops files that were written before. */
int out_write(struct out *o, struct save_job *job, struct error *e);
/* Open the written file as t, to make another map from it. The file will not be committed. Only for
 * maps of one file. As after offline_open, t is not loaded, and the caller closes it, also on
 * failure. `shown` is its name for messages, borrowed until then. */
int out_open(struct out *o, struct offline *t, const char *shown, const struct vfs_options *how,
	struct error *e);
/* Put the written files in place, or to standard output. -ESTALE: an existing file changed,
 * or a file appeared. */
int out_commit(struct out *o, struct error *e);
/* The sandbox rule that it needs. */
struct sandbox_rule out_rule(const struct out *o);
void out_finish(struct out *o);
