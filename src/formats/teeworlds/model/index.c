/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/map.h"

#include <errno.h>

#include "base/array.h"
#include "base/refs.h"

DEFINE_REF(struct tw_index, tw_index_ref)

void tw_index_unref(struct tw_index *x)
{
	if (!x || !refs_drop(&x->refs))
		return;
	free(x->types);
	free(x->listed);
	free(x->by_id);
	free(x->positions);
	free(x->uuids);
	free(x->autos);
	free(x->homes);
	free(x);
}

size_t tw_index_from(const struct tw_index *x, uint64_t type)
{
	return array_bisect(i, x->n_types, x->types[i].id >= type);
}

const struct tw_type *tw_type(const struct tw_map *m, unsigned type)
{
	const struct tw_index *x = m->index;
	size_t i = tw_index_from(x, type);

	return i < x->n_types && x->types[i].id == type ? &x->types[i] : NULL;
}

uint32_t tw_count_mounted(const struct tw_map *m, unsigned type)
{
	const struct tw_type *t = tw_type(m, type);

	return t ? t->n_base : 0;
}

int tw_find_item(const struct tw_map *m, unsigned type, int64_t position, uint32_t *ret)
{
	const struct tw_type *t = tw_type(m, type);

	if (!t || position < 0 || position >= t->n)
		return -ENOENT;
	*ret = t->items[position];
	return 0;
}

const struct tw_item *tw_item_at(const struct tw_map *m, unsigned type, int64_t position)
{
	uint32_t i;

	return tw_find_item(m, type, position, &i) < 0 ? NULL : &m->items[i];
}

int64_t tw_index_position(const struct tw_index *x, uint32_t item)
{
	if (item >= x->n_items || x->positions[item] == UINT32_MAX)
		return -1;
	return x->positions[item];
}

int64_t tw_position(const struct tw_map *m, uint32_t item)
{
	return item < m->n_items && !m->items[item].is_removed ? tw_index_position(m->index, item)
							       : -1;
}
