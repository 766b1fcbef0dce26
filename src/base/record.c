/* SPDX-License-Identifier: Zlib */
#include "base/record.h"

#include <zlib.h>

#include "base/cursor.h"

enum { CHUNK = 64 << 10 };

uint32_t record_crc(uint32_t crc, const void *data, size_t n)
{
	return (uint32_t)crc32_z(crc, data, n);
}

void record_header(uint8_t raw[RECORD_HEADER_SIZE], uint32_t type, uint64_t size)
{
	store_u32(raw, type);
	store_u32(raw + 4, (uint32_t)size);
	store_u32(raw + 8, (uint32_t)(size >> 32));
	store_u32(raw + 12, record_crc(0, raw, 12));
}

/* 1: a record's header, with room for all that it claims; 0: not. */
static int read_header(const struct file *f, uint64_t pos, uint64_t end, uint32_t *ret_type,
	uint64_t *ret_size, struct error *e)
{
	uint8_t raw[RECORD_HEADER_SIZE];
	struct cursor c = cursor_init(raw, sizeof(raw));
	uint32_t type;
	uint64_t size;
	int r;

	if (pos > end || end - pos < RECORD_FRAME_SIZE)
		return 0;
	r = file_read(f, pos, raw, sizeof(raw), e);
	if (r < 0)
		return r;
	type = cursor_u32(&c);
	size = cursor_u64(&c);
	if (cursor_u32(&c) != record_crc(0, raw, 12) || size > end - pos - RECORD_FRAME_SIZE)
		return 0;
	*ret_type = type;
	*ret_size = size;
	return 1;
}

/* 1: as its CRC says; 0: not. */
static int check_payload(const struct file *f, uint64_t off, uint64_t size, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = malloc(CHUNK);
	uint8_t trailer[RECORD_TRAILER_SIZE];
	uint32_t crc = 0;
	int r;

	if (!chunk)
		return error_set(e, -ENOMEM, "no memory to read the journal");
	while (size) {
		size_t n = size < CHUNK ? (size_t)size : CHUNK;

		r = file_read(f, off, chunk, n, e);
		if (r < 0)
			return r;
		crc = record_crc(crc, chunk, n);
		off += n;
		size -= n;
	}
	r = file_read(f, off, trailer, sizeof(trailer), e);
	if (r < 0)
		return r;
	return load_u32(trailer) == crc;
}

int record_read(struct file *f, uint64_t pos, uint64_t end, struct record *ret, uint64_t *ret_next,
	struct error *e)
{
	uint64_t size = 0;
	uint32_t type = 0;
	int r = read_header(f, pos, end, &type, &size, e);

	if (r == 1)
		r = check_payload(f, pos + RECORD_HEADER_SIZE, size, e);
	if (r != 1)
		return r;
	ret->type = type;
	ret->payload = extent_of_file(file_ref(f), pos + RECORD_HEADER_SIZE, size);
	*ret_next = pos + RECORD_FRAME_SIZE + size;
	return 1;
}
