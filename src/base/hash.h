/* SPDX-License-Identifier: Zlib */
/*
 * hash: a hash table of elements that contain their own link (struct hash_link). All zeros is an
 * empty table. The caller owns the elements; the table frees none.
 *
 * hash_number and hash_text compute keys. Elements that differ may have the same key, so the caller
 * compares them:
 *
 *	for (struct hash_link *l = hash_find(&t, key); l; l = hash_find_next(l))
 *		if (is_meant(container_of(l, struct thing, link)))
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/container.h"

struct hash_link {
	struct hash_link *next;
	uint64_t key;
};

struct hash {
	struct hash_link **heads;
	size_t n, n_heads; /* number of elements; length of heads: 0 or a power of two */
};

static inline uint64_t hash_number(uint64_t n)
{
	n *= 0x9e3779b97f4a7c15U;
	return n ^ n >> 32;
}

/* Compute the key of a name, ignoring the case of ASCII letters. seed: a number for the directory
 * or other scope of the name. */
uint64_t hash_text(uint64_t seed, const char *text);

/* Make room for one more element. If memory is exhausted, the chains grow longer instead. Returns
 * false only if there is no table yet. */
bool hash_reserve(struct hash *h);
/* Add an element, after hash_reserve. */
void hash_add(struct hash *h, struct hash_link *l, uint64_t key);
void hash_remove(struct hash *h, struct hash_link *l);
/* Return the first element with that key, or NULL. */
struct hash_link *hash_find(const struct hash *h, uint64_t key);
/* Return the next element with the key of l, or NULL. */
struct hash_link *hash_find_next(const struct hash_link *l);
/* Return the element after l, or the first one if l is NULL; NULL at the end. An element may be
 * removed once the next one is known. */
struct hash_link *hash_next(const struct hash *h, const struct hash_link *l);
void hash_finish(struct hash *h); /* frees the table, not the elements */
