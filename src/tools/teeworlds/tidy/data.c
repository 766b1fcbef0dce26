/* SPDX-License-Identifier: Zlib */
/* Remove unused data items, and compress the others better. */
#include <inttypes.h>

#include "base/threads/parallel.h"
#include "codec/zlib/inflate.h"
#include "formats/teeworlds/model/change.h"
#include "tools/teeworlds/tidy/tidy.h"

enum { AT_ONCE_MAX = 64 << 20 /* larger data items stay as they are */ };

/* Compress one data item. Runs on several threads. A damaged data item stays as it is. */
static int compress_blob(void *arg, size_t i, struct error *e)
{
	struct tw_map *m = arg;
	struct blob *b = m->blobs[i], *better;
	CLEANUP(bytes_unref) struct bytes *plain = NULL, *packed = NULL;
	struct extent x;

	if (!b || !b->size || b->size > AT_ONCE_MAX || blob_load(b, &plain, NULL) < 0)
		return 0;
	packed = deflate_best(plain);
	if (!packed)
		return error_set(e, -ENOMEM, "out of memory");
	if (b->coding == BLOB_ZLIB && packed->size >= b->stored.size)
		return 0;
	x = extent_of_bytes(TAKE(packed));
	better = blob_new(&x, BLOB_ZLIB, b->size, m->shared->budget);
	extent_finish(&x);
	if (!better)
		return error_set(e, -ENOMEM, "out of memory");
	blob_unref(b);
	m->blobs[i] = better;
	return 0;
}

/* Report the bytes saved. Ignore content that is not in the file. */
static void report_compression(struct tidying *t, const struct tw_map *was, const struct tw_map *m)
{
	uint64_t gain = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->whole.from->n_blobs; i++) {
		const struct blob *old = t->whole.from->blobs[i], *b = m->blobs[i];

		if (!b || b == old || was->blobs[i] != old)
			continue;
		gain += old->stored.size - b->stored.size;
		n++;
	}
	if (n)
		tw_whole_report(&t->whole, WHOLE_DONE,
			"compressed %zu data item%s: %" PRIu64 " bytes smaller", n,
			n == 1 ? "" : "s", gain);
}

static int drop_data(struct tidying *t, struct tw_map *m)
{
	struct tw_users users;
	int r = tw_users_count(m, &users);

	for (size_t i = 0; r == 0 && i < m->n_blobs; i++) {
		if (!m->blobs[i] || users.counts[i])
			continue;
		blob_unref(TAKE(m->blobs[i]));
		tw_whole_report(
			&t->whole, WHOLE_DONE, "removed raw/data/%05zu: nothing refers to it", i);
	}
	free(users.counts);
	return r;
}

int tidy_data(struct tidying *t, const struct tw_map *was, struct tw_map *m, struct error *e)
{
	int r = t->known ? drop_data(t, m) : 0;

	if (r < 0)
		return error_set(e, r, "out of memory");
	/* Version 3 of the container stores data without compression. */
	if (m->shared->file_version != 3)
		r = parallel_each(m->n_blobs, compress_blob, m, e);
	if (r == 0)
		report_compression(t, was, m);
	return r;
}
