/* SPDX-License-Identifier: Zlib */
/*
 * file:   a ref-counted descriptor that is read at offsets; closed with its last reference.
 * extent: a finished run of bytes, in memory or in a file. What was written to a mounted file, a
 *         record of the journal and a compressed blob of a map are all extents, so that only the
 *         journal or the map need hold the bytes, and memory stays bounded.
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

struct file *file_new(int fd); /* takes fd, also on failure (NULL: no memory) */
struct file *file_ref(struct file *f);
void file_unref(struct file *f);
DEFINE_CLEANUP(struct file, file_unref);

/* Exactly n bytes from off; a shorter file is -EIO. */
int file_read(const struct file *f, uint64_t off, void *dst, size_t n, struct error *e);

/* This process may have as many descriptors as it may ask for. */
void file_raise_limit(void);

struct extent {
	struct bytes *mem; /* owned reference, or NULL */
	struct file *file; /* owned reference where mem is NULL */
	uint64_t off;      /* where it begins in mem or file */
	uint64_t size;
};

#define EXTENT_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

struct extent extent_of_bytes(struct bytes *b);                            /* takes the ref */
struct extent extent_of_file(struct file *f, uint64_t off, uint64_t size); /* takes the ref */
struct extent extent_ref(const struct extent *x);
void extent_finish(struct extent *x); /* drops what it holds; x is empty after */
#define CLEANUP_EXTENT __attribute__((cleanup(extent_finish)))

/* Exactly n bytes from off, counted from the extent's begin; past the end is -EINVAL. */
int extent_read(const struct extent *x, uint64_t off, void *dst, size_t n, struct error *e);

/* Are the bytes of both, of the same size, the same? */
int extent_equal(const struct extent *a, const struct extent *b, bool *ret, struct error *e);

/* All of it as a span (no copy where it is one already). More than max bytes is -EFBIG. */
int extent_load(const struct extent *x, uint64_t max, struct bytes **ret, struct error *e);
