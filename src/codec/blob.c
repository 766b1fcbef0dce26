/* SPDX-License-Identifier: Zlib */
#include "codec/blob.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/refs.h"

enum {
	CHUNK = 64 << 10,
	STREAMS_MAX = 8, /* blobs that keep their inflater */
};

/*
 * The blobs that keep a stream, newest first. Whoever holds the chain's lock only tries the locks
 * of blobs, so taking the chain's lock under a blob's is safe.
 */
static struct {
	pthread_mutex_t lock;
	struct blob *newest, *oldest;
	unsigned n;
} chain = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void chain_remove(struct blob *b)
{
	if (!b->chained)
		return;
	*(b->newer ? &b->newer->older : &chain.newest) = b->older;
	*(b->older ? &b->older->newer : &chain.oldest) = b->newer;
	b->newer = b->older = NULL;
	b->chained = false;
	chain.n--;
}

static void chain_add(struct blob *b)
{
	b->older = chain.newest;
	*(b->older ? &b->older->newer : &chain.oldest) = b;
	chain.newest = b;
	b->chained = true;
	chain.n++;
}

/* Drops the stream of the blob that was used longest ago and is not in use now. */
static void chain_trim(void)
{
	for (struct blob *b = chain.oldest; b && chain.n > STREAMS_MAX; b = b->newer) {
		if (pthread_mutex_trylock(&b->lock) != 0)
			continue;
		chain_remove(b);
		inflater_destroy(TAKE(b->stream));
		pthread_mutex_unlock(&b->lock);
		return;
	}
}

/* b was just used, and its lock is held. */
static void chain_touch(struct blob *b)
{
	pthread_mutex_lock(&chain.lock);
	if (chain.newest != b) {
		chain_remove(b);
		chain_add(b);
		chain_trim();
	}
	pthread_mutex_unlock(&chain.lock);
}

struct blob *blob_new(
	const struct extent *stored, enum blob_coding coding, uint64_t size, struct budget *budget)
{
	struct blob *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	atomic_init(&b->refs, 1);
	atomic_init(&b->sound, false);
	b->stored = extent_ref(stored);
	b->coding = coding;
	b->size = size;
	b->budget = budget;
	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(&b->memo_lock, NULL);
	pthread_mutex_init(&b->png.lock, NULL);
	return b;
}

struct blob *blob_of_bytes(struct bytes *bytes, struct budget *budget)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;

	if (!bytes)
		return NULL;
	x = extent_of_bytes(bytes);
	return blob_new(&x, BLOB_RAW, x.size, budget);
}

struct blob *blob_ref(struct blob *b)
{
	if (b)
		refs_take(&b->refs);
	return b;
}

