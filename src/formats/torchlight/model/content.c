/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/content.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/refs.h"
#include "codec/zlib/checksum.h"

/* From 1601 to 1970, in units of 100 ns. */
#define FILETIME_EPOCH UINT64_C(116444736000000000)
enum { FILETIME_SECOND = 10000000 };

static struct tl_content *new_content(
	struct blob *take, uint32_t crc, uint64_t filetime, struct budget *budget)
{
	struct tl_content *c = take ? calloc(1, sizeof(*c)) : NULL;

	if (!c) {
		blob_unref(take);
		return NULL;
	}
	atomic_init(&c->refs, 1);
	atomic_init(&c->state, TL_UNCHECKED);
	c->blob = take;
	c->crc = crc;
	c->filetime = filetime;
	c->budget = budget;
	pthread_mutex_init(&c->view_lock, NULL);
	return c;
}

DEFINE_REF(struct tl_content, tl_content_ref)

void tl_content_unref(struct tl_content *c)
{
	if (!c || !refs_drop(&c->refs))
		return;
	if (c->budget)
		budget_drop(c->budget, &c->slot);
	names_unref(c->names);
	free(c->note);
	blob_unref(c->blob);
	pthread_mutex_destroy(&c->view_lock);
	free(c);
}

int tl_content_stored(const struct extent *section, const struct manifest_entry *x,
	struct budget *budget, struct tl_content **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent data = EXTENT_INIT;
	struct pak_block block = {.usize = 0};
	int r = x->offset ? pak_block_read(section, x->offset, &block, e) : 0;

	if (r < 0)
		return r;
	if (block.usize != x->usize)
		return error_set(e, -EIO,
			"the block has %" PRIu32 " bytes (the manifest says %" PRIu32 ")",
			block.usize, x->usize);
	if (x->offset)
		data = pak_block_data(section, &block);
	*ret = new_content(blob_new(&data, block.csize ? BLOB_ZLIB : BLOB_RAW, block.usize, budget),
		x->crc, x->filetime, budget);
	if (!*ret)
		return error_set(e, -ENOMEM, "out of memory");
	/* An empty file without a block has no CRC to check. */
	if (!x->offset)
		atomic_store_explicit(&(*ret)->state, TL_SOUND, memory_order_relaxed);
	return 0;
}

static int add_crc(void *arg, const uint8_t *data, size_t n, struct error *)
{
	uint32_t *crc = arg;

	*crc = checksum_crc32(*crc, data, n);
	return 0;
}

int tl_content_check(struct tl_content *c, struct error *e)
{
	uint32_t crc = CRC32_START;
	int state = atomic_load_explicit(&c->state, memory_order_relaxed), r;

	if (state == TL_SOUND)
		return 0;
	r = blob_for_each_chunk(c->blob, add_crc, &crc, e);
	if (r < 0)
		return r;
	/* Another tool writes 0 for every CRC. */
	state = !c->crc || crc == c->crc ? TL_SOUND : TL_DAMAGED;
	atomic_store_explicit(&c->state, state, memory_order_relaxed);
	if (state == TL_SOUND)
		return 0;
	return error_set(e, -EIO, "the CRC-32 is %08" PRIX32 " (the manifest says %08" PRIX32 ")",
		crc, c->crc);
}

int tl_content_load(struct tl_content *c, uint64_t max, struct bytes **ret, struct error *e)
{
	int r;

	if (c->blob->size > max)
		return error_set(
			e, -EFBIG, "%" PRIu64 " bytes (at most %" PRIu64 ")", c->blob->size, max);
	r = tl_content_check(c, e);
	return r < 0 ? r : blob_load(c->blob, ret, e);
}

int tl_content_read(struct tl_content *c, uint64_t off, void *dst, size_t n, struct error *e)
{
	int r = tl_content_check(c, e);

	return r < 0 ? r : blob_read(c->blob, off, dst, n, e);
}

static uint64_t filetime_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return tl_filetime(&t);
}

int tl_content_store(struct store *store, struct budget *budget, const struct extent *x,
	uint8_t type, struct tl_content **ret, struct error *e)
{
	CLEANUP(blob_unref) struct blob *plain = blob_new(x, BLOB_RAW, x->size, NULL);
	CLEANUP_EXTENT struct extent packed = EXTENT_INIT;
	CLEANUP_EXTENT struct extent kept = EXTENT_INIT;
	bool stored = !x->size || pak_is_stored(type, x->size);
	uint32_t crc = CRC32_START;
	int r;

	if (x->size > UINT32_MAX)
		return error_set(e, -EINVAL, "the file has %" PRIu64 " bytes (at most %" PRIu32 ")",
			x->size, UINT32_MAX);
	r = plain ? blob_for_each_chunk(plain, add_crc, &crc, e)
		  : error_set(e, -ENOMEM, "out of memory");
	if (r == 0 && stored)
		packed = extent_ref(x);
	else if (r == 0)
		r = deflate_all(x, store->spool_dirfd, &packed, e);
	if (r == 0)
		r = store->keep(store, &packed, &kept, e);
	if (r < 0)
		return r;
	*ret = new_content(blob_new(&kept, stored ? BLOB_RAW : BLOB_ZLIB, x->size, budget), crc,
		filetime_now(), budget);
	if (!*ret)
		return error_set(e, -ENOMEM, "out of memory");
	atomic_store_explicit(&(*ret)->state, TL_SOUND, memory_order_relaxed);
	return 0;
}

struct tl_content *tl_content_with_names(struct tl_content *c, struct names *names)
{
	struct tl_content *n;

	if (c->names == names)
		return tl_content_ref(c);
	n = new_content(blob_ref(c->blob), c->crc, c->filetime, c->budget);
	if (!n)
		return NULL;
	n->names = names_ref(names);
	n->small_line = c->small_line;
	atomic_store_explicit(&n->state, TL_SOUND, memory_order_relaxed);
	return n;
}

struct timespec tl_time(uint64_t filetime)
{
	int64_t t = (int64_t)(filetime - FILETIME_EPOCH);
	int64_t sec = t / FILETIME_SECOND, part = t % FILETIME_SECOND;

	if (part < 0) {
		part += FILETIME_SECOND;
		sec--;
	}
	/* A 32-bit time_t reaches from 1901 to 2038: show the nearest time in it. */
	if ((time_t)sec != sec)
		sec = sec < 0 ? INT32_MIN : INT32_MAX;
	return (struct timespec){.tv_sec = (time_t)sec, .tv_nsec = (long)part * 100};
}

uint64_t tl_filetime(const struct timespec *t)
{
	const int64_t first = -(int64_t)(FILETIME_EPOCH / FILETIME_SECOND);
	const int64_t last = INT64_MAX / FILETIME_SECOND + first - 1;
	int64_t sec = t->tv_sec < first ? first : t->tv_sec > last ? last : t->tv_sec;
	uint64_t time = (uint64_t)(sec - first) * FILETIME_SECOND + (uint64_t)t->tv_nsec / 100;

	return time ? time : 1;
}

struct timespec tl_kept_time(struct timespec t)
{
	return tl_time(tl_filetime(&t));
}
