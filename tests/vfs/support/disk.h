/* SPDX-License-Identifier: Zlib */
/*
 * disk: a directory as a disk keeps it, whose machine may lose power. It watches the calls that
 * pass the seam (base/disk/io.h), and knows at each which of their effects were synced. What was
 * not may be there or not: names in any order, content not at all, in part, or as zeros of its
 * length.
 *
 * Facts: fsync(2) brings a file's content to disk, and its name only where its directory is synced;
 * syncfs(2) brings all to disk;
 * a rename happens whole or not at all.
 */
#pragma once

#include "acts.h"

struct disk;

/* From now on every call is watched; all that stands there is on disk. */
struct disk *disk_watch(int dirfd, const struct said *said);
void disk_end(struct disk *d); /* the calls are over: one cut more */
void disk_free(struct disk *d);

/* The instants before each call, and the one after the last. */
unsigned disk_cuts(const struct disk *d);
/* What was said until then. */
const struct said *disk_said(const struct disk *d, unsigned cut);
/* In how many ways it may be found; and puts the files of one into an empty directory. */
unsigned disk_states(const struct disk *d, unsigned cut);
void disk_restore(const struct disk *d, unsigned cut, unsigned state, int dirfd);
/* The same for states of the same files, after which the same was said. */
uint64_t disk_print(const struct disk *d, unsigned cut, unsigned state);
