/* SPDX-License-Identifier: Zlib */
#include "codec/blob.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/refs.h"

enum {
	CHUNK = 64 << 10,
	ALONE_MAX = 16 << 20 /* largest blob that is read whole without a budget */
};

static atomic_ullong made_total;

static struct blob *create_blob(uint64_t size, struct budget *budget)
{
	struct blob *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	atomic_init(&b->refs, 1);
	atomic_init(&b->is_sound, false);
	atomic_init(&b->is_damaged, false);
	atomic_init(&b->is_unfinished, false);
	atomic_init(&b->is_made, false);
	b->size = size;
	b->budget = budget;
	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(&b->make_lock, NULL);
	pthread_mutex_init(&b->png.lock, NULL);
	return b;
}

struct blob *blob_new(
	const struct extent *stored, enum blob_coding coding, uint64_t size, struct budget *budget)
{
	struct blob *b = create_blob(size, budget);

	if (!b)
		return NULL;
	atomic_init(&b->is_made, true);
	b->stored = extent_ref(stored);
	b->coding = coding;
	return b;
}

struct blob *blob_new_composed(struct blob_recipe *take, uint64_t size, struct budget *budget)
{
	struct blob *b = create_blob(size, budget);

	if (!b) {
		take->free(take);
		return NULL;
	}
	b->coding = BLOB_ZLIB;
	b->recipe = take;
	b->is_size_unknown = size == BLOB_SIZE_UNKNOWN;
	return b;
}

int blob_materialize(struct blob *b, struct error *e)
{
	struct extent stored = EXTENT_INIT;
	uint64_t size = 0;
	int r = 0;

	if (blob_is_materialized(b))
		return 0;
	pthread_mutex_lock(&b->make_lock);
	if (!blob_is_materialized(b)) {
		r = b->recipe->make(b->recipe, &stored, &size, e);
		if (r == 0) {
			b->stored = stored;
			if (b->is_size_unknown)
				b->size = size;
			atomic_fetch_add(&made_total, 1);
			atomic_store_explicit(&b->is_made, true, memory_order_release);
		}
	}
	pthread_mutex_unlock(&b->make_lock);
	return r;
}

uint64_t blob_materialized_total(void)
{
	return atomic_load(&made_total);
}

struct blob *blob_of_bytes(struct bytes *bytes, struct budget *budget)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	if (!bytes)
		return NULL;
	x = extent_of_bytes(bytes);
	return blob_new(&x, BLOB_RAW, x.size, budget);
}

DEFINE_REF(struct blob, blob_ref)

/* The checkpoints may take half of the budget. */
static uint64_t blob_stretch_length(const struct blob *b)
{
	return stretch_length(b->size, b->budget ? budget_limit(b->budget) / 2 : ALONE_MAX);
}

static size_t count_stretches(const struct blob *b)
{
	uint64_t length = blob_stretch_length(b);

	return (size_t)((b->size + length - 1) / length);
}

static void drop_cached(struct blob *b)
{
	budget_drop(b->budget, &b->slot);
	budget_drop(b->budget, &b->derived);
	budget_drop(b->budget, &b->checkpoints);
	for (size_t i = 0; b->stretches && i < count_stretches(b); i++)
		budget_drop(b->budget, &b->stretches[i]);
	for (size_t i = 0; i < b->n_parts; i++)
		budget_drop(b->budget, &b->parts[i]);
}

void blob_unref(struct blob *b)
{
	if (!b || !refs_drop(&b->refs))
		return;
	if (b->budget)
		drop_cached(b);
	free(b->stretches);
	free(b->parts);
	extent_finish(&b->stored);
	if (b->recipe)
		b->recipe->free(b->recipe);
	pthread_mutex_destroy(&b->lock);
	pthread_mutex_destroy(&b->make_lock);
	pthread_mutex_destroy(&b->png.lock);
	free(b);
}

/* The bytes of a raw blob, borrowed. */
static int raw_extent(const struct blob *b, struct extent *ret, struct error *e)
{
	if (b->stored.size < b->size)
		return error_set(e, -EIO, "%" PRIu64 " bytes are stored (declared %" PRIu64 ")",
			b->stored.size, b->size);
	*ret = b->stored;
	ret->size = b->size;
	return 0;
}

static void mark_sound(struct blob *b)
{
	atomic_store_explicit(&b->is_sound, true, memory_order_relaxed);
}

