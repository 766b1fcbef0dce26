/* SPDX-License-Identifier: Zlib */
/* reader: a file of a map, read as it is asked for, so that several can be read side by side. */
#pragma once

#include "base/buffer.h"
#include "vfs/offline/calls.h"

/* Adds what stands for a line (with its end) to out. -errno. */
typedef int (*reader_change)(void *arg, const char *line, size_t n, struct buffer *out);

struct reader {
	struct offline *t;
	struct offline_file file;
	struct extent in;    /* where t is NULL: what is read is that */
	struct reader *from; /* what is read is that, changed line by line */
	reader_change change;
	void *arg;
	uint64_t size, at; /* of the file; what was read of it */
	char *text;        /* of which [next, have) was not asked for yet */
	size_t next, have, room;
	int error; /* what reader_take failed with, last */
};

/* -errno. ret is all zeros then, or is to be closed. */
int reader_open(struct offline *t, const char *path, struct reader *ret);
/* The same of bytes that are at hand; takes the reference. */
struct reader reader_of(struct extent in);
/* What reader_open opened is read as change makes it of each line, and size stays as it was. Takes
 * arg for free(), also on failure. -ENOMEM. */
int reader_changed(struct reader *r, reader_change change, void *arg);
void reader_close(struct reader *r); /* also one of zeros */
/* From the begin again. */
void reader_rewind(struct reader *r);
/* The next line with its end, or of one that has more than most bytes (4 at least) the first, whole
 * characters; good until the next call. 1; 0: there is none; -errno. */
int reader_next(struct reader *r, size_t most, const char **ret, size_t *ret_n);
/* The same of any length, without its end. */
int reader_line(struct reader *r, const char **ret, size_t *ret_n);
/* All that was not asked for yet, as a span with a NUL behind it; more than most bytes are -EFBIG.
 */
int reader_all(struct reader *r, size_t most, struct bytes **ret);
/* The same of a file from its begin. */
int offline_read_all(
	struct offline *t, const struct offline_file *file, size_t most, struct bytes **ret);
/* From its begin: is all of it UTF-8 without a NUL? 1, 0 or -errno. */
int reader_is_text(struct reader *r);
/* From its begin: is it a table of numbers alone, as those of layers are shown? 1, 0 or -errno. */
struct shape {
	size_t width, height, cell; /* bytes of a cell, and what stands behind it */
};
int reader_grid(struct reader *r, struct shape *ret);
/* The form of change_source (change.h); arg: a reader. */
ssize_t reader_take(void *arg, void *dst, size_t n);
/* That of codec_read_fn, for who asks in order. */
int reader_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e);
