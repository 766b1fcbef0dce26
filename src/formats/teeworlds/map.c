/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/map.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/situation.h"

/* The UUIDs as their index items hold them (reference: DDNet's name-based UUIDs of
 * mapitemtype-automapper-config@ddnet.tw and so on). */
static const uint8_t known_uuids[TW_N_UUIDS][16] = {
	[TW_AUTOMAPPER] = {0x3e, 0x1b, 0x27, 0x16, 0x17, 0x8c, 0x39, 0x78, 0x9b, 0xd9, 0xb1, 0x1a,
		0xe0, 0x41, 0x0d, 0xd8},
	[TW_GROUP_EXT] = {0x4a, 0x26, 0xca, 0x1f, 0x64, 0xbd, 0x30, 0xe3, 0x90, 0x7a, 0x70, 0x7e,
		0xac, 0xd1, 0xf0, 0x80},
	[TW_BEZIER] = {0x3a, 0xb4, 0xf8, 0x4d, 0xd9, 0xcc, 0x3c, 0x78, 0xb5, 0x85, 0x0d, 0x6c, 0xcd,
		0xb2, 0xe2, 0x5c},
};

struct tw_index *tw_index_ref(struct tw_index *x)
{
	if (x)
		atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
	return x;
}

static void index_unref(struct tw_index *x)
{
	if (!x || atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < x->n_types; i++) {
		free(x->types[i].items);
		free(x->types[i].by_id);
	}
	free(x->types);
	free(x);
}

struct tw_shared *tw_shared_ref(struct tw_shared *sh)
{
	if (sh)
		atomic_fetch_add_explicit(&sh->refs, 1, memory_order_relaxed);
	return sh;
}

void tw_shared_unref(struct tw_shared *sh)
{
	if (!sh || atomic_fetch_sub_explicit(&sh->refs, 1, memory_order_acq_rel) != 1)
		return;
	tw_names_destroy(sh->names);
	free(sh);
}

struct tw_map *tw_map_new(struct tw_shared *sh)
{
	struct tw_map *m = calloc(1, sizeof(*m));

	if (!m) {
		tw_shared_unref(sh);
		return NULL;
	}
	atomic_init(&m->base.refs, 1);
	m->shared = sh;
	m->version = 1;
	return m;
}

void tw_map_free(struct snapshot *s)
{
	struct tw_map *m = (struct tw_map *)s;

	if (!m)
		return;
	for (size_t i = 0; i < m->n_items; i++) {
		tw_ints_unref(m->items[i].ints);
		bytes_unref(m->items[i].made);
		tw_ints_unref(m->items[i].extra);
	}
	for (size_t i = 0; i < m->n_blobs; i++)
		blob_unref(m->blobs[i]);
	free(m->items);
	free(m->blobs);
	index_unref(m->index);
	index_unref(m->origin);
	tw_situation_unref(m->situation);
	file_unref(m->file);
	tw_shared_unref(m->shared);
	free(m);
}

struct tw_map *tw_map_copy(const struct tw_map *m)
{
	struct tw_map *c = tw_map_new(tw_shared_ref(m->shared));

	if (!c)
		return NULL;
	c->base.format = m->base.format;
	c->version = m->version + 1;
	c->file = file_ref(m->file);
	c->index = tw_index_ref(m->index);
	c->origin = tw_index_ref(m->origin);
	c->situation = tw_situation_ref(m->situation);
	c->items = calloc(m->n_items ? m->n_items : 1, sizeof(*c->items));
	c->blobs = calloc(m->n_blobs ? m->n_blobs : 1, sizeof(struct blob *));
	if (!c->items || !c->blobs) {
		tw_map_free(&c->base);
		return NULL;
	}
	for (; c->n_items < m->n_items; c->n_items++) {
		c->items[c->n_items] = m->items[c->n_items];
		tw_ints_ref(c->items[c->n_items].ints);
		bytes_ref(c->items[c->n_items].made);
		tw_ints_ref(c->items[c->n_items].extra);
	}
	for (; c->n_blobs < m->n_blobs; c->n_blobs++)
		c->blobs[c->n_blobs] = blob_ref(m->blobs[c->n_blobs]);
	return c;
}

int tw_map_add_item(
	struct tw_map *m, uint16_t type, uint16_t id, struct tw_ints *take, uint32_t *ret)
{
	struct tw_item *items = NULL;

	if (take && m->n_items < UINT32_MAX - 1)
		items = realloc(m->items, (m->n_items + 1) * sizeof(*items));
	if (!items) {
		tw_ints_unref(take);
		return -ENOMEM;
	}
	m->items = items;
	items[m->n_items] = (struct tw_item){.type = type, .id = id, .ints = take};
	*ret = (uint32_t)m->n_items++;
	return 0;
}

int tw_map_add_blob(struct tw_map *m, struct blob *take, uint32_t *ret)
{
	struct blob **blobs = NULL;

	if (take && m->n_blobs < INT32_MAX)
		blobs = realloc(m->blobs, (m->n_blobs + 1) * sizeof(struct blob *));
	if (!blobs) {
		blob_unref(take);
		return -ENOMEM;
	}
	m->blobs = blobs;
	blobs[m->n_blobs] = take;
	*ret = (uint32_t)m->n_blobs++;
	return 0;
}

/* An item's sort key: where it stands in the raw view. */
struct order {
	uint16_t type, id;
	uint32_t item;
};

