/* SPDX-License-Identifier: Zlib */
/* uuids: UUID types, and auto-mapper items by layer. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/map.h"

/* UUIDs as stored in index items. DDNet computes them from names such as
 * mapitemtype-automapper-config@ddnet.tw. */
static const uint8_t known_uuids[TW_N_UUIDS][16] = {
	[TW_AUTOMAPPER] = {0x3e, 0x1b, 0x27, 0x16, 0x17, 0x8c, 0x39, 0x78, 0x9b, 0xd9, 0xb1, 0x1a,
		0xe0, 0x41, 0x0d, 0xd8},
	[TW_GROUP_EXT] = {0x4a, 0x26, 0xca, 0x1f, 0x64, 0xbd, 0x30, 0xe3, 0x90, 0x7a, 0x70, 0x7e,
		0xac, 0xd1, 0xf0, 0x80},
	[TW_BEZIER] = {0x3a, 0xb4, 0xf8, 0x4d, 0xd9, 0xcc, 0x3c, 0x78, 0xb5, 0x85, 0x0d, 0x6c, 0xcd,
		0xb2, 0xe2, 0x5c},
};

bool tw_known_uuid(const uint8_t uuid[16])
{
	for (unsigned i = 0; i < TW_N_UUIDS; i++)
		if (memcmp(uuid, known_uuids[i], 16) == 0)
			return true;
	return false;
}

const uint8_t *tw_uuid_bytes(enum tw_uuid what)
{
	return known_uuids[what];
}

/* Each integer holds four bytes of the UUID, most significant byte first. */
static void unpack_uuid(const struct tw_ints *ints, uint8_t ret[16])
{
	for (unsigned k = 0; k < 16; k++)
		ret[k] = (uint8_t)((uint32_t)ints->v[k / 4] >> (24 - 8 * (k % 4)));
}

/* List the UUID types. If index items have the same id, the first one with 4 integers counts. */
static int list_uuids(struct tw_map *m, const struct tw_type *t)
{
	struct tw_index *x = m->index;

	x->uuids = malloc(((size_t)t->n + 1) * sizeof(*x->uuids));
	if (!x->uuids)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tw_item *it = &m->items[t->by_id[i]];
		bool has = x->n_uuids && x->uuids[x->n_uuids - 1].type == it->id;

		if (has || it->ints->n != 4 || it->id < TW_UUID_FIRST || it->id == TW_UUID_INDEX)
			continue;
		x->uuids[x->n_uuids].type = it->id;
		unpack_uuid(it->ints, x->uuids[x->n_uuids++].uuid);
	}
	return 0;
}

static const struct tw_type_uuid *find_uuid(const struct tw_index *x, unsigned type)
{
	size_t at = array_bisect(i, x->n_uuids, x->uuids[i].type >= type);

	return at < x->n_uuids && x->uuids[at].type == type ? &x->uuids[at] : NULL;
}

static int compare_autos(const void *pa, const void *pb, void *arg)
{
	const struct tw_map *m = arg;
	uint32_t i = *(const uint32_t *)pa, k = *(const uint32_t *)pb;
	const int32_t *a = m->items[i].ints->v, *b = m->items[k].ints->v;

	return array_compare(a[TW_AUTO_GROUP], b[TW_AUTO_GROUP])
		?: array_compare(a[TW_AUTO_LAYER], b[TW_AUTO_LAYER])
		?: array_compare(i, k);
}

static int list_autos(struct tw_map *m)
{
	const struct tw_type *t = tw_uuid_items(m, TW_AUTOMAPPER);
	struct tw_index *x = m->index;

	x->autos = malloc((t ? t->n + (size_t)1 : 1) * sizeof(*x->autos));
	if (!x->autos)
		return -ENOMEM;
	for (uint32_t i = 0; t && i < t->n; i++)
		if (m->items[t->items[i]].ints->n >= TW_AUTO_LENGTH)
			x->autos[x->n_autos++] = t->items[i];
	qsort_r(x->autos, x->n_autos, sizeof(*x->autos), compare_autos, m);
	return 0;
}

int tw_index_uuids(struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_UUID_INDEX);
	struct tw_index *x = m->index;
	int r = t ? list_uuids(m, t) : 0;

	for (unsigned k = 0; k < TW_N_UUIDS; k++)
		x->uuid_types[k] = -1;
	for (uint32_t i = 0; r == 0 && t && i < t->n; i++) {
		uint16_t type = m->items[t->items[i]].id;
		const struct tw_type_uuid *u = find_uuid(x, type);

		for (unsigned k = 0; u && k < TW_N_UUIDS; k++)
			if (x->uuid_types[k] < 0 && memcmp(u->uuid, known_uuids[k], 16) == 0)
				x->uuid_types[k] = type;
	}
	return r < 0 ? r : list_autos(m);
}

bool tw_type_uuid(const struct tw_index *x, unsigned type, uint8_t ret[16])
{
	const struct tw_type_uuid *u = find_uuid(x, type);

	if (u)
		memcpy(ret, u->uuid, sizeof(u->uuid));
	return u != NULL;
}

int tw_uuid_type(const struct tw_map *m, enum tw_uuid what)
{
	return m->index->uuid_types[what];
}

const struct tw_type *tw_uuid_items(const struct tw_map *m, enum tw_uuid what)
{
	int type = tw_uuid_type(m, what);

	return type < 0 ? NULL : tw_type(m, (unsigned)type);
}

const struct tw_item *tw_uuid_item(const struct tw_map *m, enum tw_uuid what, int64_t position)
{
	int type = tw_uuid_type(m, what);

	return type < 0 ? NULL : tw_item_at(m, (unsigned)type, position);
}

/* Compare the layer of the i-th auto-mapper item with a layer. */
static int compare_auto_layer(const struct tw_map *m, size_t i, int64_t group, int64_t layer)
{
	const int32_t *v = m->items[m->index->autos[i]].ints->v;

	return array_compare(v[TW_AUTO_GROUP], group) ?: array_compare(v[TW_AUTO_LAYER], layer);
}

uint32_t tw_find_autos(const struct tw_map *m, uint32_t group, int64_t layer, const uint32_t **ret)
{
	uint32_t n = m->index->n_autos;
	size_t at = array_bisect(i, n, compare_auto_layer(m, i, group, layer) >= 0);

	*ret = m->index->autos + at;
	return (uint32_t)(array_bisect(i, n, compare_auto_layer(m, i, group, layer) > 0) - at);
}
