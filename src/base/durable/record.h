/* SPDX-License-Identifier: Zlib */
/* record: read and write single records of a reclog. reclog.h describes their bytes. */
#pragma once

#include "base/durable/reclog.h"

enum {
	RECORD_HEADER_SIZE = 4 + 8 + 4, /* type and number, size, CRC of these */
	RECORD_TRAILER_SIZE = 4,        /* CRC of the payload */
	RECORD_FRAME_SIZE = RECORD_HEADER_SIZE + RECORD_TRAILER_SIZE,
	RECORD_TYPE_BITS = 8,
	RECORD_CHUNK = 64 << 10, /* bytes that are read or written at once */
};

void record_header(uint8_t raw[RECORD_HEADER_SIZE], uint32_t type, uint32_t number, uint64_t size);
/* Continue a CRC-32, which begins with 0, over n bytes. */
uint32_t record_crc(uint32_t crc, const void *data, size_t n);

struct record_writer {
	int fd;
	uint64_t pos;   /* offset in fd of the first byte in chunk */
	uint8_t *chunk; /* RECORD_CHUNK bytes of the caller, for record_write */
	size_t filled;  /* bytes in chunk that are not written yet; set by record_write */
};

/* Write one record at w->pos. Its payload is the concatenation of the parts, `size` bytes. On
 * success w->pos is its end; on failure w->pos is undefined, and a part of it may be written. */
int record_write(struct record_writer *w, uint32_t type, uint32_t number, uint64_t size,
	const struct extent *parts, size_t n_parts, struct error *e);

/*
 * Read the record at pos of a log that ends at end. Returns 1, 0 if there is no valid header of a
 * record that fits before end, or -errno. *ret_next is the end of the record. If the payload does
 * not have its CRC, ret->is_damaged is set. The caller finishes ret->payload, which refers to f.
 */
int record_read(struct file *f, uint64_t pos, uint64_t end, struct record *ret, uint64_t *ret_next,
	struct error *e);

/* Is there an incomplete record at pos, which is below end, where record_read found none? A program
 * that dies leaves the beginning of one. Zeros are data that the disk lost. False on failure. */
int record_is_torn(const struct file *f, uint64_t pos, uint64_t end, bool *ret, struct error *e);
/* Find the first record at or after pos whose CRCs match. *ret is its offset, or else end. */
int record_seek(struct file *f, uint64_t pos, uint64_t end, uint64_t *ret, struct error *e);
