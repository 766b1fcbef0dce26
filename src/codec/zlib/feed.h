/* SPDX-License-Identifier: Zlib */
/*
 * feed: a zlib stream in an extent, inflated a piece at a time. Internal to codec.
 */
#pragma once

#include <stdbool.h>
#include <zlib.h>

#include "base/disk/file.h"
#include "base/error.h"
#include "codec/zlib/inflate.h"

enum { FEED_INPUT = 16 << 10, FEED_CHUNK = 64 << 10 };

struct feed {
	z_stream z;
	const struct extent *x; /* borrowed */
	uint64_t declared;
	uint64_t in;  /* bytes of x that were read into input */
	uint64_t out; /* bytes inflated so far */
	bool ended;   /* the end of the stream was seen */
	uint8_t input[FEED_INPUT];
};

int feed_init(struct feed *f, const struct extent *x, uint64_t declared, struct error *e);
/* Goes on from a copy of z, as it was after `in` bytes of x had given `out`. */
int feed_resume(struct feed *f, const struct extent *x, uint64_t declared, const z_stream *z,
	uint64_t in, uint64_t out, struct error *e);
void feed_finish(struct feed *f);
/* Counts bytes for inflate_total. */
void feed_count(size_t n);

/* Exactly the next n bytes, of which there must be as many declared. */
int feed_pull(struct feed *f, uint8_t *dst, size_t n, struct error *e);

/* To be called once all declared bytes were pulled: the stream must end here. */
int feed_expect_end(struct feed *f, struct error *e);

/*
 * All that is left, and its end, in chunks of FEED_CHUNK, the last of which may be shorter. A
 * negative errno from fn stops and is returned.
 */
int feed_each(struct feed *f, codec_chunk_fn fn, void *arg, struct error *e);
