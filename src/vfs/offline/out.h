/* SPDX-License-Identifier: Zlib */
/*
 * out: a map that a command makes of others, in the place of what stands there, all or nothing.
 */
#pragma once

#include "vfs/offline/offline.h"
#include "vfs/save/save.h"

struct out {
	const char *path;     /* as it was named; borrowed */
	struct offline *held; /* what stands there, locked, or NULL: nothing */
	struct offline own;   /* ... where out_begin opened it */
	int dirfd;
	char name[NAME_MAX + 1];
	/* Where its name is that of a map of two files: what the second is called, and what stands
	 * there, if held does. */
	char second[NAME_MAX + 1];
	struct file *second_held;
	struct stat second_opened;
	struct replace *files[FORMAT_FILES_MAX]; /* that are to take the place; NULL: none yet */
	struct replace *opened;                  /* by out_open */
	bool stands; /* out_commit: it is new, also where the disk would not confirm it */
};

/* Outside the sandbox. "-" is standard output. VOLUME_LOCKED where it is mounted for writing;
 * -EROFS; -EEXIST: nothing stands there but a second file. */
int out_begin(struct out *o, const char *path, const struct vfs_options *how, struct error *e);
/* The same where held is open already; all else of *o is zero. */
int out_hold(struct out *o, const char *path, struct error *e);
/* May a map of that format take the place of what stands there? -EINVAL: that is another format's,
 * or no map at all, and was named by mistake. An empty file may go. */
int out_check(const struct out *o, const struct format *format, struct error *e);
/* What is to be there: a copy of a map's file or files. What was written before is forgotten. */
int out_copy(struct out *o, const struct source *from, struct error *e);
/* ... the map of a save, which does not take the place of the one that it was made of. */
int out_write(struct out *o, struct save_job *job, struct error *e);
/* t opens what was written, which is not to be there, but what is made of it. */
int out_open(struct out *o, struct offline *t, const char *shown, const struct vfs_options *how,
	struct error *e);
/* What was written is there. -ESTALE: another program changed it meanwhile. */
int out_commit(struct out *o, struct error *e);
/* What a sandbox is to leave to it. */
struct sandbox_rule out_rule(const struct out *o);
void out_finish(struct out *o);
