/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/offline/compare.h"

enum { CHUNK = 64 << 10 };

/* CHUNK bytes, or less at the end. */
static ssize_t fill(struct reader *r, uint8_t *dst)
{
	size_t have = 0;

	while (have < CHUNK) {
		ssize_t got = reader_take(r, dst + have, CHUNK - have);

		if (got < 0)
			return got;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

int compare_bytes(struct reader *a, struct reader *b, struct reader **ret_failed)
{
	CLEANUP(free) uint8_t *p = malloc(CHUNK), *q = malloc(CHUNK);
	ssize_t n, m;

	*ret_failed = a;
	if (!p || !q)
		return -ENOMEM;
	reader_rewind(a);
	reader_rewind(b);
	do {
		n = fill(a, p);
		if (n < 0)
			return (int)n;
		m = fill(b, q);
		if (m < 0) {
			*ret_failed = b;
			return (int)m;
		}
		if (n != m || memcmp(p, q, (size_t)n) != 0)
			return 0;
	} while (n);
	return 1;
}
