/* SPDX-License-Identifier: Zlib */
/* store: create blobs of new content, compressed like those of the reference writer. tw_store_*
 * compresses at once; tw_compose* when the blob is first read or saved. struct store (source.h)
 * holds the compressed bytes as long as the blob lives. */
#pragma once

#include "base/disk/spool.h"
#include "formats/teeworlds/model/map.h"

/* Create a blob of content in memory, which is not consumed. Errors as tw_store_extent. */
int tw_store_bytes(
	const struct tw_map *m, struct bytes *content, struct blob **ret, struct error *e);
/* Create a blob of content, in bounded memory. -EINVAL: more than 2^31 - 1 bytes. */
int tw_store_extent(
	const struct tw_map *m, const struct extent *content, struct blob **ret, struct error *e);
/* Append bytes [from, end) of a blob to out. Errors as blob_read and spool_append. */
int tw_append_part(struct blob *b, uint64_t from, uint64_t end, struct spool *out, struct error *e);

/* The recipe of a composed blob. It may read other blobs, unless their recipes read this one. */
struct tw_recipe {
	struct blob_recipe recipe; /* first; private to store.c, as are store and size */
	struct blob *source;       /* the blob that this one is a change of, owned; or NULL */
	/* Append all of the content to out, on any thread; may be called again. Returns 0, or 1 if
	 * these bytes equal those of `source`, whose compressed bytes are then used. */
	int (*compose)(struct tw_recipe *r, struct spool *out, struct error *e);
	/* Drop the references of the recipe except `source`, but do not free it. May be NULL. */
	void (*finish)(struct tw_recipe *r);
	struct store *store;
	uint64_t size;
};

/* Create a composed blob. take: malloc'ed, with compose set; consumed, also on failure. size: of
 * the content, or BLOB_SIZE_UNKNOWN. Materializing fails with the errors of compose; with -EIO
 * instead of -EINVAL, and if the size differs; with -EFBIG for more than 2^31 - 1 bytes. */
struct blob *tw_compose(const struct tw_map *m, struct tw_recipe *take, uint64_t size);
/* Materialize all composed blobs of a map, on all processors. Errors as blob_materialize. */
int tw_materialize_all(const struct tw_map *m, struct error *e);
/* The recipe of a blob from tw_compose that is not materialized yet; otherwise NULL. */
struct tw_recipe *tw_recipe_of(const struct blob *b);
/* Compose the content, uncompressed. Returns 0 or 1 as compose; both set *ret, a new reference. */
int tw_recipe_compose(struct tw_recipe *r, struct extent *ret, struct error *e);
/* Create a composed blob of c, which it references. -EINVAL: more than 2^31 - 1 bytes. */
int tw_compose_content(
	const struct tw_map *m, struct content *c, struct blob **ret, struct error *e);
/* Create a composed blob of n zeros. Errors as tw_compose_content. */
int tw_compose_zeros(const struct tw_map *m, size_t n, struct blob **ret, struct error *e);
