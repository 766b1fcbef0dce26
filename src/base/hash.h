/* SPDX-License-Identifier: Zlib */
/*
 * hash: a table of elements that hold their own link, so that adding one needs no memory of its
 * own. It grows with what is in it, and finding, adding and taking out take the same few steps
 * however much that is. Elements are the caller's; the table frees none.
 *
 * A key is what hash_number or hash_text make of what an element is found by; elements that differ
 * may have the same, so the caller compares:
 *
 *	for (struct hash_link *l = hash_find(&t, key); l; l = hash_again(l))
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
	size_t n, n_heads; /* elements; a power of two, or 0 */
};

static inline uint64_t hash_number(uint64_t n)
{
	n *= 0x9e3779b97f4a7c15U;
	return n ^ n >> 32;
}

/* The same for names that differ in the case of ASCII letters alone. seed: of what they are in. */
uint64_t hash_text(uint64_t seed, const char *text);

/* Is there room for one more element? Only where there is none at all is false: else chains grow.
 */
bool hash_room(struct hash *h);
/* After hash_room. */
void hash_add(struct hash *h, struct hash_link *l, uint64_t key);
void hash_remove(struct hash *h, struct hash_link *l);
/* The first element of that key, and the next one; NULL: none. */
struct hash_link *hash_find(const struct hash *h, uint64_t key);
struct hash_link *hash_again(const struct hash_link *l);
/* All elements, from NULL; NULL: the end. What was returned may be removed once the next is known.
 */
struct hash_link *hash_next(const struct hash *h, const struct hash_link *l);
void hash_finish(struct hash *h);
