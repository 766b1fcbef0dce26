/* SPDX-License-Identifier: Zlib */
/*
 * sidecar_cache: the names of sidecar files in a directory. All of them contain ".mapfs-".
 *
 * A search for sidecar files reads the whole directory, which may contain thousands of maps. So the
 * names are cached for a second, and many searches in a row read the directory once.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

struct sidecar_cache;

/* Create an empty cache. It borrows dirfd until it is destroyed. NULL if memory is exhausted. */
struct sidecar_cache *sidecar_cache_create(int dirfd);
void sidecar_cache_destroy(struct sidecar_cache *c);
DEFINE_CLEANUP(struct sidecar_cache, sidecar_cache_destroy);

/* Call fn for each name that begins with stem, sorted by bytes, until fn returns nonzero. Returns
 * what fn returned last, 0 if there is no such name, or -errno. Changes of the last second may be
 * missed. Any thread. fn must not call sidecar_cache_each for the same cache. */
int sidecar_cache_each(struct sidecar_cache *c, const char *stem,
	int (*fn)(void *arg, const char *name), void *arg, struct error *e);
