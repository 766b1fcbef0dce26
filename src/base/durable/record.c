/* SPDX-License-Identifier: Zlib */
#include "base/durable/record.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/cursor.h"
#include "base/disk/io.h"

uint32_t record_crc(uint32_t crc, const void *data, size_t n)
{
	return (uint32_t)crc32_z(crc, data, n);
}

void record_header(uint8_t raw[RECORD_HEADER_SIZE], uint32_t type, uint32_t number, uint64_t size)
{
	store_u32(raw, type | number << RECORD_TYPE_BITS);
	store_u32(raw + 4, (uint32_t)size);
	store_u32(raw + 8, (uint32_t)(size >> 32));
	store_u32(raw + 12, record_crc(0, raw, 12));
}

static bool parse_header(
	const uint8_t raw[RECORD_HEADER_SIZE], struct record *ret, uint64_t *ret_size)
{
	struct cursor c = cursor_init(raw, RECORD_HEADER_SIZE);
	uint32_t first = cursor_u32(&c);

	*ret = (struct record){
		.type = first & ((1 << RECORD_TYPE_BITS) - 1), .number = first >> RECORD_TYPE_BITS};
	*ret_size = cursor_u64(&c);
	return ret->type && cursor_u32(&c) == record_crc(0, raw, 12);
}

/* Read a header. Returns 1 if it is valid and the record fits before end, 0 if not, or -errno. */
static int read_header(const struct file *f, uint64_t pos, uint64_t end, struct record *ret,
	uint64_t *ret_size, struct error *e)
{
	uint8_t raw[RECORD_HEADER_SIZE];
	int r;

	if (pos > end || end - pos < RECORD_FRAME_SIZE)
		return 0;
	r = file_read(f, pos, raw, sizeof(raw), e);
	if (r < 0)
		return r;
	return parse_header(raw, ret, ret_size) && *ret_size <= end - pos - RECORD_FRAME_SIZE;
}

/* Read a payload. Returns 1 if it matches its CRC, 0 if not, or -errno. */
static int check_payload(
	const struct file *f, uint64_t off, uint64_t size, uint32_t *ret_crc, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = malloc(RECORD_CHUNK);
	uint8_t trailer[RECORD_TRAILER_SIZE];
	uint32_t crc = 0;
	int r;

	if (!chunk)
		return error_set(e, -ENOMEM, "out of memory");
	while (size) {
		size_t n = size < RECORD_CHUNK ? (size_t)size : RECORD_CHUNK;

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
	*ret_crc = crc;
	return load_u32(trailer) == crc;
}

int record_read(struct file *f, uint64_t pos, uint64_t end, struct record *ret, uint64_t *ret_next,
	struct error *e)
{
	struct record rec;
	uint64_t size = 0;
	int r = read_header(f, pos, end, &rec, &size, e);

	if (r != 1)
		return r;
	r = check_payload(f, pos + RECORD_HEADER_SIZE, size, &rec.crc, e);
	if (r < 0)
		return r;
	rec.is_damaged = r == 0;
	rec.payload = extent_of_file(file_ref(f), pos + RECORD_HEADER_SIZE, size);
	*ret = rec;
	*ret_next = pos + RECORD_FRAME_SIZE + size;
	return 1;
}

int record_is_torn(const struct file *f, uint64_t pos, uint64_t end, bool *ret, struct error *e)
{
	uint8_t raw[RECORD_HEADER_SIZE];
	bool whole = end - pos >= sizeof(raw);
	int r = file_read(f, pos, raw, whole ? sizeof(raw) : (size_t)(end - pos), e);
	struct record rec;
	uint64_t size;

	/* A valid header of a record that does not fit, or the beginning of a header. */
	*ret = r == 0 && (whole ? parse_header(raw, &rec, &size) : raw[0] != 0);
	return r;
}

int record_seek(struct file *f, uint64_t pos, uint64_t end, uint64_t *ret, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = malloc(RECORD_CHUNK);
	struct record rec;
	uint64_t size;

	if (!chunk)
		return error_set(e, -ENOMEM, "out of memory");
	while (end - pos >= RECORD_FRAME_SIZE) {
		size_t n = end - pos < RECORD_CHUNK ? (size_t)(end - pos) : RECORD_CHUNK, i;
		int r = file_read(f, pos, chunk, n, e);

		for (i = 0; r == 0 && i + RECORD_HEADER_SIZE <= n; i++) {
			/* Skip most offsets quickly: type 0, or a size that exceeds the log. */
			if (!chunk[i] || load_u32(chunk + i + 8) > (end - pos) >> 32 ||
				!parse_header(chunk + i, &rec, &size) ||
				size > end - pos - RECORD_FRAME_SIZE - i)
				continue;
			r = check_payload(f, pos + i + RECORD_HEADER_SIZE, size, &rec.crc, e);
			if (r != 1)
				continue;
			*ret = pos + i;
			return 0;
		}
		if (r < 0)
			return r;
		pos += i;
	}
	*ret = end;
	return 0;
}

static int flush_chunk(struct record_writer *w)
{
	int r = w->filled ? io_pwrite(w->fd, w->chunk, w->filled, w->pos) : 0;

	w->pos += w->filled;
	w->filled = 0;
	return r;
}

/* Write a part through the chunk, so that a small record needs one write. */
static int write_part(
	struct record_writer *w, const struct extent *x, uint32_t *crc, struct error *e)
{
	for (uint64_t done = 0; done < x->size;) {
		size_t n = RECORD_CHUNK - w->filled;
		int r;

		if (x->size - done < n)
			n = (size_t)(x->size - done);
		r = extent_read(x, done, w->chunk + w->filled, n, e);
		if (r < 0)
			return r;
		*crc = record_crc(*crc, w->chunk + w->filled, n);
		w->filled += n;
		done += n;
		r = w->filled == RECORD_CHUNK ? flush_chunk(w) : 0;
		if (r < 0)
			return error_set(e, r, "cannot write: %s", strerror(-r));
	}
	return 0;
}

int record_write(struct record_writer *w, uint32_t type, uint32_t number, uint64_t size,
	const struct extent *parts, size_t n_parts, struct error *e)
{
	uint32_t crc = 0;
	int r;

	record_header(w->chunk, type, number, size);
	w->filled = RECORD_HEADER_SIZE;
	for (size_t i = 0; i < n_parts; i++) {
		r = write_part(w, &parts[i], &crc, e);
		if (r < 0)
			return r;
	}
	r = RECORD_CHUNK - w->filled < RECORD_TRAILER_SIZE ? flush_chunk(w) : 0;
	if (r == 0) {
		store_u32(w->chunk + w->filled, crc);
		w->filled += RECORD_TRAILER_SIZE;
		r = flush_chunk(w);
	}
	return r < 0 ? error_set(e, r, "cannot write: %s", strerror(-r)) : 0;
}
