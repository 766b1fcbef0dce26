/* SPDX-License-Identifier: Zlib */
#include "cli/merging/same.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int same_bytes(int a, int b)
{
	uint8_t x[4096], y[4096];
	struct stat s, t;

	if (fstat(a, &s) < 0 || fstat(b, &t) < 0 || s.st_size != t.st_size)
		return 0;
	for (off_t off = 0; off < s.st_size;) {
		ssize_t n = pread(a, x, sizeof(x), off), k = pread(b, y, sizeof(y), off);

		if (n <= 0 || k != n || memcmp(x, y, (size_t)n) != 0)
			return 0;
		off += n;
	}
	return 1;
}

int same_maps(const struct source *a, const struct source *b)
{
	if (!a->files[1] != !b->files[1] || !same_bytes(a->files[0]->fd, b->files[0]->fd))
		return 0;
	return !a->files[1] || same_bytes(a->files[1]->fd, b->files[1]->fd);
}
