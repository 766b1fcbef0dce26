/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/cursor.h"
#include "codec/feed.h"
#include "codec/inflate.h"

enum {
	GAP = 16 << 20, /* bytes of output between checkpoints */
	POINTS_MAX = 64,
	/* zlib's inflate state: a window of 32 KiB and some 7 KiB of tables (zconf.h). */
	STATE_MEMORY = 40 << 10,
};

/* The decoder as it was after out bytes. The copy includes the running checksum, so that reading on
 * from here to the end still verifies the whole stream. */
struct checkpoint {
	z_stream z;
	uint64_t in;
};

struct inflater {
	struct extent x;
	struct feed feed;
	bool broken; /* the feed failed and must be rewound before it is used */
	uint64_t gap;
	unsigned n_points; /* point i stands at (i + 1) * gap */
	struct checkpoint points[POINTS_MAX];
};

int inflater_create(
	const struct extent *x, uint64_t declared, struct inflater **ret, struct error *e)
{
	struct inflater *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return error_set(e, -ENOMEM, "no memory to inflate");
	f->x = extent_ref(x);
	f->gap = declared / POINTS_MAX > GAP ? declared / POINTS_MAX : GAP;
	r = feed_init(&f->feed, &f->x, declared, e);
	if (r < 0) {
		extent_finish(&f->x);
		free(f);
		return r;
	}
	*ret = f;
	return 0;
}

void inflater_destroy(struct inflater *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->n_points; i++)
		inflateEnd(&f->points[i].z);
	feed_finish(&f->feed);
	extent_finish(&f->x);
	free(f);
}

size_t inflater_memory(const struct inflater *f)
{
	return sizeof(*f) + (f->n_points + 1) * (size_t)STATE_MEMORY;
}

/* Without memory for a checkpoint reading goes on; only going back takes longer. */
static void remember(struct inflater *f)
{
	struct checkpoint *p = &f->points[f->n_points];

	if (inflateCopy(&p->z, &f->feed.z) != Z_OK)
		return;
	p->in = f->feed.in - f->feed.z.avail_in;
	f->n_points++;
}

static int rewind_to(struct inflater *f, unsigned points, struct error *e)
{
	struct feed *feed = &f->feed;

	if (points) {
		struct checkpoint *p = &f->points[points - 1];

		/* In place: zlib refuses a stream that was moved. */
		inflateEnd(&feed->z);
		if (inflateCopy(&feed->z, &p->z) != Z_OK)
			return error_set(e, -ENOMEM, "no memory to inflate");
		feed->in = p->in;
	} else {
		/* There is no state left after a copy that failed. */
		if (inflateReset(&feed->z) != Z_OK && inflateInit(&feed->z) != Z_OK)
			return error_set(e, -ENOMEM, "no memory to inflate");
		feed->in = 0;
	}
	feed->z.next_in = feed->input;
	feed->z.avail_in = 0;
	feed->out = points * f->gap;
	feed->ended = f->x.size == 0 && feed->declared == 0;
	f->broken = false;
	return 0;
}

/* Go back, or forward over what was inflated before, where that is shorter than reading on. */
static int seek(struct inflater *f, uint64_t off, struct error *e)
{
	uint64_t points = off / f->gap < f->n_points ? off / f->gap : f->n_points;

	if (!f->broken && f->feed.out <= off && f->feed.out >= points * f->gap)
		return 0;
	return rewind_to(f, (unsigned)points, e);
}

/* The next n bytes to dst, or to nowhere; leaves checkpoints behind. */
static int advance(struct inflater *f, uint8_t *dst, uint64_t n, struct error *e)
{
	while (n) {
		uint64_t next = (f->n_points + 1) * f->gap;
		uint64_t part = n;
		int r;

		if (part > f->gap)
			part = f->gap;
		if (f->n_points < POINTS_MAX && f->feed.out < next && next - f->feed.out < part)
			part = next - f->feed.out;
		r = feed_pull(&f->feed, dst, (size_t)part, e);
		if (r < 0)
			return r;
		if (f->feed.out == next && f->n_points < POINTS_MAX)
			remember(f);
		if (dst)
			dst += part;
		n -= part;
	}
	return 0;
}

static int read_at(struct inflater *f, uint64_t off, uint8_t *dst, size_t n, struct error *e)
{
	int r = seek(f, off, e);

	if (r < 0)
		return r;
	r = advance(f, NULL, off - f->feed.out, e);
	if (r < 0)
		return r;
	r = advance(f, dst, n, e);
	if (r < 0)
		return r;
	return f->feed.out == f->feed.declared ? feed_expect_end(&f->feed, e) : 0;
}

int inflater_read(struct inflater *f, uint64_t off, void *dst, size_t n, struct error *e)
{
	uint64_t end;
	int r;

	if (ckd_add(&end, off, n) || end > f->feed.declared)
		return error_set(e, -EINVAL,
			"bytes %" PRIu64 " to %" PRIu64 " are past the end (size %" PRIu64 ")", off,
			off + n, f->feed.declared);
	r = n ? read_at(f, off, dst, n, e) : 0;
	/* After feed_expect_end failed the position is past the end, and wrong too. */
	if (r < 0)
		f->broken = true;
	return r;
}
