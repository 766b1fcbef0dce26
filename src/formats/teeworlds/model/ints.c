/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "base/refs.h"
#include "formats/teeworlds/model/map.h"

struct tw_ints *tw_ints_new(uint32_t n)
{
	struct tw_ints *v = calloc(1, sizeof(*v) + (size_t)n * sizeof(v->v[0]));

	if (v) {
		atomic_init(&v->refs, 1);
		v->n = n;
	}
	return v;
}

struct tw_ints *tw_ints_copy(const struct tw_ints *from, uint32_t n, int32_t fill)
{
	struct tw_ints *v = tw_ints_new(n);
	uint32_t have = from ? from->n : 0;

	for (uint32_t i = 0; v && i < n; i++)
		v->v[i] = i < have ? from->v[i] : fill;
	return v;
}

bool tw_ints_same(const struct tw_ints *a, const struct tw_ints *b)
{
	return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof(a->v[0])) == 0;
}

DEFINE_REF(struct tw_ints, tw_ints_ref)

void tw_ints_unref(struct tw_ints *v)
{
	if (v && refs_drop(&v->refs))
		free(v);
}

int tw_item_set_int(struct tw_item *it, uint32_t field, int32_t value)
{
	struct tw_ints *ints = tw_ints_copy(it->ints, it->ints->n, 0);

	if (!ints)
		return -ENOMEM;
	ints->v[field] = value;
	tw_item_replace_ints(it, ints);
	return 0;
}
