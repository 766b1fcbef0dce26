/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/datafile/datafile.h"

#include <string.h>

#include "codec/blob_equal.h"
#include "formats/teeworlds/datafile/number.h"
#include "formats/teeworlds/model/fields.h"

static bool same_blob(struct blob *a, struct blob *b)
{
	bool same;

	if (a == b)
		return true;
	if (!a || !b || a->size != b->size)
		return false;
	if (a->coding == b->coding)
		return a->stored.size == b->stored.size &&
		       extent_equal(&a->stored, &b->stored, &same, NULL) == 0 && same;
	/* What finalizing made is in memory, and stands encoded in the file that was written. */
	return blob_equal(a, b, &same, NULL) == 0 && same;
}

static bool same_item(const struct tw_map *a, const struct numbering *na, const struct tw_item *x,
	const struct tw_map *b, const struct numbering *nb, const struct tw_item *y)
{
	if (x->type != y->type || x->id != y->id || x->ints->n != y->ints->n)
		return false;
	for (uint32_t i = 0; i < x->ints->n; i++)
		if (numbering_int(na, a, x, i) != numbering_int(nb, b, y, i))
			return false;
	return true;
}

static bool same_items(const struct tw_map *a, const struct numbering *na, const struct tw_map *b,
	const struct numbering *nb)
{
	if (a->index->n_types != b->index->n_types)
		return false;
	for (size_t i = 0; i < a->index->n_types; i++) {
		const struct tw_type *s = &a->index->types[i], *t = &b->index->types[i];

		if (s->id != t->id || s->n != t->n)
			return false;
		for (uint32_t k = 0; k < s->n; k++)
			if (!same_item(
				    a, na, &a->items[s->items[k]], b, nb, &b->items[t->items[k]]))
				return false;
	}
	return true;
}

static bool same_blobs(const struct tw_map *a, const struct numbering *na, const struct tw_map *b,
	const struct numbering *nb)
{
	if (na->n != nb->n)
		return false;
	for (size_t i = 0; i < na->n; i++) {
		if (!same_blob(a->blobs[na->at[i]], b->blobs[nb->at[i]]))
			return false;
	}
	return true;
}

bool tw_same(const struct snapshot *sa, const struct snapshot *sb)
{
	const struct tw_map *a = tw_map_of(sa), *b = tw_map_of(sb);
	struct numbering na = {0}, nb = {0};
	bool same = false;

	if (a == b)
		return true;
	if (a->shared->file_version == b->shared->file_version && a->trailing == b->trailing &&
		numbering_init(&na, a, NULL) == 0 && numbering_init(&nb, b, NULL) == 0)
		same = same_items(a, &na, b, &nb) && same_blobs(a, &na, b, &nb);
	numbering_finish(&na);
	numbering_finish(&nb);
	return same;
}
