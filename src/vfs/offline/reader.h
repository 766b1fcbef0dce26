/* SPDX-License-Identifier: Zlib */
/* reader: read a file of a map in pieces, by lines or bytes. */
#pragma once

#include "base/buffer.h"
#include "vfs/offline/calls.h"

/* Append the replacement of a line, which includes its newline, to out. */
typedef int (*reader_change)(void *arg, const char *line, size_t n, struct buffer *out);

struct reader {
	struct offline *t;
	struct offline_file file;
	struct extent extent; /* the bytes to read, if t and from are NULL */
	struct reader *from;  /* the reader whose lines `change` replaces; or NULL */
	reader_change change;
	void *arg;
	uint64_t size, at; /* size of the file; number of bytes read */
	char *text;        /* buffer; [next, have) was not returned yet */
	size_t next, have, room;
	int error; /* -errno of the last failure of reader_read */
};

/* Open a file of the map. On failure *ret is all zeros. */
int reader_open(struct offline *t, const char *path, struct reader *ret);
/* Read from an extent; takes the reference. */
struct reader reader_from_extent(struct extent in);
/* Make later reads replace each line (of over 1 MB, each piece) by the result of change(). r->size
 * stays that of the file. reader_close calls free(arg). -ENOMEM: arg is freed, r is unchanged. */
int reader_replace_lines(struct reader *r, reader_change change, void *arg);
void reader_close(struct reader *r); /* also accepts an all-zero reader */
/* Start again at the beginning. */
void reader_rewind(struct reader *r);
/* Read the next line with its newline. A line of more than `most` (at least 4) bytes comes in
 * pieces of whole characters. Returns 1, 0 at the end, or -errno. *ret is valid until the next
 * call. */
int reader_next(struct reader *r, size_t most, const char **ret, size_t *ret_n);
/* Like reader_next, for a line of up to 1 GB, else -EFBIG, and without its newline. */
int reader_line(struct reader *r, const char **ret, size_t *ret_n);
/* Read the rest of the file. A NUL follows the bytes. -EFBIG if there are more than `most`. */
int reader_all(struct reader *r, size_t most, struct bytes **ret);
/* Read a whole file, as reader_all does. */
int offline_read_all(
	struct offline *t, const struct offline_file *file, size_t most, struct bytes **ret);
/* Is the whole file UTF-8 without a NUL? Returns 1, 0 or -errno. Rewinds before, not after. */
int reader_is_text(struct reader *r);
/* Size of a table of numbers, such as a layer. */
struct shape {
	size_t width, height, cell; /* cell: bytes of a cell with its separator */
};
/* Does the file look like a table of numbers with cells of equal width? Checks the first line and
 * the size. Returns 1, 0 or -errno. Rewinds first, and leaves the reader behind that line. */
int reader_grid(struct reader *r, struct shape *ret);
/* A change_source of change.h: read up to n bytes from the reader `arg`. Returns their number, 0 at
 * the end, or -errno, which is also in reader.error. */
ssize_t reader_read(void *arg, void *dst, size_t n);
/* A codec_read_fn: read exactly the next n bytes of the reader `arg` (else -EIO). Ignores off. */
int reader_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e);
