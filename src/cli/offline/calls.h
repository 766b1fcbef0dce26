/* SPDX-License-Identifier: Zlib */
/*
 * calls: operations on a tree, each waited for. They return 0 or -errno, as a program would hear
 * it from a mount; paths are relative to the map's root.
 *
 * What was looked up is held until it is forgotten, as the kernel holds it.
 */
#ifndef CLI_OFFLINE_CALLS_H
#define CLI_OFFLINE_CALLS_H

#include "base/buffer.h"
#include "cli/offline/offline.h"

/* An operation under way: the arguments are in call. */
struct pending {
	struct call call; /* first */
	struct job job;
	struct offline *tree;
	bool done;
	int r;
};

void offline_submit(struct offline *t, struct pending *p, vfs_op op);
int offline_wait(struct pending *p); /* serves all of the tree meanwhile */
int offline_run(struct offline *t, struct pending *p, vfs_op op);
/* Serves the tree until *done. */
void offline_serve_until(struct offline *t, const bool *done);

/* -ENOENT. What is found is to be forgotten. */
int offline_lookup(struct offline *t, uint64_t dir, const char *name, struct attr *ret);
void offline_forget(struct offline *t, uint64_t ino);
/* The same of a path; "" is the root. Slashes at its ends and "." in it mean nothing; ".." is
 * no name. */
int offline_find(struct offline *t, const char *path, struct attr *ret);
/* The directory that the last name of a path stands in; ret_name has room for NAME_MAX + 1, and is
 * "" of the root itself. */
int offline_find_parent(struct offline *t, const char *path, uint64_t *ret_dir, char *ret_name);

/* The names in a directory but "." and "..", as they are listed, or in order of their bytes. */
struct names {
	char **at;
	size_t n, room;
};
int offline_names(struct offline *t, uint64_t dir, bool sorted, struct names *ret);
void names_finish(struct names *names);

/* All of a file, in pieces. fn returns 0, or what ends it. */
typedef int (*offline_data)(void *arg, const void *data, size_t n);
int offline_read(struct offline *t, const struct attr *file, offline_data fn, void *arg);
/* ... as a span, with a NUL behind it; more than most bytes are -EFBIG. */
int offline_read_all(struct offline *t, const struct attr *file, size_t most, struct bytes **ret);
/* An attribute of an entry, such as user.mapfs.error; malloc'ed, ended by a NUL. */
int offline_getxattr(struct offline *t, uint64_t ino, const char *name, char **ret);

#endif
