/* SPDX-License-Identifier: Zlib */
#include "base/hash.h"

#include <stdlib.h>

enum { HEADS_FIRST = 64 };

uint64_t hash_text(uint64_t seed, const char *text)
{
	uint64_t h = hash_number(seed + 1);

	for (; *text; text++) {
		uint8_t c = (uint8_t)*text;

		h = (h ^ (c >= 'a' && c <= 'z' ? c - 32U : c)) * 0x100000001b3U;
	}
	return hash_number(h);
}

static struct hash_link **find_head(const struct hash *h, uint64_t key)
{
	return &h->heads[key & (h->n_heads - 1)];
}

bool hash_reserve(struct hash *h)
{
	struct hash larger = {.n = h->n, .n_heads = h->n_heads ? 2 * h->n_heads : HEADS_FIRST};

	if (h->n < h->n_heads)
		return true;
	larger.heads = calloc(larger.n_heads, sizeof(struct hash_link *));
	if (!larger.heads)
		return h->heads;
	for (struct hash_link *l = hash_next(h, NULL), *next; l; l = next) {
		struct hash_link **to = find_head(&larger, l->key);

		next = hash_next(h, l);
		l->next = *to;
		*to = l;
	}
	free(h->heads);
	*h = larger;
	return true;
}

void hash_add(struct hash *h, struct hash_link *l, uint64_t key)
{
	struct hash_link **to = find_head(h, key);

	*l = (struct hash_link){*to, key};
	*to = l;
	h->n++;
}

void hash_remove(struct hash *h, struct hash_link *l)
{
	struct hash_link **at = find_head(h, l->key);

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	h->n--;
}

static struct hash_link *find_key(struct hash_link *l, uint64_t key)
{
	while (l && l->key != key)
		l = l->next;
	return l;
}

struct hash_link *hash_find(const struct hash *h, uint64_t key)
{
	return h->n ? find_key(*find_head(h, key), key) : NULL;
}

struct hash_link *hash_find_next(const struct hash_link *l)
{
	return find_key(l->next, l->key);
}

struct hash_link *hash_next(const struct hash *h, const struct hash_link *l)
{
	size_t i = 0;

	if (l && l->next)
		return l->next;
	if (l)
		i = (size_t)(find_head(h, l->key) - h->heads) + 1;
	while (i < h->n_heads && !h->heads[i])
		i++;
	return i < h->n_heads ? h->heads[i] : NULL;
}

void hash_finish(struct hash *h)
{
	free(h->heads);
	*h = (struct hash){0};
}
