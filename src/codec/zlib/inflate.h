/* SPDX-License-Identifier: Zlib */
/*
 * inflate: zlib streams (RFC 1950) in extents, whole, in part, and the other way round.
 *
 * A stream stands at the begin of its extent; bytes after its end are ignored. Its length is not
 * stored in it, so the caller passes what its container declares. A stream that is damaged, or
 * yields another number of bytes than declared, is -EIO, with both sizes or zlib's reason in the
 * text. Memory follows what the stream really yields, never the declared size.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "base/error.h"

/* Reads exactly bytes [off, off + n) of something; blob_read's form, and that of what png.h takes.
 */
typedef int (*codec_read_fn)(void *arg, uint64_t off, void *dst, size_t n, struct error *e);
/* That of an extent: arg is the struct extent. */
int extent_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e);

/* All of it, in memory. */
int inflate_all(const struct extent *x, uint64_t declared, struct bytes **ret, struct error *e);

/*
 * The first n bytes, or all where fewer are declared; *ret_got says how many. Inflates no further
 * than that, so a fault beyond goes unnoticed unless n >= declared.
 */
int inflate_prefix(const struct extent *x, uint64_t declared, void *dst, size_t n, size_t *ret_got,
	struct error *e);

/* All of it in order, in chunks of at most 64 KiB. A negative errno from fn stops and is returned.
 */
typedef int (*codec_chunk_fn)(void *arg, const uint8_t *data, size_t n, struct error *e);
int inflate_each(
	const struct extent *x, uint64_t declared, codec_chunk_fn fn, void *arg, struct error *e);

/*
 * A large stream in stretches, of which each is inflated by itself. One pass over all of it proves
 * that it is sound and lays a checkpoint (zlib's state) at the begin of each stretch but the first;
 * what it prepared is counted as the memory that it takes, and for any thread. Of a stream that is
 * known to be sound, stretch_begin prepares nothing: checkpoints are laid as far as it is read.
 *
 * length: of a stretch; a multiple of 64 KiB. stretch_length gives STRETCH, or less where memory,
 * which is what the checkpoints may take, is less than 4 * STRETCH; but more where the checkpoints
 * would take more than both memory and a stretch.
 */
enum { STRETCH = 1 << 20 };

uint64_t stretch_length(uint64_t declared, size_t memory);
/* fn, where not NULL, gets what goes by, as inflate_each gives it. */
int stretch_prepare(const struct extent *x, uint64_t declared, uint64_t length, codec_chunk_fn fn,
	void *arg, struct bytes **ret, struct error *e);
int stretch_begin(uint64_t declared, uint64_t length, struct bytes **ret, struct error *e);
/* Stretch i, from 0, of the same stream. */
int stretch_load(struct bytes *prepared, const struct extent *x, uint64_t declared, uint64_t i,
	struct bytes **ret, struct error *e);

/* Bytes that this process has inflated so far, by whichever of these functions: for tests. */
uint64_t inflate_total(void);

/*
 * Compress, to the same bytes as zlib's compress() (the default level). The result may be in memory
 * or in an unlinked file that is made in spool_dirfd (see base/disk/spool.h), so memory stays
 * bounded.
 */
int deflate_all(const struct extent *x, int spool_dirfd, struct extent *ret, struct error *e);
int deflate_from(codec_read_fn read, void *arg, uint64_t size, int spool_dirfd, struct extent *ret,
	struct error *e);
/* The same a piece at a time. NULL: no memory. */
struct deflater *deflater_create(int spool_dirfd);
int deflater_append(struct deflater *d, const void *data, size_t n, struct error *e);
/* That was all. Nothing is to be appended after it. */
int deflater_end(struct deflater *d, struct extent *ret, struct error *e);
void deflater_destroy(struct deflater *d);
DEFINE_CLEANUP(struct deflater, deflater_destroy);
/* How many streams this process has compressed so: for tests. */
uint64_t deflate_total(void);
/* As small as libdeflate makes it, in memory. NULL: there is not enough. */
struct bytes *deflate_best(const struct bytes *plain);
