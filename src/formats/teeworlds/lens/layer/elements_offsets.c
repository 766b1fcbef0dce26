/* SPDX-License-Identifier: Zlib */
/*
 * Where the text of each element begins, found without writing it: an element's text is as long as
 * that of one of zeros, and longer by the further digits of its numbers and the names in it.
 */
#include <string.h>

#include "formats/teeworlds/lens/layer/elements.h"

enum { EVERY = 256 /* elements between two that are remembered */, NAMED_MAX = 4 };

struct offsets {
	uint64_t key;
	uint64_t length;
	uint64_t off[]; /* of the elements 0, EVERY, 2 * EVERY ... */
};

/* A reference, or what has words, as it was written last: lists mostly name few envelopes. */
struct named {
	const struct tw_key *key;
	int32_t value;
	uint64_t length;
};

struct measuring {
	const struct tw_map *m;
	const struct tw_list *l;
	uint64_t begin, first, zeros, end; /* of "[", of an element of zeros, the first and others,
					      of the last line */
	uint32_t n_named;
	struct named named[NAMED_MAX];
};

static uint64_t length_of_name(const struct measuring *o, const struct tw_key *key, int32_t value)
{
	struct jsonw w;

	jsonw_to_nowhere(&w);
	if (key->ref != TW_REF_NONE)
		tw_ref_write(&w, o->m, key->ref, value);
	else
		jsonw_word(&w, key->words, value);
	return w.size;
}

/* The file of two elements of zeros, as the writer makes it. */
static void begin(struct measuring *o)
{
	int32_t v[TW_ELEMENT_MAX] = {0};
	struct tw_record rec = {.keys = o->l->keys, .v = v, .n = o->l->ints};
	struct jsonw w;
	uint64_t at[3];

	for (const struct tw_key *key = o->l->keys; key->name; key++)
		if (key->ref != TW_REF_NONE || key->words)
			o->named[o->n_named++] = (struct named){key, 0, length_of_name(o, key, 0)};
	jsonw_to_nowhere(&w);
	jsonw_array(&w);
	o->begin = w.size;
	for (int i = 0; i < 2; i++) {
		at[i] = w.size;
		jsonw_object(&w);
		tw_record_write(&w, o->m, &rec);
		jsonw_end(&w);
	}
	at[2] = w.size;
	jsonw_end(&w);
	o->first = at[1] - at[0];
	o->zeros = at[2] - at[1];
	o->end = w.size - at[2];
	for (uint32_t i = 0; i < o->n_named; i++) {
		o->first -= o->named[i].length;
		o->zeros -= o->named[i].length;
	}
}

/* Digits beside the first, and the sign. */
static uint32_t further(int32_t v)
{
	uint32_t u = v < 0 ? -(uint32_t)v : (uint32_t)v;

	return (uint32_t)(v < 0) + (u >= 10) + (u >= 100) + (u >= 1000) + (u >= 10000) +
	       (u >= 100000) + (u >= 1000000) + (u >= 10000000) + (u >= 100000000) +
	       (u >= 1000000000);
}

static uint64_t length_of(struct measuring *o, uint32_t i, const int32_t *v)
{
	uint64_t length = i ? o->zeros : o->first;

	for (uint32_t k = 0; k < o->l->ints; k++)
		length += further(v[k]);
	for (uint32_t k = 0; k < o->n_named; k++) {
		struct named *n = &o->named[k];

		if (n->value != v[n->key->at]) {
			n->value = v[n->key->at];
			n->length = length_of_name(o, n->key, n->value);
		}
		length += n->length - further(n->value);
	}
	return length;
}

static int measure_all(void *arg, struct bytes **ret, struct error *e)
{
	struct measuring *o = arg;
	size_t n = (o->l->count - 1) / EVERY + 1;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct tw_list_window window = {.l = o->l};
	int32_t v[TW_ELEMENT_MAX];
	struct offsets *p;
	uint8_t *data;
	int r = 0;

	b = bytes_new(sizeof(*p) + n * sizeof(p->off[0]), &data);
	if (!b)
		return error_set(e, -ENOMEM, "no memory for the offsets of a list");
	p = (struct offsets *)data;
	begin(o);
	p->key = o->l->memo;
	p->length = o->begin;
	for (uint32_t i = 0; r == 0 && i < o->l->count; i++) {
		if (i % EVERY == 0)
			p->off[i / EVERY] = p->length;
		r = tw_list_element(&window, i, v, e);
		if (r == 0)
			p->length += length_of(o, i, v);
	}
	p->length += o->end;
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

static int get_offsets(
	const struct tw_map *m, const struct tw_list *l, struct bytes **ret, struct error *e)
{
	struct measuring o = {.m = m, .l = l};

	return blob_derive(l->blob, l->memo, measure_all, &o, ret, e);
}

int tw_list_seek(const struct tw_map *m, const struct tw_list *l, uint64_t off,
	struct tw_list_start *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	int r = get_offsets(m, l, &b, e);
	const struct offsets *p;
	size_t low = 0, high;

	*ret = (struct tw_list_start){0};
	if (r < 0)
		return r;
	p = (const struct offsets *)b->data;
	for (high = (l->count - 1) / EVERY + 1; high - low > 1;) {
		size_t mid = low + (high - low) / 2;

		*(p->off[mid] <= off ? &low : &high) = mid;
	}
	*ret = (struct tw_list_start){(uint32_t)low * EVERY, p->off[low]};
	return 0;
}

int tw_list_length(const struct tw_map *m, const struct tw_list *l, uint64_t *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	int r = get_offsets(m, l, &b, e);

	if (r == 0)
		*ret = ((const struct offsets *)b->data)->length;
	return r;
}
