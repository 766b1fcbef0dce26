/* SPDX-License-Identifier: Zlib */
#include <pthread.h>
#include <stdbool.h>

#include "codec/zlib/feed.h"

/* zlib's inflate state: a window of 32 KiB and some 7 KiB of tables (zconf.h). */
enum { STATE_MEMORY = 40 << 10 };

/* zlib's state at the begin of a stretch. It includes the running checksum, so reading the last
 * stretch verifies the whole stream again. */
struct checkpoint {
	z_stream z; /* never moved: zlib refuses a stream that was */
	uint64_t in;
};

struct checkpoints {
	struct bytes counted; /* must be first; its size is the memory of all points */
	uint64_t length;
	pthread_mutex_t lock; /* protects n and new points; existing points are read-only */
	size_t n;             /* number of points; points[i] is for stretch i + 1 */
	struct checkpoint points[];
};

uint64_t stretch_length(uint64_t declared, size_t memory)
{
	uint64_t length = memory / 4 < STRETCH ? memory / 4 / FEED_CHUNK * FEED_CHUNK : STRETCH;

	if (length < FEED_CHUNK)
		length = FEED_CHUNK;
	while (declared / length * STATE_MEMORY > (memory > length ? memory : length))
		length += (length / 8 + FEED_CHUNK - 1) / FEED_CHUNK * FEED_CHUNK;
	return length;
}

static void checkpoints_free(struct bytes *b)
{
	struct checkpoints *c = (struct checkpoints *)b;

	for (size_t i = 0; i < c->n; i++)
		inflateEnd(&c->points[i].z);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct checkpoints *checkpoints_new(uint64_t declared, uint64_t length)
{
	size_t most = declared ? (size_t)((declared - 1) / length) : 0;
	struct checkpoints *c = calloc(1, sizeof(*c) + most * sizeof(c->points[0]));

	if (!c)
		return NULL;
	bytes_init(&c->counted, sizeof(*c) + most * STATE_MEMORY, checkpoints_free);
	c->length = length;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

int stretch_begin(uint64_t declared, uint64_t length, struct bytes **ret, struct error *e)
{
	struct checkpoints *c = checkpoints_new(declared, length);

	if (!c)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = &c->counted;
	return 0;
}

static int add_checkpoint(struct checkpoints *c, const struct feed *f, struct error *e)
{
	struct checkpoint *p = &c->points[c->n];

	/* inflateCopy only reads its source, which is not const in the prototype. */
	if (inflateCopy(&p->z, (z_stream *)(uintptr_t)&f->z) != Z_OK)
		return error_set(e, -ENOMEM, "out of memory");
	p->in = f->in - f->z.avail_in;
	c->n++;
	return 0;
}

/* The state of stretch_prepare. */
struct preparation {
	struct checkpoints *c;
	const struct feed *f;
	codec_chunk_fn fn;
	void *arg;
};

/* Pass a chunk on, and add a checkpoint if a stretch begins after it. The length of a stretch is a
 * multiple of that of a chunk. */
static int prepare_chunk(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	const struct preparation *l = arg;
	int r = l->fn ? l->fn(l->arg, data, n, e) : 0;

	if (r == 0 && l->f->out < l->f->declared && l->f->out % l->c->length == 0)
		r = add_checkpoint(l->c, l->f, e);
	return r;
}

int stretch_prepare(const struct extent *x, uint64_t declared, uint64_t length, codec_chunk_fn fn,
	void *arg, struct bytes **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *counted = NULL;
	struct checkpoints *c = checkpoints_new(declared, length);
	struct feed f;
	struct preparation l = {.c = c, .f = &f, .fn = fn, .arg = arg};
	int r;

	if (!c)
		return error_set(e, -ENOMEM, "out of memory");
	counted = &c->counted;
	r = feed_init(&f, x, declared, e);
	if (r < 0)
		return r;
	r = feed_each(&f, prepare_chunk, &l, e);
	feed_finish(&f);
	if (r == 0)
		*ret = TAKE(counted);
	return r;
}

/* Start a feed at the begin of stretch i. */
static int start_feed(const struct checkpoints *c, uint64_t i, const struct extent *x,
	uint64_t declared, struct feed *f, struct error *e)
{
	const struct checkpoint *p = i ? &c->points[i - 1] : NULL;

	return p ? feed_resume(f, x, declared, &p->z, p->in, i * c->length, e)
		 : feed_init(f, x, declared, e);
}

/* Inflate one stretch; f is at its begin. Add the checkpoint at its end, unless has_end. */
static int decode_stretch(struct checkpoints *c, struct feed *f, bool has_end, uint8_t *dst,
	size_t *ret_n, struct error *e)
{
	uint64_t left = f->declared - f->out;
	int r;

	*ret_n = (size_t)(left < c->length ? left : c->length);
	r = feed_pull(f, dst, *ret_n, e);
	if (r < 0 || left > c->length)
		return r < 0 || has_end ? r : add_checkpoint(c, f, e);
	return feed_expect_end(f, e);
}

int stretch_load(struct bytes *prepared, const struct extent *x, uint64_t declared, uint64_t i,
	struct bytes **ret, struct error *e)
{
	struct checkpoints *c = (struct checkpoints *)prepared;
	uint8_t *data;
	struct bytes *span = bytes_resize(NULL, c->length, &data);
	size_t n = 0;
	bool has_end; /* the checkpoint at the end of stretch i exists */
	struct feed f;
	int r;

	if (!span)
		return error_set(e, -ENOMEM, "out of memory");
	pthread_mutex_lock(&c->lock);
	has_end = i < c->n;
	if (has_end)
		pthread_mutex_unlock(&c->lock);
	r = start_feed(c, has_end ? i : c->n, x, declared, &f, e);
	if (r == 0) {
		/* First inflate the stretches before it that have no checkpoint yet. */
		do
			r = decode_stretch(c, &f, has_end, data, &n, e);
		while (r == 0 && f.out <= i * c->length && f.out < declared);
		feed_finish(&f);
	}
	if (!has_end)
		pthread_mutex_unlock(&c->lock);
	if (r == 0)
		*ret = bytes_resize(span, n, NULL);
	if (r == 0 && *ret)
		return 0;
	bytes_unref(span);
	return r < 0 ? r : error_set(e, -ENOMEM, "out of memory");
}
