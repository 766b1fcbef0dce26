/* SPDX-License-Identifier: Zlib */
/*
 * elements: the quads of a quads layer and the sources of a sounds layer, quads.json and
 * sources.json (layout rules 16, 18), element by element, since a list may be larger than memory.
 */
#include "formats/teeworlds/item/elements.h"

#include <errno.h>

#include "base/cursor.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/lens/rows.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/model/store.h"

enum { TEXT_MAX = 512 << 20 /* bytes of a file */ };
enum { EMPTY_SIZE = 3 /* bytes of an empty array's file */ };

/* The whole image, in fixed point: what the editor gives to a new quad. */
static const int32_t whole_image[] = {0, 0, 1024, 0, 0, 1024, 1024, 1024};

static const struct tw_key quad_keys[] = {
	{"positions", .at = 0, .n = 10, .row = 2},
	{"corner_colors", .at = 10, .n = 16, .row = 4, .initial = 255},
	{"texture_coordinates", .at = 26, .n = 8, .row = 2, .initials = whole_image},
	{"position_envelope", .at = 34, .n = 1, .ref = TW_REF_POSITION_ENVELOPE, .initial = -1},
	{"position_envelope_offset", .at = 35, .n = 1},
	{"color_envelope", .at = 36, .n = 1, .ref = TW_REF_COLOR_ENVELOPE, .initial = -1},
	{"color_envelope_offset", .at = 37, .n = 1},
	{NULL},
};

static const struct tw_key source_keys[] = {
	{"position", .at = 0, .n = 2},
	{"looping", .at = 2, .n = 1, .initial = 1, .words = json_flags},
	{"panning", .at = 3, .n = 1, .initial = 1, .words = json_flags},
	{"delay", .at = 4, .n = 1},
	{"falloff", .at = 5, .n = 1, .initial = 80},
	{"position_envelope", .at = 6, .n = 1, .ref = TW_REF_POSITION_ENVELOPE, .initial = -1},
	{"position_envelope_offset", .at = 7, .n = 1},
	{"sound_envelope", .at = 8, .n = 1, .ref = TW_REF_SOUND_ENVELOPE, .initial = -1},
	{"sound_envelope_offset", .at = 9, .n = 1},
	{"shape", .at = 10, .n = 3},
	{NULL},
};

static const struct tw_key old_source_keys[] = {
	{"position", .at = 0, .n = 2},
	{"looping", .at = 2, .n = 1, .initial = 1, .words = json_flags},
	{"delay", .at = 3, .n = 1},
	{"radius", .at = 4, .n = 1, .initial = 1500},
	{"position_envelope", .at = 5, .n = 1, .ref = TW_REF_POSITION_ENVELOPE, .initial = -1},
	{"position_envelope_offset", .at = 6, .n = 1},
	{"sound_envelope", .at = 7, .n = 1, .ref = TW_REF_SOUND_ENVELOPE, .initial = -1},
	{"sound_envelope_offset", .at = 8, .n = 1},
	{NULL},
};

static const struct tw_key *const keys_of[TW_N_FORMS] = {
	[TW_FORM_QUADS] = quad_keys,
	[TW_FORM_SOURCES] = source_keys,
	[TW_FORM_OLD_SOURCES] = old_source_keys,
};

/* A layer's list as the map holds it. */
struct list {
	uint32_t item;
	struct tw_rows rows; /* its key is that of the file's size, too */
	struct blob *blob;   /* may be NULL where there are none */
	uint32_t first, n;   /* the elements that `data` holds */
	uint8_t data[16 << 10];
};

static int get_element(void *arg, uint32_t i, int32_t *v, struct error *e)
{
	struct list *l = arg;
	size_t size = 4 * (size_t)l->rows.ints;
	int r = 0;

	if (i < l->first || i - l->first >= l->n) {
		uint32_t most = (uint32_t)(sizeof(l->data) / size);

		l->first = i;
		l->n = l->rows.n - i < most ? l->rows.n - i : most;
		r = blob_read(l->blob, i * (uint64_t)size, l->data, l->n * size, e);
	}
	for (uint32_t k = 0; r == 0 && k < l->rows.ints; k++)
		v[k] = load_i32(l->data + (i - l->first) * size + 4 * (size_t)k);
	return r;
}

/* -ENOENT, -EIO: the layer has no such list. */
static int find_list(const struct tw_map *m, entry_id id, struct list *l, struct error *e)
{
	const struct tw_item *it;
	enum tw_form form;
	uint32_t count;

	if (tw_at(m, TW_LAYER, tw_id_b(id), &l->item) < 0)
		return error_set(e, -ENOENT, "no such layer");
	it = &m->items[l->item];
	form = tw_list_form(m, it);
	if (form == TW_FORM_NONE || (form == TW_FORM_QUADS) != (tw_id_kind(id) == TW_K_QUADS))
		return it->made ? tw_layer_lacks(it, e)
				: error_set(e, -EIO, "the layer no longer has such a list");
	l->blob = tw_blob_of(m, it, TW_LIST_DATA);
	l->first = l->n = 0;
	count = (uint32_t)it->ints->v[TW_LIST_COUNT];
	/* References are shown by names that hold still, but there may come to be more. */
	l->rows = (struct tw_rows){.m = m,
		.keys = keys_of[form],
		.n = count,
		.ints = tw_list_shape(form)->ints,
		.get = get_element,
		.arg = l,
		.blob = l->blob,
		.key = (uint64_t)count << 32 | (uint64_t)form << 28 |
		       (tw_count(m, TW_ENVELOPE) & 0xfffffff)};
	return 0;
}

