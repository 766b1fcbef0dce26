/* SPDX-License-Identifier: Zlib */
/*
 * rescue_dir: copies of files that would otherwise be lost, in a directory beside the map:
 * NAME.mapfs-left, or .1, .2 and so on of it if that exists. The unmount copies what no map and no
 * journal will hold (save/rescue.h), the merge the conflicting files of one side.
 *
 *	struct rescue_dir d = {.dirfd = dirfd, .map = "dm1.map", .fd = -1};
 *
 *	rescue_dir_write(&d, path, &content, false, e)     for each file
 *	rescue_dir_sync(&d, e)      then the journal or the map that holds the same may be removed
 *	rescue_dir_drop(&d)         if any of these failed
 *	rescue_dir_finish(&d)
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

struct rescue_dir {
	int dirfd;               /* the map's directory; borrowed */
	const char *map;         /* the map's name in it; borrowed */
	const struct stat *like; /* copies get the owner and the mode of this file; NULL: umask */
	char name[NAME_MAX + 1]; /* "" while the directory does not exist, as is -1: */
	int fd;
	bool syncs_each; /* rescue_dir_write syncs, not rescue_dir_sync */
	char **paths;    /* of the copies */
	size_t n, room;
};

/* Content of a file. */
struct rescue_content {
	/* Up to n bytes at off; 0 at the end, -errno. The offset grows from 0 to the end, once or
	 * (if the file is replaced) twice. */
	ssize_t (*read)(void *arg, uint64_t off, void *dst, size_t n, struct error *e);
	void *arg;
};

/* Copy a file to a path in the directory, both made as needed. An existing file is replaced if its
 * content differs, or without `replaces` gives -EEXIST. A failed copy leaves no part of the file.
 */
int rescue_dir_write(struct rescue_dir *d, const char *path, const struct rescue_content *from,
	bool replaces, struct error *e);
/* Bring all copies to disk. May run on any thread while no other call does. */
int rescue_dir_sync(const struct rescue_dir *d, struct error *e);
/* Remove a file and the directories that are empty then. The path stays in the list. */
void rescue_dir_remove(struct rescue_dir *d, const char *path);
/* Empty the list; the files stay. */
void rescue_dir_forget(struct rescue_dir *d);
/* Remove all files of the list. */
void rescue_dir_drop(struct rescue_dir *d);
/* Free the struct's memory; the files stay. */
void rescue_dir_finish(struct rescue_dir *d);
#define CLEANUP_RESCUE_DIR __attribute__((cleanup(rescue_dir_finish)))
