/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/datafile/number.h"

#include <errno.h>

#include "formats/teeworlds/model/fields.h"

/* A circular list of blobs, in the order of their numbers. */
struct chain {
	const struct tw_map *m;
	uint32_t *next;      /* by handle */
	bool *linked;        /* by handle: is it in the list? */
	uint32_t head, last; /* the list head, next[n_blobs]; the blob visited last */
};

static void insert_blob(struct chain *c, uint32_t after, uint32_t blob)
{
	c->next[blob] = c->next[after];
	c->next[after] = blob;
	c->linked[blob] = true;
}

static void visit_item(struct chain *c, const struct tw_item *it)
{
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(it, fields);

	for (unsigned k = 0; k < n; k++) {
		uint32_t blob = (uint32_t)it->ints->v[fields[k]];

		if (!tw_get_blob(c->m, it, fields[k]))
			continue;
		if (!c->linked[blob])
			insert_blob(c, c->last, blob);
		c->last = blob;
	}
}

static void link_blobs(struct chain *c)
{
	static const uint16_t order[] = {TW_INFO, TW_IMAGE, TW_SOUND, TW_LAYER};
	const struct tw_map *m = c->m;
	uint32_t end = c->head;

	c->next[c->head] = c->last = c->head;
	for (uint32_t i = 0; i < m->n_blobs && i < m->shared->n_blobs; i++) {
		if (!m->blobs[i])
			continue;
		insert_blob(c, end, i);
		end = i;
	}
	for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++) {
		const struct tw_type *t = tw_type(m, order[o]);

		for (uint32_t i = 0; t && i < t->n; i++)
			visit_item(c, &m->items[t->items[i]]);
	}
	/* New blobs that no item refers to come last. */
	for (end = c->head; c->next[end] != c->head;)
		end = c->next[end];
	for (uint32_t i = 0; i < m->n_blobs; i++) {
		if (!m->blobs[i] || c->linked[i])
			continue;
		insert_blob(c, end, i);
		end = i;
	}
}

static int number_blobs(struct numbering *n, const struct tw_map *m)
{
	CLEANUP(free) uint32_t *next = malloc((m->n_blobs + 1) * sizeof(*next));
	CLEANUP(free) bool *linked = calloc(m->n_blobs + 1, sizeof(*linked));
	struct chain c = {.m = m, .next = next, .linked = linked, .head = (uint32_t)m->n_blobs};

	if (!next || !linked)
		return -ENOMEM;
	link_blobs(&c);
	for (size_t i = 0; i < m->n_blobs; i++)
		n->numbers[i] = -1;
	for (uint32_t i = next[c.head]; i != c.head; i = next[i]) {
		n->numbers[i] = (int32_t)n->n;
		n->handles[n->n++] = i;
	}
	return 0;
}

int numbering_init(struct numbering *n, const struct tw_map *m, struct error *e)
{
	int r = 0;

	n->numbers = malloc((m->n_blobs + 1) * sizeof(*n->numbers));
	n->handles = malloc((m->n_blobs + 1) * sizeof(*n->handles));
	if (!n->numbers || !n->handles)
		r = -ENOMEM;
	else if (tw_all_known(m))
		r = number_blobs(n, m);
	else
		for (; n->n < m->n_blobs; n->n++)
			n->numbers[n->n] = (int32_t)(n->handles[n->n] = (uint32_t)n->n);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

void numbering_finish(struct numbering *n)
{
	free(n->numbers);
	free(n->handles);
}

struct blob *numbering_blob(const struct numbering *n, const struct tw_map *m, size_t number)
{
	struct blob *b = m->blobs[n->handles[number]];

	return b && (!blob_is_materialized(b) || b->stored.size) ? b : NULL;
}

int32_t numbering_int(
	const struct numbering *n, const struct tw_map *m, const struct tw_item *it, uint32_t i)
{
	uint32_t fields[TW_FIELDS_MAX];
	int32_t v = it->ints->v[i];
	unsigned n_fields = n && v >= 0 && (size_t)v < m->n_blobs ? tw_data_fields(it, fields) : 0;

	for (unsigned k = 0; k < n_fields; k++)
		if (fields[k] == i)
			return n->numbers[v];
	return v;
}