static int order_cmp(const void *pa, const void *pb)
{
	const struct order *a = pa, *b = pb;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* Fills one type from n items that are sorted by id; handles grow with the position. */
static int fill_type(const struct order *o, uint32_t n, struct tw_type *t)
{
	t->id = o->type;
	t->items = malloc(n * sizeof(uint32_t));
	t->by_id = malloc(n * sizeof(uint32_t));
	if (!t->items || !t->by_id)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		t->by_id[i] = o[i].item;
	t->n = n;
	return 0;
}

static int build_types(const struct order *o, size_t n, struct tw_index *x)
{
	size_t n_types = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		n_types += i == 0 || o[i].type != o[i - 1].type;
	x->types = calloc(n_types ? n_types : 1, sizeof(*x->types));
	if (!x->types)
		return -ENOMEM;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && o[end].type == o[i].type; end++)
			;
		r = fill_type(o + i, (uint32_t)(end - i), &x->types[x->n_types++]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Positions follow the handles, so one pass in that order fills every list. */
static void fill_positions(const struct tw_map *m, struct tw_index *x)
{
	struct tw_type *t = NULL;

	for (size_t i = 0; i < x->n_types; i++)
		x->types[i].n = 0;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		if (it->removed)
			continue;
		if (!t || t->id != it->type)
			for (t = x->types; t->id != it->type; t++)
				;
		t->items[t->n++] = (uint32_t)i;
	}
}

int tw_map_reindex(struct tw_map *m)
{
	CLEANUP(free) struct order *o = NULL;
	struct tw_index *x = calloc(1, sizeof(*x));
	size_t n = 0;
	int r = -ENOMEM;

	if (x) {
		atomic_init(&x->refs, 1);
		o = malloc((m->n_items ? m->n_items : 1) * sizeof(*o));
	}
	if (o) {
		for (size_t i = 0; i < m->n_items; i++)
			if (!m->items[i].removed)
				o[n++] = (struct order){
					m->items[i].type, m->items[i].id, (uint32_t)i};
		qsort(o, n, sizeof(*o), order_cmp);
		r = build_types(o, n, x);
	}
	if (r < 0) {
		index_unref(x);
		return r;
	}
	fill_positions(m, x);
	x->ordered = true;
	index_unref(m->index);
	m->index = x;
	return 0;
}

void tw_map_order(struct tw_map *m, unsigned type, const uint32_t *items)
{
	const struct tw_type *t = tw_type(m, type);

	m->index->ordered = false;
	memcpy(t->items, items, t->n * sizeof(*items));
}

const struct tw_type *tw_index_type(const struct tw_index *x, unsigned type)
{
	size_t low = 0, high = x->n_types;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (x->types[mid].id < type)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < x->n_types && x->types[low].id == type)
		return &x->types[low];
	return NULL;
}

const struct tw_type *tw_type(const struct tw_map *m, unsigned type)
{
	return tw_index_type(m->index, type);
}

uint32_t tw_count_mounted(const struct tw_map *m, unsigned type)
{
	const struct tw_type *t = tw_type(m, type);
	uint32_t n = t ? t->n : 0;

	while (n && m->items[t->items[n - 1]].made)
		n--;
	return n;
}

int tw_at(const struct tw_map *m, unsigned type, int64_t position, uint32_t *ret)
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

	return tw_at(m, type, position, &i) < 0 ? NULL : &m->items[i];
}

int64_t tw_position(const struct tw_map *m, uint32_t item)
{
	const struct tw_type *t;
	uint32_t low, high;

	if (item >= m->n_items || m->items[item].removed)
		return -1;
	t = tw_type(m, m->items[item].type);
	for (low = 0; !m->index->ordered && low < t->n; low++)
		if (t->items[low] == item)
			return low;
	for (low = 0, high = t->n; low < high;) {
		uint32_t mid = low + (high - low) / 2;

		if (t->items[mid] < item)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct blob *tw_blob_of(const struct tw_map *m, const struct tw_item *it, uint32_t field)
{
	int32_t i = tw_int(it, field, -1);

	return i < 0 || (size_t)i >= m->n_blobs ? NULL : m->blobs[i];
}

bool tw_type_uuid(const struct tw_map *m, unsigned type, uint8_t ret[16])
{
	const struct tw_type *t = tw_type(m, TW_UUID_INDEX);

	if (type < TW_UUID_FIRST || type == TW_UUID_INDEX)
		return false;
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct tw_item *it = &m->items[t->items[i]];

		if (it->id != type || it->ints->n != 4)
			continue;
		/* Big-endian words, whatever the rest of the file is. */
		for (unsigned k = 0; k < 16; k++)
			ret[k] = (uint8_t)((uint32_t)it->ints->v[k / 4] >> (24 - 8 * (k % 4)));
		return true;
	}
	return false;
}

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

int tw_uuid_type(const struct tw_map *m, enum tw_uuid what)
{
	const struct tw_type *t = tw_type(m, TW_UUID_INDEX);
	uint8_t uuid[16];

	for (uint32_t i = 0; t && i < t->n; i++) {
		uint16_t type = m->items[t->items[i]].id;

		if (tw_type_uuid(m, type, uuid) && memcmp(uuid, known_uuids[what], 16) == 0)
			return type;
	}
	return -1;
}

bool tw_is_typed(const struct tw_map *m)
{
	const struct tw_type *t = tw_type(m, TW_VERSION);
	const struct tw_item *first = t ? &m->items[t->by_id[0]] : NULL;

	return first && first->id == 0 && tw_int(first, 0, 0) == 1;
}