static int list_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	uint64_t size = EMPTY_SIZE;
	struct list l;
	int r = find_list(m, id, &l, e);

	if (r < 0)
		return r;
	tw_stat_file(ret, 0, true);
	ret->needed = tw_layer_is_shared(m, tw_id_b(id));
	ret->lasting = !ret->needed;
	ret->sized = !l.rows.n || blob_recall(l.blob, l.rows.key, &size);
	ret->size = ret->sized ? size : 0;
	ret->sized |= l.rows.n && blob_is_damaged(l.blob);
	return 0;
}

/* For reading: all of it is sound. */
static int find_sound(const struct tw_map *m, entry_id id, struct list *l, struct error *e)
{
	int r = find_list(m, id, l, e);

	if (r < 0 || !l->rows.n)
		return r;
	if (blob_is_damaged(l->blob))
		return error_set(e, -EIO, "the data of the list is damaged");
	return blob_check(l->blob, e);
}

static int list_write(
	struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t off, struct error *e)
{
	struct list l;
	int r = find_sound(m, id, &l, e);

	return r < 0 ? r : tw_rows_write(w, &l.rows, off, e);
}

static int list_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	struct jsonw w;
	struct list l;
	int r = find_sound(m, id, &l, e);

	if (r < 0 || (l.rows.n && blob_recall(l.blob, l.rows.key, ret)))
		return r;
	jsonw_to_nowhere(&w);
	r = tw_rows_write(&w, &l.rows, UINT64_MAX, e);
	if (r < 0)
		return r;
	if (l.rows.n)
		blob_remember(l.blob, l.rows.key, w.size);
	*ret = w.size;
	return 0;
}

/* A written list on its way into a spool, and whether it says what stood there. */
struct taking {
	struct list old; /* of which all rows can be read */
	uint32_t n;
	struct tw_naming names;
	bool differs;
	struct spool *out;
};

static int take_element(void *arg, const struct json_at *at, struct error *e)
{
	struct taking *t = arg;
	struct tw_rows *old = &t->old.rows;
	int32_t v[TW_ROW_MAX];
	uint8_t stored[4 * TW_ROW_MAX];
	int r;

	if (t->n == INT32_MAX / 4 / old->ints)
		return json_refuse(at, e, "a list has at most %u", t->n);
	r = tw_rows_read(at, old, t->n, &t->names, v, &t->differs, e);
	if (r < 0)
		return r;
	for (uint32_t k = 0; k < old->ints; k++)
		store_u32(stored + 4 * (size_t)k, (uint32_t)v[k]);
	t->n++;
	return spool_append(t->out, stored, 4 * (size_t)old->ints, e);
}

/* Bytes past the count stay while the count does; an empty list is one of zeros, as the editor
 * writes it. */
static int keep_list(struct taking *t, uint32_t count, struct tw_change *c, struct error *e)
{
	const struct list *l = &t->old;
	CLEANUP_EXTENT struct extent content = EXTENT_INIT;
	static const uint8_t zeros[4 * TW_ROW_MAX];
	struct blob *blob = NULL;
	int r = t->n ? 0 : spool_append(t->out, zeros, 4 * (size_t)l->rows.ints, e);

	if (r == 0 && t->n && t->n == count && l->rows.n)
		r = tw_keep_part(
			l->blob, (uint64_t)count * 4 * l->rows.ints, l->blob->size, t->out, e);
	if (r == 0)
		r = spool_extent(t->out, &content, e);
	if (r == 0)
		r = tw_keep_extent(l->rows.m, &content, &blob, e);
	if (r < 0)
		return r;
	tw_change_int(c, l->item, TW_LIST_COUNT, (int32_t)t->n);
	tw_change_data(c, l->item, TW_LIST_DATA, blob);
	return 0;
}

static int list_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	CLEANUP(spool_destroy) struct spool *out = NULL;
	CLEANUP_JSON struct json_doc rest = {0};
	struct taking t = {0};
	uint32_t count;
	int r = tw_layer_refuses(find_list(m, id, &t.old, e), e);

	if (r < 0)
		return r;
	t.out = out = spool_create(m->shared->store->spool_dirfd);
	if (!out)
		return error_set(e, -ENOMEM, "no memory for the list");
	t.names = (struct tw_naming){m, c->others, m->items[t.old.item].made};
	count = t.old.rows.n;
	/* A list that cannot be read may be replaced. */
	if (count && blob_check(t.old.blob, NULL) < 0)
		t.old.rows.n = 0;
	r = !in ? 0 : json_list_read(in, TEXT_MAX, NULL, take_element, &t, &rest, e);
	if (r == 0 && (t.differs || t.n != t.old.rows.n || t.n != count))
		r = keep_list(&t, count, c, e);
	return r;
}

static void list_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	enum tw_form form =
		m->items[item].type == TW_LAYER ? tw_list_form(m, &m->items[item]) : TW_FORM_NONE;

	if (form != TW_FORM_NONE)
		tw_touch_layer(m, item, form == TW_FORM_QUADS ? TW_K_QUADS : TW_K_SOURCES, 0, t);
}

#define LIST(words)                                                                                \
	.label = (words), .stat = list_stat, .size = list_size, .write = list_write,               \
	.most = TEXT_MAX, .parse = list_parse

const struct tw_kind tw_kind_quads = {LIST("quads.json"), .touch = list_touch};
/* Both are touched by the one above. */
const struct tw_kind tw_kind_sources = {LIST("sources.json")};
