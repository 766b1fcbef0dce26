/* SPDX-License-Identifier: Zlib */
#include "codec/blob_equal.h"

#include <errno.h>
#include <string.h>

#include "codec/zlib/feed.h"

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

/* Compare the decoded bytes of b with equally many bytes from the function `read`. */
static int compare_content(
	struct blob *b, codec_read_fn read, void *arg, bool *ret, struct error *e)
{
	struct comparison c = {.read = read, .arg = arg};
	int r = blob_for_each_chunk(b, compare_chunk, &c, e);

	if (c.differs)
		r = 0;
	if (r == 0)
		*ret = !c.differs;
	return r;
}

static bool is_same_place(const struct extent *a, const struct extent *b)
{
	return a->mem == b->mem && a->file == b->file && a->off == b->off && a->size == b->size;
}

/* Reads a blob once, from begin to end, without caching it. */
struct uncached_reader {
	struct blob *blob;
	struct bytes *whole; /* if it is cached; else NULL */
	struct feed *feed;   /* if it is inflated; else NULL */
};

static int reader_begin(struct blob *b, struct uncached_reader *ret, struct error *e)
{
	int r;

	*ret = (struct uncached_reader){.blob = b};
	if (b->coding == BLOB_RAW)
		return 0;
	ret->whole = b->budget ? budget_find(b->budget, &b->slot) : NULL;
	if (ret->whole)
		return 0;
	ret->feed = malloc(sizeof(*ret->feed));
	r = ret->feed ? feed_init(ret->feed, &b->stored, b->size, e)
		      : error_set(e, -ENOMEM, "out of memory");
	if (r < 0)
		free(TAKE(ret->feed));
	return r;
}

static void reader_finish(struct uncached_reader *o)
{
	bytes_unref(o->whole);
	if (o->feed)
		feed_finish(o->feed);
	free(o->feed);
}

static int read_uncached(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct uncached_reader *o = arg;

	if (o->feed)
		return feed_pull(o->feed, dst, n, e);
	if (!o->whole)
		return blob_read(o->blob, off, dst, n, e);
	memcpy(dst, o->whole->data + off, n);
	return 0;
}

int blob_equal(struct blob *a, struct blob *b, bool *ret, struct error *e)
{
	struct uncached_reader once;
	int r = a == b || !a || !b ? 0 : blob_materialize(a, e);

	if (r == 0 && a && b && a != b)
		r = blob_materialize(b, e);
	if (r < 0)
		return r;
	if (!a || !b || a == b || a->size != b->size) {
		*ret = a == b;
		return 0;
	}
	if (a->coding == b->coding && is_same_place(&a->stored, &b->stored)) {
		*ret = true;
		return 0;
	}
	r = reader_begin(b, &once, e);
	if (r < 0)
		return r;
	r = compare_content(a, read_uncached, &once, ret, e);
	if (r == 0 && *ret && once.feed)
		r = feed_expect_end(once.feed, e);
	reader_finish(&once);
	return r;
}

int blob_equals_extent(struct blob *b, const struct extent *x, bool *ret, struct error *e)
{
	struct extent mine = *x; /* borrowed */
	int r = blob_size(b) == BLOB_SIZE_UNKNOWN ? blob_materialize(b, e) : 0;

	if (r < 0)
		return r;
	if (b->size != x->size) {
		*ret = false;
		return 0;
	}
	return compare_content(b, extent_read_fn, &mine, ret, e);
}
