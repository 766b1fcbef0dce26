/* SPDX-License-Identifier: Zlib */
/*
 * disk: models the disk of a directory on a machine that may lose power. It watches the calls that
 * pass base/disk/io.h, and records which of their effects were synced. Effects that were not synced
 * may be present or not: names in any order, content missing, partial, or as zeros of its length.
 *
 * Facts: fsync(2) makes a file's content durable, and its name only if its directory is synced;
 * syncfs(2) makes everything durable; a rename happens completely or not at all.
 */
#pragma once

#include "acts.h"

struct disk;

/* Watch every call from now on; all existing files are durable. */
struct disk *disk_watch(int dirfd, const struct answers *answers);
void disk_end(struct disk *d); /* The calls are over: adds one more cut. */
void disk_free(struct disk *d);

/* Number of cuts: one before each call, and one after the last. */
unsigned disk_cuts(const struct disk *d);
/* Results reported before the cut. */
const struct answers *disk_answers(const struct disk *d, unsigned cut);
/*
 * Number of states in which the disk may be after the cut; and create the files of one state in an
 * empty directory.
 */
unsigned disk_states(const struct disk *d, unsigned cut);
void disk_restore(const struct disk *d, unsigned cut, unsigned state, int dirfd);
/* A hash that is equal for states with the same files and the same reported results. */
uint64_t disk_print(const struct disk *d, unsigned cut, unsigned state);
