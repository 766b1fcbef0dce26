/* SPDX-License-Identifier: Zlib */
/*
 * spool: bytes that grow and change, in memory at first and in an unlinked file once they are many.
 *
 * A mounted file that is being written is one, and so is a large blob while it is compressed. Not
 * thread-safe: one thread at a time.
 */
#pragma once

#include <stdint.h>

#include "base/disk/file.h"

enum { SPOOL_MEMORY_MAX = 8 << 20 }; /* bytes; beyond, the content moves to the file */

struct spool;

/* dirfd: where an unlinked file may be made (borrowed; must outlive the spool). */
struct spool *spool_create(int dirfd);
void spool_destroy(struct spool *s);
DEFINE_CLEANUP(struct spool, spool_destroy);

/* A spool that keeps nothing but its size: what is appended goes to fn at once. It can only be
 * appended to. */
typedef int (*spool_fn)(void *arg, const void *data, size_t n, struct error *e);
struct spool *spool_create_to(spool_fn fn, void *arg);

/* An empty spool begins as x, of a file: nothing is copied before the first write. */
void spool_begin_as(struct spool *s, const struct extent *x);

/*
 * Reading past the end is -EINVAL. A write that fails leaves the size as it was, and may have
 * changed some of the bytes within it. Sizes beyond INT64_MAX are -EFBIG.
 */
uint64_t spool_size(const struct spool *s);
/* Writing past the end fills the gap with zeros. */
int spool_write(struct spool *s, uint64_t off, const void *data, size_t n, struct error *e);
int spool_append(struct spool *s, const void *data, size_t n, struct error *e);
int spool_read(const struct spool *s, uint64_t off, void *dst, size_t n, struct error *e);
int spool_truncate(struct spool *s, uint64_t size, struct error *e);

/*
 * What stands in it now, as an extent that later writes do not change: small content is copied,
 * a spilled one is handed over and copied anew on the next write.
 */
int spool_extent(struct spool *s, struct extent *ret, struct error *e);
