/* SPDX-License-Identifier: Zlib */
#include "base/durable/compared.h"

#include "base/array.h"

struct compared_range {
	struct extent source;
	uint64_t offset;
};

void compared_add(struct compared *c, const struct extent *x, uint64_t at)
{
	if (array_reserve(c->ranges, c->n, c->room))
		c->ranges[c->n++] = (struct compared_range){extent_ref(x), at};
}

/* Find the last range that begins at or before `at`, or NULL. */
static const struct compared_range *find_range(const struct compared *c, uint64_t at)
{
	size_t i = array_bisect(k, c->n, c->ranges[k].offset > at);

	return i ? &c->ranges[i - 1] : NULL;
}

bool compared_has(const struct compared *c, const struct extent *x, uint64_t at)
{
	const struct compared_range *range = c ? find_range(c, at) : NULL;
	uint64_t into;

	if (!range || x->mem || x->file != range->source.file)
		return false;
	into = at - range->offset;
	return into <= range->source.size && x->size <= range->source.size - into &&
	       x->off == range->source.off + into;
}

void compared_finish(struct compared *c)
{
	for (size_t i = 0; i < c->n; i++)
		extent_finish(&c->ranges[i].source);
	free(c->ranges);
	*c = (struct compared){0};
}
