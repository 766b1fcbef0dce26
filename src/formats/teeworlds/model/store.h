/* SPDX-License-Identifier: Zlib */
/*
 * store: new content as a blob: compressed as the reference writer does it, and kept beside the map
 * as long as the blob lives (struct store). At once, or when it is first needed.
 */
#pragma once

#include "base/disk/spool.h"
#include "formats/teeworlds/model/map.h"

/* Content in memory; borrowed. */
int tw_keep_bytes(
	const struct tw_map *m, struct bytes *content, struct blob **ret, struct error *e);
/* Content of any size, in bounded memory. More than 2^31 - 1 bytes is -EINVAL. */
int tw_keep_extent(
	const struct tw_map *m, const struct extent *content, struct blob **ret, struct error *e);
/* Bytes [from, end) of a blob, behind what is in out. */
int tw_keep_part(struct blob *b, uint64_t from, uint64_t end, struct spool *out, struct error *e);

/*
 * A recipe: what the content of a composed blob is made of. It may read other blobs, but none whose
 * recipe reads this one. compose appends the content to out, on any thread; 1: it is that of
 * `under`, byte for byte, whose compressed form is to stay. finish drops what the recipe refers to,
 * but not the recipe.
 */
struct tw_recipe {
	struct blob_recipe recipe; /* first; the rest but the functions and under is store.c's */
	struct blob *under;        /* what is changed; owned reference, or NULL */
	int (*compose)(struct tw_recipe *r, struct spool *out, struct error *e);
	void (*finish)(struct tw_recipe *r);
	struct store *store;
	uint64_t size;
};

/* take: malloc'ed, with both functions set; taken over, also on failure. size: BLOB_SIZE_UNKNOWN if
 * only composing tells. NULL: no memory. */
struct blob *tw_compose(const struct tw_map *m, struct tw_recipe *take, uint64_t size);
/* Make all composed blobs of a map, on all processors. Errors: those of blob_make. */
int tw_make_all(const struct tw_map *m, struct error *e);
/* The recipe of a blob that tw_compose gave and that is not made yet; else NULL. */
struct tw_recipe *tw_recipe_of(const struct blob *b);
/* The content of that, not compressed. 1: it is that of `under`. */
int tw_recipe_run(struct tw_recipe *r, struct extent *ret, struct error *e);
/* A blob of exactly these bytes. More than 2^31 - 1 of them are -EINVAL. */
int tw_compose_content(
	const struct tw_map *m, struct content *c, struct blob **ret, struct error *e);
int tw_compose_zeros(const struct tw_map *m, size_t n, struct blob **ret, struct error *e);
