/* SPDX-License-Identifier: Zlib */
/*
 * out: what a command writes in several saves, or from another map: a copy beside the map that is
 * edited, and the file that it becomes at the end, all or nothing.
 */
#ifndef CLI_OFFLINE_OUT_H
#define CLI_OFFLINE_OUT_H

#include "cli/offline/offline.h"

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
	struct replace *copy;
	char second_copy[NAME_MAX + 1]; /* "" */
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
/* A copy of a map's file or files beside it, which t opens. */
int out_copy(struct out *o, const struct source *from, struct offline *t, const char *shown,
	const struct vfs_options *how, struct error *e);
/* It becomes a copy of that map. -ESTALE: another program changed it meanwhile. */
int out_commit(struct out *o, const struct source *from, struct error *e);
void out_finish(struct out *o);

#endif
