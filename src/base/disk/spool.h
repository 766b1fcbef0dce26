/* SPDX-License-Identifier: Zlib */
/*
 * spool: a byte string that can be changed, in memory, or in an unlinked file once it is large.
 *
 * It contains a mounted file that is being written, or a large blob while it is compressed.
 * spool_create* return NULL if memory is exhausted.
 */
#pragma once

#include <stdint.h>

#include "base/disk/file.h"

enum { SPOOL_MEMORY_MAX = 8 << 20 }; /* larger content moves to a file */

struct spool;

/* Create a spool. dirfd: the directory for an unlinked file (borrowed; must outlive the spool). */
struct spool *spool_create(int dirfd);
void spool_destroy(struct spool *s);
DEFINE_CLEANUP(struct spool, spool_destroy);

typedef int (*spool_fn)(void *arg, const void *data, size_t n, struct error *e);
/* Create a spool that passes appended bytes to fn and keeps only its size. Only spool_append and
 * spool_size may be used on it. */
struct spool *spool_create_sink(spool_fn fn, void *arg);

/* Set the content of an empty spool to x, which must be an extent of a file. The spool takes its
 * own reference. The first change copies the content, so the file is never changed. */
void spool_init_from(struct spool *s, const struct extent *x);

/* Reading past the end is -EINVAL, a size beyond INT64_MAX is -EFBIG. A write past the end fills
 * the gap with zeros, as spool_truncate does to enlarge. A failed write keeps the size, but may
 * have changed bytes below it. */
uint64_t spool_size(const struct spool *s);
int spool_write(struct spool *s, uint64_t off, const void *data, size_t n, struct error *e);
int spool_append(struct spool *s, const void *data, size_t n, struct error *e);
int spool_read(const struct spool *s, uint64_t off, void *dst, size_t n, struct error *e);
int spool_truncate(struct spool *s, uint64_t size, struct error *e);

/* Return the current content as an extent that later writes do not change. Content in memory is
 * copied. Content in a file is shared; a later write below its end copies it first. */
int spool_extent(struct spool *s, struct extent *ret, struct error *e);
