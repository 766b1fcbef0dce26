/* SPDX-License-Identifier: Zlib */
/*
 * nearby: the names of sidecar files in a directory. All of them contain ".mapfs-".
 *
 * A search for sidecar files reads the whole directory, which may contain thousands of maps. So the
 * names are cached for a second, and many searches in a row read the directory once.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

struct nearby;

/* Create an empty cache; dirfd is borrowed. Returns NULL if memory is exhausted. */
struct nearby *nearby_create(int dirfd);
void nearby_destroy(struct nearby *b);
DEFINE_CLEANUP(struct nearby, nearby_destroy);

/* Call fn for each name that begins with stem, in order, until fn returns nonzero. Returns what fn
 * returned last, 0 if there is no such name, or -errno. Changes of the last second may be missed.
 * Any thread. fn must not call nearby_each for the same cache. */
int nearby_each(struct nearby *b, const char *stem, int (*fn)(void *arg, const char *name),
	void *arg, struct error *e);
