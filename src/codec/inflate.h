/* SPDX-License-Identifier: Zlib */
/*
 * inflate: zlib streams (RFC 1950) in extents, whole, in part, and the other way round.
 *
 * A stream stands at the begin of its extent; bytes after its end are ignored. Its length is not
 * stored in it, so the caller passes what its container declares. A stream that is damaged, or
 * yields another number of bytes than declared, is -EIO, with both sizes or zlib's reason in the
 * text. Memory follows what the stream really yields, never the declared size.
 */
#ifndef CODEC_INFLATE_H
#define CODEC_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"

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
 * A reader at any place of a large stream, which holds a few MiB whatever the size: reading onward
 * continues; reading back continues from the last checkpoint before that place. Checkpoints are
 * made while reading, one every 16 MiB of output (further apart beyond 1 GiB). Used by one thread
 * at a time. That the stream is longer than declared shows when its last byte is read.
 */
struct inflater;

int inflater_create(const struct extent *x, uint64_t declared, struct inflater **ret,
	struct error *e); /* takes a reference of its own on what x holds */
/* Past the declared size is -EINVAL. After -EIO the reader can still be used. */
int inflater_read(struct inflater *f, uint64_t off, void *dst, size_t n, struct error *e);
size_t inflater_memory(const struct inflater *f); /* bytes held, about */
void inflater_destroy(struct inflater *f);
DEFINE_CLEANUP(struct inflater, inflater_destroy);

/*
 * Compress, to the same bytes as zlib's compress() (the default level). The result may be in memory
 * or in an unlinked file that is made in spool_dirfd (see base/spool.h), so memory stays bounded.
 */
int deflate_all(const struct extent *x, int spool_dirfd, struct extent *ret, struct error *e);
int deflate_from(codec_read_fn read, void *arg, uint64_t size, int spool_dirfd, struct extent *ret,
	struct error *e);

#endif
