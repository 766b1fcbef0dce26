/* SPDX-License-Identifier: Zlib */
#include "base/disk/io_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/disk/file.h"
#include "base/disk/io.h"

enum { CHUNK = 1 << 20, PAGE = 4096, AT_ONCE = 64 << 20 };

/* Copy with copy_file_range as far as the kernel can. Advances *off and reduces *n. */
static int copy_in_kernel(int from, uint64_t *off, uint64_t *n, int to)
{
	while (*n) {
		off_t at = (off_t)*off;
		size_t want = *n < AT_ONCE ? (size_t)*n : AT_ONCE;
		struct io_call c = {.op = IO_WRITE, .fd = to, .name = "", .n = want};
		int r = io_call_hook(&c);
		ssize_t done = r == 0 ? copy_file_range(from, &at, to, NULL, c.n, 0) : r;

		if (r == 0 && done < 0)
			r = -errno;
		if (r == -EINTR)
			continue;
		/* Disk errors are final. Others mean that the kernel cannot copy between these. */
		if (r < 0)
			return io_is_full(r) || r == -EIO || r == -EFBIG ? r : 0;
		if (!done)
			return 0;
		*off += (uint64_t)done;
		*n -= (uint64_t)done;
	}
	return 0;
}

/* Read back n bytes at pos into room and compare them, while they are in the processor's cache. */
static int compare_back(int fd, const uint8_t *meant, size_t n, uint64_t pos, uint8_t *room)
{
	const struct file f = {.fd = fd};
	int r = file_read(&f, pos, room, n, NULL);

	return r == 0 && memcmp(meant, room, n) != 0 ? -EIO : r;
}

/* Copy through memory. The kernel copies only half as fast if a byte has different offsets in the
 * pages of source and target. Here both of its copies keep the offset, and memcpy shifts the bytes.
 */
static int copy_through_memory(
	int from, uint64_t off, uint64_t n, int to, uint64_t pos, bool compare)
{
	CLEANUP(free) uint8_t *room = aligned_alloc(PAGE, 2 * (CHUNK + PAGE));
	const struct file f = {.fd = from};
	int r;

	if (!room)
		return -ENOMEM;
	while (n) {
		/* After the first chunk, write whole aligned chunks of the target. */
		size_t most = CHUNK - pos % CHUNK, part = n < most ? (size_t)n : most;
		uint8_t *in = room + off % PAGE, *out = room + CHUNK + PAGE + pos % PAGE;

		r = file_read(&f, off, in, part, NULL);
		if (r < 0)
			return r;
		memcpy(out, in, part);
		r = io_write(to, out, part);
		if (r == 0 && compare)
			r = compare_back(to, out, part, pos, room + pos % PAGE);
		if (r < 0)
			return r;
		off += part;
		pos += part;
		n -= part;
	}
	return 0;
}

static int copy_range(int from, uint64_t off, uint64_t n, int to, bool *ret_compared)
{
	off_t pos = lseek(to, 0, SEEK_CUR);
	bool in_kernel;
	int r = 0;

	if (pos < 0)
		return -errno;
	if (off > INT64_MAX || n > INT64_MAX - off)
		return -EINVAL;
	in_kernel = n <= PAGE || off % PAGE == (uint64_t)pos % PAGE;
	if (in_kernel)
		r = copy_in_kernel(from, &off, &n, to);
	if (r < 0 || !n)
		return r;
	pos = lseek(to, 0, SEEK_CUR);
	if (pos < 0)
		return -errno;
	r = copy_through_memory(from, off, n, to, (uint64_t)pos, ret_compared != NULL);
	if (r == 0 && ret_compared)
		*ret_compared = !in_kernel;
	return r;
}

int io_copy(int from, uint64_t off, uint64_t n, int to)
{
	return copy_range(from, off, n, to, NULL);
}

int io_copy_compared(int from, uint64_t off, uint64_t n, int to, bool *ret_compared)
{
	*ret_compared = false;
	return copy_range(from, off, n, to, ret_compared);
}
