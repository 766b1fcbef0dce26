/* SPDX-License-Identifier: Zlib */
/*
 * file:   a reference-counted descriptor that is read at offsets. The last reference closes it.
 * extent: an immutable range of bytes in memory or in a file. Contents of mounted files, records of
 *         the journal and compressed blobs of a map are extents: the bytes stay in the journal or
 *         the map, so the use of memory is bounded.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/error.h"

struct file {
	atomic_uint refs;
	int fd;
};

/* Create a file that owns fd. Returns NULL and closes fd if memory is exhausted. */
struct file *file_new(int fd);
struct file *file_ref(struct file *f); /* NULL is fine */
void file_unref(struct file *f);
DEFINE_CLEANUP(struct file, file_unref);

/* Read exactly n bytes at off. Returns -EIO if the file is shorter. */
int file_read(const struct file *f, uint64_t off, void *dst, size_t n, struct error *e);

/* Raise the limit of open descriptors of this process to the hard limit. */
void file_raise_limit(void);

/* An extent from EXTENT_INIT is empty: mem and file are NULL. */
struct extent {
	struct bytes *mem; /* owned reference; NULL: the bytes are in file */
	struct file *file; /* owned reference, or NULL */
	uint64_t off;      /* offset of the first byte in mem or file */
	uint64_t size;
};

#define EXTENT_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

/* Return an extent that takes over the caller's reference. b may be NULL: an empty extent. */
struct extent extent_of_bytes(struct bytes *b);
struct extent extent_of_file(struct file *f, uint64_t off, uint64_t size);
struct extent extent_ref(const struct extent *x); /* a copy with its own reference */
void extent_finish(struct extent *x);             /* drop the reference; x is empty then */
#define CLEANUP_EXTENT __attribute__((cleanup(extent_finish)))

/* Read exactly n bytes at off, counted from the start of the extent. -EINVAL past its end. */
int extent_read(const struct extent *x, uint64_t off, void *dst, size_t n, struct error *e);

/* Compare the bytes of two extents of equal size. */
int extent_equal(const struct extent *a, const struct extent *b, bool *ret, struct error *e);

/* Load a whole extent. If that is all of its mem, mem is not copied. -EFBIG above max bytes. */
int extent_load(const struct extent *x, uint64_t max, struct bytes **ret, struct error *e);
