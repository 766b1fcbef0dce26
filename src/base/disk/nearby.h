/* SPDX-License-Identifier: Zlib */
/*
 * nearby: the names of our own files in a directory, all of which have ".mapfs-" in them.
 *
 * Whoever looks for some of them reads the whole directory, which may hold thousands of maps. So
 * what was read is kept for a second: many questions one after the other are one reading.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

struct nearby;

/* dirfd is borrowed, and nothing is read yet. NULL: no memory. */
struct nearby *nearby_create(int dirfd);
void nearby_destroy(struct nearby *b);
DEFINE_CLEANUP(struct nearby, nearby_destroy);

/* Calls fn for each name that begins with stem, in the order of the names; what is not 0 ends that,
 * and is returned. A file that came or went within the last second may be missing or told. Any
 * thread; fn must not ask again. */
int nearby_each(struct nearby *b, const char *stem, int (*fn)(void *arg, const char *name),
	void *arg, struct error *e);