void blob_unref(struct blob *b)
{
	if (!b || !refs_drop(&b->refs))
		return;
	pthread_mutex_lock(&chain.lock);
	chain_remove(b);
	pthread_mutex_unlock(&chain.lock);
	inflater_destroy(b->stream);
	if (b->budget)
		budget_drop(b->budget, &b->slot);
	extent_finish(&b->stored);
	pthread_mutex_destroy(&b->lock);
	pthread_mutex_destroy(&b->memo_lock);
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

static int load(void *arg, struct bytes **ret, struct error *e)
{
	struct blob *b = arg;
	struct extent raw;
	int r;

	if (b->coding == BLOB_ZLIB)
		return inflate_all(&b->stored, b->size, ret, e);
	r = raw_extent(b, &raw, e);
	return r < 0 ? r : extent_load(&raw, b->size, ret, e);
}

int blob_load(struct blob *b, struct bytes **ret, struct error *e)
{
	/* What is in memory anyway must not count a second time. */
	if (!b->budget || (b->coding == BLOB_RAW && b->stored.mem))
		return load(b, ret, e);
	return budget_get(b->budget, &b->slot, load, b, ret, e);
}

static int ignore(void *arg, const uint8_t *data, size_t n, struct error *e)
{
	(void)arg, (void)data, (void)n, (void)e;
	return 0;
}

int blob_check(struct blob *b, struct error *e)
{
	struct extent raw;
	int r;

	if (b->coding == BLOB_RAW)
		return raw_extent(b, &raw, e);
	if (atomic_load_explicit(&b->sound, memory_order_relaxed))
		return 0;
	r = inflate_each(&b->stored, b->size, ignore, NULL, e);
	if (r == 0)
		atomic_store_explicit(&b->sound, true, memory_order_relaxed);
	return r;
}

static int read_stream(struct blob *b, uint64_t off, void *dst, size_t n, struct error *e)
{
	int r = 0;

	pthread_mutex_lock(&b->lock);
	if (!b->stream)
		r = inflater_create(&b->stored, b->size, &b->stream, e);
	if (r == 0) {
		r = inflater_read(b->stream, off, dst, n, e);
		chain_touch(b);
	}
	pthread_mutex_unlock(&b->lock);
	return r;
}

int blob_read(struct blob *b, uint64_t off, void *dst, size_t n, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	struct extent raw;
	int r;

	if (off > b->size || n > b->size - off)
		return error_set(e, -EINVAL,
			"%zu bytes at %" PRIu64 " are past the end (size %" PRIu64 ")", n, off,
			b->size);
	if (b->coding == BLOB_RAW) {
		r = raw_extent(b, &raw, e);
		return r < 0 ? r : extent_read(&raw, off, dst, n, e);
	}
	if (b->size > BLOB_WHOLE_MAX) {
		/* Else a fault would go unnoticed by who does not read on until there. */
		r = blob_check(b, e);
		return r < 0 ? r : read_stream(b, off, dst, n, e);
	}
	r = blob_load(b, &whole, e);
	if (r < 0)
		return r;
	if (n)
		memcpy(dst, whole->data + off, n);
	return 0;
}

int blob_read_fn(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	return blob_read(arg, off, dst, n, e);
}

int blob_prefix(struct blob *b, void *dst, size_t n, size_t *ret_got, struct error *e)
{
	struct extent raw;
	int r;

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
		return error_set(e, -ENOMEM, "no memory to read");
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

int blob_each(struct blob *b, codec_chunk_fn fn, void *arg, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r;

	if (b->coding == BLOB_RAW)
		return each_raw(b, fn, arg, e);
	if (b->size > BLOB_WHOLE_MAX)
		return inflate_each(&b->stored, b->size, fn, arg, e);
	r = blob_load(b, &whole, e);
	if (r < 0)
		return r;
	return whole->size ? fn(arg, whole->data, whole->size, e) : 0;
}

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
	if (b->size > BLOB_WHOLE_MAX)
		return compare(a, blob_read_fn, b, ret, e);
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

void blob_remember(struct blob *b, uint64_t key, uint64_t value)
{
	unsigned at;

	pthread_mutex_lock(&b->memo_lock);
	for (at = 0; at < BLOB_MEMOS; at++) {
		if (b->memos[at].set && b->memos[at].key == key)
			break;
	}
	if (at == BLOB_MEMOS)
		at = b->next_memo++ % BLOB_MEMOS;
	b->memos[at].key = key;
	b->memos[at].value = value;
	b->memos[at].set = true;
	pthread_mutex_unlock(&b->memo_lock);
}

bool blob_recall(struct blob *b, uint64_t key, uint64_t *ret)
{
	bool found = false;

	pthread_mutex_lock(&b->memo_lock);
	for (unsigned i = 0; i < BLOB_MEMOS && !found; i++) {
		if (b->memos[i].set && b->memos[i].key == key) {
			*ret = b->memos[i].value;
			found = true;
		}
	}
	pthread_mutex_unlock(&b->memo_lock);
	return found;
}

void blob_inherit(struct blob *b, struct blob *from)
{
	pthread_mutex_lock(&from->memo_lock);
	memcpy(b->memos, from->memos, sizeof(b->memos));
	b->next_memo = from->next_memo;
	pthread_mutex_unlock(&from->memo_lock);
	atomic_store_explicit(&b->sound, atomic_load_explicit(&from->sound, memory_order_relaxed),
		memory_order_relaxed);
}
