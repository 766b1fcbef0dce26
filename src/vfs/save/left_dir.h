/* SPDX-License-Identifier: Zlib */
/*
 * The directory beside the map that what would vanish is copied to: NAME.mapfs-left, or .1, .2 ...
 * of it. It has the owner and the rights of the map.
 */
#pragma once

#include "vfs/tree/node.h"

struct left_dir {
	const struct vfs *vfs;
	char name[NAME_MAX + 1]; /* what it is called, once it is made */
	int fd;                  /* -1: it is not */
};

void left_dir_init(struct left_dir *d, const struct vfs *v);
void left_dir_finish(struct left_dir *d); /* the directory stays */

/*
 * Its bytes, which are the same already or are written, synced, to the path there. Where that fails
 * no part of it stays.
 */
int left_dir_copy(struct left_dir *d, const struct upper *u, const char *path, struct error *e);
/* The file at path goes, if there is one, and every directory that is empty then, this one too. */
void left_dir_remove(struct left_dir *d, const char *path);
/* It is on disk. Does nothing where there is none. */
int left_dir_sync(const struct left_dir *d, struct error *e);
