/* SPDX-License-Identifier: Zlib */
#include "vfs/journal/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/durable/record.h"

enum { BUCKETS = 4096, CHUNK = 32 << 10 };

struct piece {
	struct piece *next;
	uint32_t crc;
	struct extent content;
};

struct journal_data {
	struct piece *buckets[BUCKETS];
};

struct journal_data *journal_data_create(void)
{
	return calloc(1, sizeof(struct journal_data));
}

void journal_data_destroy(struct journal_data *d)
{
	for (size_t i = 0; d && i < BUCKETS; i++)
		for (struct piece *p = d->buckets[i], *next; p; p = next) {
			next = p->next;
			extent_finish(&p->content);
			free(p);
		}
	free(d);
}

void journal_data_add(struct journal_data *d, const struct extent *content, uint32_t crc)
{
	struct piece *p = malloc(sizeof(*p));

	if (!p)
		return;
	*p = (struct piece){d->buckets[crc % BUCKETS], crc, extent_ref(content)};
	d->buckets[crc % BUCKETS] = p;
}

static bool crc_of(const struct extent *x, uint8_t *chunk, uint32_t *ret)
{
	uint32_t crc = 0;

	for (uint64_t off = 0; off < x->size; off += CHUNK) {
		size_t n = x->size - off < CHUNK ? (size_t)(x->size - off) : CHUNK;

		if (extent_read(x, off, chunk, n, NULL) < 0)
			return false;
		crc = record_crc(crc, chunk, n);
	}
	*ret = crc;
	return true;
}

bool journal_data_find(
	const struct journal_data *d, const struct extent *content, struct extent *ret)
{
	CLEANUP(free) uint8_t *chunk = malloc(CHUNK);
	uint32_t crc;
	bool same;

	if (!chunk || !crc_of(content, chunk, &crc))
		return false;
	for (const struct piece *p = d->buckets[crc % BUCKETS]; p; p = p->next)
		if (p->crc == crc && p->content.size == content->size &&
			extent_equal(content, &p->content, &same, NULL) == 0 && same) {
			*ret = extent_ref(&p->content);
			return true;
		}
	return false;
}
