/* SPDX-License-Identifier: Zlib */
/*
 * inflate: decompress zlib streams (RFC 1950) in extents, whole or in part, and compress.
 *
 * A stream begins where its extent begins; bytes after its end are ignored. An empty extent is a
 * stream of 0 bytes. A stream does not contain its decoded size, so callers pass the size that the
 * container declares. -EIO: the stream is damaged, or yields another number of bytes than declared;
 * the text has both sizes or zlib's reason. Memory grows with the bytes that the stream yields, not
 * with the declared size.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "base/error.h"

/* A source of bytes: read exactly bytes [off, off + n). */
typedef int (*codec_read_fn)(void *arg, uint64_t off, void *dst, size_t n, struct error *e);
/* Read from an extent; a codec_read_fn. arg is the struct extent. */
int extent_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e);

/* Inflate a stream into memory. */
int inflate_all(const struct extent *x, uint64_t declared, struct bytes **ret, struct error *e);

/*
 * Inflate the first n bytes, or all if fewer are declared; *ret_got is their number. Damage behind
 * them is noticed only if n >= declared.
 */
int inflate_prefix(const struct extent *x, uint64_t declared, void *dst, size_t n, size_t *ret_got,
	struct error *e);

/* Inflate in order, in chunks of at most 64 KiB. Stops at a negative errno from fn; returns it. */
typedef int (*codec_chunk_fn)(void *arg, const uint8_t *data, size_t n, struct error *e);
int inflate_each(
	const struct extent *x, uint64_t declared, codec_chunk_fn fn, void *arg, struct error *e);

/* Find the length of a sound stream, whatever is declared. -EIO: damaged, or longer than 64 MiB. */
int inflate_length(const struct extent *x, uint64_t *ret, struct error *e);

/*
 * Stretches: ranges of a large stream that can be inflated alone.
 *
 *   stretch_length    choose the length of a stretch
 *   stretch_prepare   inflate the whole stream once, verify it, and make the checkpoints; or
 *   stretch_begin     skip this for a verified stream: stretch_load makes the checkpoints
 *   stretch_load      inflate one stretch, on any thread
 *
 * A checkpoint is a copy of zlib's state at the begin of a stretch; the first stretch needs none.
 * The checkpoints are a struct bytes without content, for the budget: its size is their memory.
 */
enum { STRETCH = 1 << 20 };

/* Length of a stretch, a multiple of 64 KiB. memory: bytes for all checkpoints. The length is
 * STRETCH; or about memory / 4, if that is less; or more, if else the checkpoints would take more
 * than memory and more than a stretch. */
uint64_t stretch_length(uint64_t declared, size_t memory);
/* fn also gets all bytes, as from inflate_each; may be NULL. */
int stretch_prepare(const struct extent *x, uint64_t declared, uint64_t length, codec_chunk_fn fn,
	void *arg, struct bytes **ret, struct error *e);
int stretch_begin(uint64_t declared, uint64_t length, struct bytes **ret, struct error *e);
/* Inflate stretch i, from 0, which exists. prepared: the checkpoints of the same stream, which
 * several threads may use. Stretches before i without a checkpoint are inflated first. */
int stretch_load(struct bytes *prepared, const struct extent *x, uint64_t declared, uint64_t i,
	struct bytes **ret, struct error *e);

/* Number of bytes that this process has inflated, for tests. */
uint64_t inflate_total(void);

/*
 * Compress in bounded memory to the same bytes as zlib's compress() does. Input is read in order.
 * *ret is in memory or an unlinked file in spool_dirfd (base/disk/spool.h); extent_finish frees it.
 */
int deflate_all(const struct extent *x, int spool_dirfd, struct extent *ret, struct error *e);
int deflate_from(codec_read_fn read, void *arg, uint64_t size, int spool_dirfd, struct extent *ret,
	struct error *e);
/* Compress piece by piece: create, append..., end, destroy. The bytes do not depend on the division
 * into pieces. spool_dirfd must outlive the deflater. NULL if memory is exhausted. */
struct deflater *deflater_create(int spool_dirfd);
int deflater_append(struct deflater *d, const void *data, size_t n, struct error *e);
/* Finish the stream. Nothing can be appended after it. */
int deflater_end(struct deflater *d, struct extent *ret, struct error *e);
void deflater_destroy(struct deflater *d);
DEFINE_CLEANUP(struct deflater, deflater_destroy);
/* Number of deflaters that this process has created, for tests. */
uint64_t deflate_total(void);
/* Make a zlib stream in memory by libdeflate's best level. Returns NULL if memory is exhausted. */
struct bytes *deflate_best(const struct bytes *plain);
