/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/map.h"

#include <string.h>

struct tcm_map *tcm_map_copy(const struct tcm_map *m)
{
	struct tcm_map *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (m)
		*c = *m;
	atomic_init(&c->base.refs, 1);
	bytes_ref(c->name);
	bytes_ref(c->author);
	for (int i = 0; i < TCM_TABLES; i++)
		tcm_list_ref(c->lists[i]);
	return c;
}

void tcm_map_free(struct snapshot *s)
{
	struct tcm_map *m = (struct tcm_map *)s;

	bytes_unref(m->name);
	bytes_unref(m->author);
	for (int i = 0; i < TCM_TABLES; i++)
		tcm_list_unref(m->lists[i]);
	free(m);
}

static bool same_bytes(const struct bytes *a, const struct bytes *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

bool tcm_map_same(const struct tcm_map *a, const struct tcm_map *b)
{
	const struct tcm_variant *v = &a->variant, *w = &b->variant;

	return memcmp(v->tag, w->tag, sizeof(v->tag)) == 0 && v->big == w->big &&
	       v->lists == w->lists && v->points == w->points && same_bytes(a->name, b->name) &&
	       same_bytes(a->author, b->author) && a->has_objects == b->has_objects &&
	       tcm_list_same(a->lists[TCM_TERRAIN], b->lists[TCM_TERRAIN]) &&
	       tcm_list_same(a->lists[TCM_POINTS], b->lists[TCM_POINTS]) &&
	       (!a->has_objects || tcm_list_same(a->lists[TCM_OBJECTS], b->lists[TCM_OBJECTS]));
}

int64_t tcm_max_index(const struct tcm_map *m, size_t *ret_record)
{
	const struct tcm_list *l = m->lists[TCM_TERRAIN];
	int64_t max = -1;

	for (size_t i = 0; i < l->n; i++) {
		if (l->records[i].v[0] > max) {
			max = l->records[i].v[0];
			*ret_record = i;
		}
	}
	return max;
}

static void put(struct buffer *to, bool big, unsigned width, uint32_t v)
{
	for (unsigned i = 0; i < width; i++)
		buffer_byte(to, (uint8_t)(v >> 8 * (big ? width - 1 - i : i)));
}

static void put_size(struct buffer *to, bool big, enum tcm_size size, size_t n, unsigned width)
{
	if (size != TCM_NONE)
		put(to, big, 4, (uint32_t)(size == TCM_COUNT ? n : n * width));
}

static void put_records(struct buffer *to, bool big, const struct tcm_list *l, unsigned width)
{
	for (size_t i = 0; i < l->n; i++)
		for (int k = 0; k < 2; k++)
			put(to, big, width / 2, l->records[i].v[k]);
}

void tcm_encode(const struct tcm_map *m, struct buffer *to)
{
	const struct tcm_variant *v = &m->variant;

	buffer_append(to, v->tag, sizeof(v->tag));
	buffer_byte(to, (uint8_t)m->name->size);
	buffer_append(to, m->name->data, m->name->size);
	buffer_byte(to, (uint8_t)m->author->size);
	buffer_append(to, m->author->data, m->author->size);
	put_size(to, v->big, v->lists, m->lists[TCM_TERRAIN]->n, 4);
	put_records(to, v->big, m->lists[TCM_TERRAIN], 4);
	put_size(to, v->big, v->points, m->lists[TCM_POINTS]->n, 8);
	put_records(to, v->big, m->lists[TCM_POINTS], 8);
	if (!m->has_objects)
		return;
	put_size(to, v->big, v->lists, m->lists[TCM_OBJECTS]->n, 8);
	put_records(to, v->big, m->lists[TCM_OBJECTS], 8);
}

uint64_t tcm_encoded_size(const struct tcm_map *m)
{
	uint64_t size = sizeof(m->variant.tag) + 1 + m->name->size + 1 + m->author->size + 4;

	size += 4 * (uint64_t)m->lists[TCM_TERRAIN]->n + 8 * (uint64_t)m->lists[TCM_POINTS]->n;
	if (m->variant.points != TCM_NONE)
		size += 4;
	if (m->has_objects)
		size += 4 + 8 * (uint64_t)m->lists[TCM_OBJECTS]->n;
	return size;
}
