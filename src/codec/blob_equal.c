/* SPDX-License-Identifier: Zlib */
#include "codec/blob_equal.h"

#include <errno.h>
#include <string.h>

struct comparison {
	codec_read_fn read;
	void *arg;
	uint64_t off;
	uint8_t other[4096];
	bool differs;
};

static int compare_chunk(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	struct comparison *c = arg;

	while (n) {
		size_t part = n < sizeof(c->other) ? n : sizeof(c->other);
		int r = c->read(c->arg, c->off, c->other, part, e);

		if (r < 0)
			return r;
		if (memcmp(data, c->other, part) != 0) {
			c->differs = true;
			return -ECANCELED;
		}
		c->off += part;
		data += part;
		n -= part;
	}
	return 0;
}

/* b's content and that which read gives, of the same size. */
static int compare(struct blob *b, codec_read_fn read, void *arg, bool *ret, struct error *e)
{
	struct comparison c = {.read = read, .arg = arg};
	int r = blob_each(b, compare_chunk, &c, e);

	if (c.differs)
		r = 0;
	if (r == 0)
		*ret = !c.differs;
	return r;
}

static bool same_place(const struct extent *a, const struct extent *b)
{
	return a->mem == b->mem && a->file == b->file && a->off == b->off && a->size == b->size;
}

/* Can it be read in pieces at no more than their cost? */
static bool has_pieces(const struct blob *b)
{
	return b->coding == BLOB_RAW || b->budget;
}

int blob_equal(struct blob *a, struct blob *b, bool *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	int r;

	if (!a || !b || a->size != b->size) {
		*ret = a == b;
		return 0;
	}
	if (a->coding == b->coding && same_place(&a->stored, &b->stored)) {
		*ret = true;
		return 0;
	}
	if (!blob_is_whole(b) && has_pieces(b))
		return compare(a, blob_read_fn, b, ret, e);
	if (!blob_is_whole(b) && has_pieces(a))
		return compare(b, blob_read_fn, a, ret, e);
	r = blob_load(b, &whole, e);
	if (r < 0)
		return r;
	x = extent_of_bytes(TAKE(whole));
	return compare(a, extent_read_fn, &x, ret, e);
}

int blob_equals_extent(struct blob *b, const struct extent *x, bool *ret, struct error *e)
{
	struct extent mine = *x; /* read only, so borrowed */

	if (b->size != x->size) {
		*ret = false;
		return 0;
	}
	return compare(b, extent_read_fn, &mine, ret, e);
}
