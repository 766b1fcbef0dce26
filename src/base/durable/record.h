/* SPDX-License-Identifier: Zlib */
/* record: the bytes of one record of a reclog; reclog.h says what they are. */
#pragma once

#include "base/durable/reclog.h"

enum {
	RECORD_HEADER_SIZE = 4 + 8 + 4, /* type and number, size, CRC of them */
	RECORD_TRAILER_SIZE = 4,        /* CRC of the payload */
	RECORD_FRAME_SIZE = RECORD_HEADER_SIZE + RECORD_TRAILER_SIZE,
	RECORD_TYPE_BITS = 8,
	RECORD_CHUNK = 64 << 10,
};

void record_header(uint8_t raw[RECORD_HEADER_SIZE], uint32_t type, uint32_t number, uint64_t size);
/* Begins with 0, as zlib's. */
uint32_t record_crc(uint32_t crc, const void *data, size_t n);

/* Where records are written, and what is not written yet; it has room for RECORD_CHUNK bytes. */
struct record_writer {
	int fd;
	uint64_t pos;
	uint8_t *chunk;
	size_t filled;
};

/* One record, whose payload is the parts, of `size` bytes together. w->pos is its end, or where the
 * writing failed. */
int record_write(struct record_writer *w, uint32_t type, uint32_t number, uint64_t size,
	const struct extent *parts, size_t n_parts, struct error *e);

/*
 * The record at pos of a log that ends at end. 1: *ret and *ret_next are set, and ret->damaged
 * where only the header is sound; 0: none; negative: cannot be read. The payload is an extent of f.
 */
int record_read(struct file *f, uint64_t pos, uint64_t end, struct record *ret, uint64_t *ret_next,
	struct error *e);

/* What stands at pos, where there is no record: is it one that was begun and not finished? A
 * program that dies leaves the begin of what it wrote; zeros are what a disk has lost. */
int record_is_torn(const struct file *f, uint64_t pos, uint64_t end, bool *ret, struct error *e);
/* The first sound record from pos on, or end. */
int record_seek(struct file *f, uint64_t pos, uint64_t end, uint64_t *ret, struct error *e);
