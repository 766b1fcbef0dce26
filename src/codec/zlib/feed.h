/* SPDX-License-Identifier: Zlib */
/* feed: inflate a zlib stream in an extent, piece by piece: feed_init, feed_pull until all declared
 * bytes are inflated, feed_expect_end, feed_finish. Internal to codec. */
#pragma once

#include <stdbool.h>
#include <zlib.h>

#include "base/disk/file.h"
#include "base/error.h"
#include "codec/zlib/inflate.h"

enum { FEED_INPUT = 16 << 10, FEED_CHUNK = 64 << 10 };

struct feed {
	z_stream z;             /* never moved: zlib refuses a stream that was */
	const struct extent *x; /* borrowed */
	uint64_t declared;      /* size of the inflated bytes, from the container */
	uint64_t in;            /* bytes of x that were read into `input` */
	uint64_t out;           /* bytes inflated so far */
	bool is_ended;          /* at the end of the stream */
	uint8_t input[FEED_INPUT];
};

int feed_init(struct feed *f, const struct extent *x, uint64_t declared, struct error *e);
/* As feed_init, in the middle of a stream, with a copy of z: zlib's state after `in` bytes of x,
 * which gave `out` bytes. */
int feed_resume(struct feed *f, const struct extent *x, uint64_t declared, const z_stream *z,
	uint64_t in, uint64_t out, struct error *e);
void feed_finish(struct feed *f); /* only after feed_init or feed_resume succeeded */
/* Add n bytes that were inflated without a feed to inflate_total (inflate.h). */
void feed_count(size_t n);

/* Inflate the next n bytes, which the declared size must include. -EIO: damaged, or shorter. */
int feed_pull(struct feed *f, uint8_t *dst, size_t n, struct error *e);

/* Check that the stream ends here, after all declared bytes were pulled. -EIO if not. */
int feed_expect_end(struct feed *f, struct error *e);

/*
 * Inflate the rest of the stream, and check its end. fn (inflate.h) gets chunks of FEED_CHUNK; the
 * last may be shorter. Stops at a negative errno from fn, and returns it.
 */
int feed_each(struct feed *f, codec_chunk_fn fn, void *arg, struct error *e);
