/* SPDX-License-Identifier: Zlib */
/*
 * The directory beside the map that what would vanish is copied to. It is .NAME.mapfs-left-new
 * while the mount goes on, and NAME.mapfs-left, or .1, .2 ... of it, at the end. It has the owner
 * and the rights of the map.
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
/* It gets its last name, and is on disk. Does nothing where there is none. */
int left_dir_show(struct left_dir *d, struct error *e);
/* What a mount of this volume that was killed had copied is shown too; note() is told. */
void left_dir_find(const struct volume *vol, void (*note)(void *arg, const char *line), void *arg);
