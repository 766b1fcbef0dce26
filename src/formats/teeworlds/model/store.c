/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/store.h"

#include <errno.h>

int tw_keep_extent(
	const struct tw_map *m, const struct extent *content, struct blob **ret, struct error *e)
{
	struct store *store = m->shared->store;
	CLEANUP_EXTENT struct extent packed = EXTENT_INIT;
	CLEANUP_EXTENT struct extent kept = EXTENT_INIT;
	int r;

	if (content->size > INT32_MAX)
		return error_set(e, -EINVAL, "the content has %llu bytes (at most %d)",
			(unsigned long long)content->size, INT32_MAX);
	r = deflate_all(content, store->spool_dirfd, &packed, e);
	if (r == 0)
		r = store->keep(store, &packed, &kept, e);
	if (r < 0)
		return r;
	*ret = blob_new(&kept, BLOB_ZLIB, content->size, m->shared->budget);
	return *ret ? 0 : error_set(e, -ENOMEM, "no memory for a data item");
}

int tw_keep_bytes(const struct tw_map *m, struct bytes *content, struct blob **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent x = extent_of_bytes(bytes_ref(content));

	return tw_keep_extent(m, &x, ret, e);
}

int tw_keep_part(struct blob *b, uint64_t from, uint64_t end, struct spool *out, struct error *e)
{
	uint8_t chunk[4096];
	int r = 0;

	for (size_t n; r == 0 && from < end; from += n) {
		n = end - from < sizeof(chunk) ? (size_t)(end - from) : sizeof(chunk);
		r = blob_read(b, from, chunk, n, e);
		if (r == 0)
			r = spool_append(out, chunk, n, e);
	}
	return r;
}
