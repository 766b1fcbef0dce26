/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/whole/sum.h"

#include <sys/types.h>

#include <sha2.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"

_Static_assert(TW_SUM_SIZE == SHA256_DIGEST_LENGTH, "the digest of SHA-256");

static int add_chunk(void *arg, const uint8_t *data, size_t n, struct error *)
{
	SHA256Update(arg, data, n);
	return 0;
}

/* Add the integers of an object, with 0 for the numbers of its data, points or layers. */
static bool add_ints(SHA2_CTX *sum, const struct tw_item *it, const uint32_t *fields, unsigned n)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = tw_ints_copy(it->ints, it->ints->n, 0);

	for (unsigned k = 0; v && k < n; k++)
		v->v[fields[k]] = 0;
	if (v && it->type == TW_ENVELOPE && v->n > TW_ENV_START)
		v->v[TW_ENV_START] = 0;
	if (v && it->type == TW_GROUP && v->n > TW_GROUP_START)
		v->v[TW_GROUP_START] = 0;
	if (v)
		SHA256Update(sum, (const uint8_t *)v->v, v->n * sizeof(*v->v));
	return v;
}

static void add_points(SHA2_CTX *sum, const struct tw_map *m, const struct tw_item *it)
{
	int32_t v[TW_POINT_FULL];
	struct tw_points p;
	uint32_t i, end;

	tw_points_get_all(m, &p);
	tw_points_range(&p, it, &i, &end);
	for (; i < end; i++) {
		tw_points_get(&p, i, v);
		SHA256Update(sum, (const uint8_t *)v, sizeof(v));
	}
}

static bool add_layers(
	SHA2_CTX *sum, const struct tw_map *m, const struct tw_item *group, bool content)
{
	const struct tw_type *layers = tw_type(m, TW_LAYER);
	int64_t begin = tw_get_int(group, TW_GROUP_START, 0);
	int64_t end = begin + tw_get_int(group, TW_GROUP_COUNT, 0);
	uint8_t layer[TW_SUM_SIZE];

	if (begin < 0 || end > (layers ? layers->n : 0))
		return false;
	for (int64_t i = begin; i < end; i++) {
		if (!tw_sum(m, layers->items[i], content, layer))
			return false;
		SHA256Update(sum, layer, sizeof(layer));
	}
	return true;
}

bool tw_sum(const struct tw_map *m, uint32_t item, bool content, uint8_t ret[TW_SUM_SIZE])
{
	const struct tw_item *it = &m->items[item];
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(it, fields);
	SHA2_CTX sum;

	SHA256Init(&sum);
	/* Hash each length before its bytes, so that different objects hash different bytes. */
	SHA256Update(&sum, (const uint8_t *)&it->ints->n, sizeof(it->ints->n));
	if (!add_ints(&sum, it, fields, n))
		return false;
	for (unsigned k = 0; k < n; k++) {
		struct blob *b = tw_get_blob(m, it, fields[k]);
		uint64_t size = b ? b->size : UINT64_MAX;

		SHA256Update(&sum, (const uint8_t *)&size, sizeof(size));
		if (b && content && blob_for_each_chunk(b, add_chunk, &sum, NULL) < 0)
			return false;
	}
	if (it->type == TW_ENVELOPE)
		add_points(&sum, m, it);
	if (it->type == TW_GROUP && !add_layers(&sum, m, it, content))
		return false;
	SHA256Final(ret, &sum);
	return true;
}