static int load_decoded(void *arg, struct bytes **ret, struct error *e)
{
	struct blob *b = arg;
	struct extent raw;
	int r;

	if (b->coding == BLOB_ZLIB) {
		if (b->budget)
			budget_make_room(b->budget, &b->slot, (size_t)b->size);
		r = inflate_all(&b->stored, b->size, ret, e);
		if (r == 0) {
			mark_sound(b);
			atomic_store_explicit(&b->is_unfinished, true, memory_order_relaxed);
		}
		return r;
	}
	r = raw_extent(b, &raw, e);
	return r < 0 ? r : extent_load(&raw, b->size, ret, e);
}

static int get_decoded(struct blob *b, struct bytes **ret, struct error *e)
{
	/* Bytes that are in memory anyway must not count a second time. */
	if (!b->budget || (b->coding == BLOB_RAW && b->stored.mem))
		return load_decoded(b, ret, e);
	return budget_get(b->budget, &b->slot, load_decoded, b, ret, e);
}

static void mark_finished(struct blob *b)
{
	atomic_store_explicit(&b->is_unfinished, false, memory_order_relaxed);
}

int blob_load(struct blob *b, struct bytes **ret, struct error *e)
{
	int r = blob_materialize(b, e);

	if (r < 0)
		return r;
	r = get_decoded(b, ret, e);
	mark_finished(b);
	return r;
}

bool blob_is_whole(const struct blob *b)
{
	if (!b->budget)
		return b->size <= ALONE_MAX;
	return b->size <= budget_limit(b->budget) ||
	       b->size <= stretch_length(0, budget_limit(b->budget) / 2);
}

int blob_load_for_read(struct blob *b, uint64_t end, struct bytes **ret, struct error *e)
{
	/* Read this before budget_find: another thread may inflate the blob in between. */
	bool again = atomic_load_explicit(&b->is_unfinished, memory_order_relaxed);
	struct bytes *whole = b->budget ? budget_find(b->budget, &b->slot) : NULL;
	int r = blob_materialize(b, e);

	/* The cache dropped an unfinished blob: do not inflate all of it for each read. */
	if (r == 0 && !whole && !again && b->coding == BLOB_ZLIB && blob_is_whole(b))
		r = get_decoded(b, &whole, e);
	if (r < 0)
		return r;
	if (whole && end == b->size)
		mark_finished(b);
	*ret = whole;
	return 0;
}

/* A pass over the whole stream to make checkpoints, with an optional callback. */
struct pass {
	struct blob *blob;
	codec_chunk_fn fn;
	void *arg;
	bool is_done;
};

static int make_pass(void *arg, struct bytes **ret, struct error *e)
{
	struct pass *p = arg;
	struct blob *b = p->blob;
	int r;

	if (atomic_load_explicit(&b->is_sound, memory_order_relaxed))
		return stretch_begin(b->size, blob_stretch_length(b), ret, e);
	p->is_done = true;
	r = stretch_prepare(&b->stored, b->size, blob_stretch_length(b), p->fn, p->arg, ret, e);
	if (r == 0)
		mark_sound(b);
	return r;
}

static int get_checkpoints(struct blob *b, struct bytes **ret, struct error *e)
{
	struct pass p = {.blob = b};

	return b->budget ? budget_get_kept(b->budget, &b->checkpoints, make_pass, &p, ret, e)
			 : make_pass(&p, ret, e);
}

int blob_check(struct blob *b, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *found = NULL;
	struct extent raw;
	int r = 0;

	if (!blob_is_materialized(b))
		return 0;
	if (b->coding == BLOB_RAW)
		r = raw_extent(b, &raw, e);
	else if (!atomic_load_explicit(&b->is_sound, memory_order_relaxed))
		r = blob_is_whole(b) ? get_decoded(b, &found, e) : get_checkpoints(b, &found, e);
	if (r == -EIO)
		atomic_store_explicit(&b->is_damaged, true, memory_order_relaxed);
	return r;
}

bool blob_is_damaged(const struct blob *b)
{
	return atomic_load_explicit(&b->is_damaged, memory_order_relaxed);
}

void blob_remember(struct blob *b, uint64_t key, uint64_t value)
{
	pthread_mutex_lock(&b->lock);
	b->memo.key = key;
	b->memo.value = value;
	b->memo.set = true;
	pthread_mutex_unlock(&b->lock);
}

bool blob_recall(struct blob *b, uint64_t key, uint64_t *ret)
{
	bool known;

	pthread_mutex_lock(&b->lock);
	known = b->memo.set && b->memo.key == key;
	if (known)
		*ret = b->memo.value;
	pthread_mutex_unlock(&b->lock);
	return known;
}

struct stretch_ref {
	struct blob *blob;
	size_t i;
};

