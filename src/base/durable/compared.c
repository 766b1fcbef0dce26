/* SPDX-License-Identifier: Zlib */
#include "base/durable/compared.h"

#include "base/array.h"

struct compared_range {
	struct extent from;
	uint64_t at;
};

void compared_add(struct compared *c, const struct extent *x, uint64_t at)
{
	if (array_room(c->all, c->n, c->room))
		c->all[c->n++] = (struct compared_range){extent_ref(x), at};
}

/* The last that begins at or before it. */
static const struct compared_range *range_at(const struct compared *c, uint64_t at)
{
	size_t i = array_first(k, c->n, c->all[k].at > at);

	return i ? &c->all[i - 1] : NULL;
}

bool compared_has(const struct compared *c, const struct extent *x, uint64_t at)
{
	const struct compared_range *range = c ? range_at(c, at) : NULL;
	uint64_t into;

	if (!range || x->mem || x->file != range->from.file)
		return false;
	into = at - range->at;
	return into <= range->from.size && x->size <= range->from.size - into &&
	       x->off == range->from.off + into;
}

void compared_finish(struct compared *c)
{
	for (size_t i = 0; i < c->n; i++)
		extent_finish(&c->all[i].from);
	free(c->all);
	*c = (struct compared){0};
}
