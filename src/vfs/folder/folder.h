/* SPDX-License-Identifier: Zlib */
/*
 * folder: a folder of maps as one tree. Every map in it and in the folders below it is a directory
 * of the file's own name, and what stands in that directory is a vfs of its own.
 *
 * Two kinds of directories are the folder's: its own and those below it (struct level), and those
 * that maps stand for (struct map). They follow what is on disk: nothing is kept of what was listed
 * but the numbers, and their attributes are `brief`. Looking at them opens no map.
 *
 * A map is opened by the first call for something in it. It is locked by its first change. Some
 * dozens that nobody uses stay open; of the others the least recently used are closed, and opened
 * again when they are asked for. One that cannot be opened shows a file error.txt.
 *
 * Inode numbers: level n is VFS_ROOT_INO + n. Each map has the range of its index, which is 1 or
 * more (entry_ino). A map that another program replaced or changed on disk gets a new one; numbers
 * of the old are -ESTALE, and who goes by a path asks again. A map that was changed here keeps its
 * own until the end, and what another program did to the file is the save's to tell.
 *
 * mapfs never looks into its own mount: no directory on which something is mounted is a part of the
 * folder. A link to a map is followed where it stays in the folder; one to a folder is not.
 *
 * All on the owner's thread, like the vfs.
 */
#pragma once

#include "vfs/vfs.h"
#include "vfs/volume/options.h"

struct folder;

/* dirfd is taken over, also on failure; path is the folder's own, without symbolic links: for links
 * that are absolute. o, the strings in it and path are borrowed for the folder's life; o->budget
 * has to be set. */
int folder_create(int dirfd, const char *path, const struct vfs_options *o, struct pool *pool,
	struct vfs_host *host, struct folder **ret, struct error *e);
void folder_destroy(struct folder *f); /* after folder_end and with the pool drained */

/* The same as the vfs_... of these names, for all maps. Reports have each map's lines together,
 * with its path before each; their code is the worst. */
void folder_submit(struct folder *f, struct call *c);
void folder_forget(struct folder *f, uint64_t ino, uint64_t n);
void folder_writers(struct folder *f, void (*fn)(void *arg, uint64_t ino), void *arg);
int folder_timeout(struct folder *f);
void folder_tick(struct folder *f);
void folder_save(struct folder *f, bool to_end, vfs_saved done, void *arg);
void folder_discard(struct folder *f, vfs_saved done, void *arg);
void folder_keep(struct folder *f);
void folder_end(struct folder *f, struct report *report);