static int load_stretch(void *arg, struct bytes **ret, struct error *e)
{
	const struct stretch_ref *s = arg;
	struct blob *b = s->blob;
	CLEANUP(bytes_unref) struct bytes *checkpoints = NULL;
	int r = get_checkpoints(b, &checkpoints, e);

	return r < 0 ? r : stretch_load(checkpoints, &b->stored, b->size, s->i, ret, e);
}

static int get_stretch(struct blob *b, size_t i, struct bytes **ret, struct error *e)
{
	struct stretch_ref s = {b, i};

	if (!b->budget)
		return load_stretch(&s, ret, e);
	pthread_mutex_lock(&b->lock);
	if (!b->stretches)
		b->stretches = calloc(count_stretches(b), sizeof(*b->stretches));
	pthread_mutex_unlock(&b->lock);
	if (!b->stretches)
		return error_set(e, -ENOMEM, "out of memory");
	return budget_get_kept(b->budget, &b->stretches[i], load_stretch, &s, ret, e);
}

static int read_stretches(struct blob *b, uint64_t off, uint8_t *dst, size_t n, struct error *e)
{
	uint64_t length = blob_stretch_length(b);

	while (n) {
		CLEANUP(bytes_unref) struct bytes *span = NULL;
		size_t at = (size_t)(off % length), part;
		int r = get_stretch(b, (size_t)(off / length), &span, e);

		if (r < 0)
			return r;
		part = span->size - at < n ? span->size - at : n;
		memcpy(dst, span->data + at, part);
		off += part;
		dst += part;
		n -= part;
	}
	return 0;
}

int blob_read(struct blob *b, uint64_t off, void *dst, size_t n, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	struct extent raw;
	int r = blob_materialize(b, e);

	if (r < 0)
		return r;
	if (off > b->size || n > b->size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			b->size);
	if (b->coding == BLOB_RAW) {
		r = raw_extent(b, &raw, e);
		return r < 0 ? r : extent_read(&raw, off, dst, n, e);
	}
	r = blob_load_for_read(b, off + n, &whole, e);
	if (r == 0 && !whole)
		r = read_stretches(b, off, dst, n, e);
	if (r < 0)
		return r;
	if (whole && n)
		memcpy(dst, whole->data + off, n);
	if (off + n == b->size)
		mark_finished(b);
	return 0;
}

int blob_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	return blob_read(arg, off, dst, n, e);
}

int blob_prefix(struct blob *b, void *dst, size_t n, size_t *ret_got, struct error *e)
{
	struct extent raw;
	int r = blob_materialize(b, e);

	if (r < 0)
		return r;
	if (b->coding == BLOB_ZLIB)
		return inflate_prefix(&b->stored, b->size, dst, n, ret_got, e);
	if (n > b->size)
		n = (size_t)b->size;
	r = raw_extent(b, &raw, e);
	if (r < 0)
		return r;
	r = extent_read(&raw, 0, dst, n, e);
	if (r == 0)
		*ret_got = n;
	return r;
}

static int each_raw(struct blob *b, codec_chunk_fn fn, void *arg, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = NULL;
	struct extent raw;
	int r = raw_extent(b, &raw, e);

	if (r < 0)
		return r;
	chunk = malloc(CHUNK);
	if (!chunk)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint64_t off = 0; off < raw.size;) {
		size_t n = raw.size - off < CHUNK ? (size_t)(raw.size - off) : CHUNK;

		r = extent_read(&raw, off, chunk, n, e);
		if (r < 0)
			return r;
		r = fn(arg, chunk, n, e);
		if (r < 0)
			return r;
		off += n;
	}
	return 0;
}

/* Pass all bytes to fn, in the pass that makes the checkpoints, if that is still to be done. */
static int each_inflated(struct blob *b, codec_chunk_fn fn, void *arg, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *checkpoints = NULL;
	struct pass p = {.blob = b, .fn = fn, .arg = arg};
	int r = 0;

	if (b->budget)
		r = budget_get_kept(b->budget, &b->checkpoints, make_pass, &p, &checkpoints, e);
	return r < 0 || p.is_done ? r : inflate_each(&b->stored, b->size, fn, arg, e);
}

int blob_for_each_chunk(struct blob *b, codec_chunk_fn fn, void *arg, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r = blob_materialize(b, e);

	if (r < 0)
		return r;
	if (b->coding == BLOB_RAW)
		return each_raw(b, fn, arg, e);
	if (b->budget)
		whole = budget_find(b->budget, &b->slot);
	r = whole || !blob_is_whole(b) ? 0 : get_decoded(b, &whole, e);
	if (r < 0)
		return r;
	mark_finished(b);
	if (!whole)
		return each_inflated(b, fn, arg, e);
	return whole->size ? fn(arg, whole->data, whole->size, e) : 0;
}
