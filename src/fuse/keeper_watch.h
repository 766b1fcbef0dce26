/* SPDX-License-Identifier: Zlib */
/*
 * watch: whether a file system is gone for good.
 *
 * The number of its device is free from then on, and the next mount on the machine gets it: what is
 * found under that number may be somebody else's. The kernel tells the end of a file system to
 * those who watch an inode of it (IN_UNMOUNT) before it gives the number away; so who looks at the
 * mount table first and at the watch afterwards knows.
 */
#ifndef FUSE_KEEPER_WATCH_H
#define FUSE_KEEPER_WATCH_H

#include <stdbool.h>

/* A descriptor, which children may share, or -errno. */
int watch_open(void);
/* Watch what is mounted at point, once for each descriptor. It asks the mount, so it may block. */
int watch_add(int watch, const char *point);
/* Has it come to its end? Says so once; false also where watch is negative. */
bool watch_ended(int watch);

#endif
