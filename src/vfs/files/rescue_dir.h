/* SPDX-License-Identifier: Zlib */
/*
 * rescue_dir: copies of files that would otherwise be lost, in a directory beside the map:
 * NAME.mapfs-left, or NAME.mapfs-left.1, .2 and so on if that exists. The unmount copies what no
 * map and no journal will hold (save/rescue.h), the merge the conflicting files of one side.
 *
 *	struct rescue_dir d = {.dirfd = dirfd, .map = "dm1.map", .fd = -1};
 *
 *	rescue_dir_write(&d, path, &content, false, e)     for each file
 *	rescue_dir_sync(&d, e)      after it the caller may remove the journal or map that holds
 *	                            the same bytes
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
	int dirfd;       /* the map's directory; borrowed */
	const char *map; /* the map's name in it; borrowed */
	/* Copies get the owner of this file, and its mode without the rights to execute; borrowed.
	 * NULL: as the umask says. */
	const struct stat *like;
	char name[NAME_MAX + 1]; /* the directory's; "" while it does not exist */
	int fd;                  /* the directory; -1 while it does not exist */
	/* Each copy is synced when it is written, and rescue_dir_sync does nothing. Set when the
	 * directory is made. */
	bool syncs_each;
	char **paths; /* of the copies */
	size_t n, room;
};

/* Content of a file. */
struct rescue_content {
	/* Return up to n bytes at off, 0 at the end, or -errno. The offset grows from 0. To replace
	 * a file, it is read up to the first difference, and then again from 0. e may be NULL. */
	ssize_t (*read)(void *arg, uint64_t off, void *dst, size_t n, struct error *e);
	void *arg;
};

/* Copy a file to a path below the directory, make missing directories, and add the path to the
 * list. If the path exists: without `replaces` -EEXIST; with it, a file of this content stays and
 * is listed, and any other is replaced. A failed copy leaves no part of the new file, but the
 * replaced one may be gone. */
int rescue_dir_write(struct rescue_dir *d, const char *path, const struct rescue_content *from,
	bool replaces, struct error *e);
/* Sync all copies to disk. Runs on any thread, but not at the same time as another call. */
int rescue_dir_sync(const struct rescue_dir *d, struct error *e);
/* Remove a copy, and the directories that become empty, the top one, too. Its path stays listed. */
void rescue_dir_remove(struct rescue_dir *d, const char *path);
/* Empty the list; the files stay. */
void rescue_dir_forget(struct rescue_dir *d);
/* Remove all copies in the list, and the directories that become empty, and empty the list. */
void rescue_dir_drop(struct rescue_dir *d);
/* Free the struct's memory and close its descriptor; the files stay. */
void rescue_dir_finish(struct rescue_dir *d);
#define CLEANUP_RESCUE_DIR __attribute__((cleanup(rescue_dir_finish)))
