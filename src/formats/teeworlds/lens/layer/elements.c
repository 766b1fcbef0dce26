/* SPDX-License-Identifier: Zlib */
/* elements: quads.json and sources.json, the quads or sound sources of a layer (layout rules 16,
 * 18). They are read and written element by element, since a list may be larger than memory. */
#include "formats/teeworlds/item/elements.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/lens/rows.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/model/store.h"

enum { TEXT_MAX = 512 << 20 /* bytes of a file */ };
enum { EMPTY_SIZE = 3 /* bytes of an empty array's file */ };

/* The whole image in fixed point, as the editor sets it for a new quad. */
static const int32_t whole_image[] = {0, 0, 1024, 0, 0, 1024, 1024, 1024};

static const struct tw_key quad_keys[] = {
	{"positions", .first = 0, .n = 10, .row_length = 2},
	{"corner_colors", .first = 10, .n = 16, .row_length = 4, .initial = 255},
	{"texture_coordinates", .first = 26, .n = 8, .row_length = 2,
		.initial_values = whole_image},
	{"position_envelope", .first = 34, .n = 1, .ref = TW_REF_POSITION_ENVELOPE, .initial = -1},
	{"position_envelope_offset", .first = 35, .n = 1},
	{"color_envelope", .first = 36, .n = 1, .ref = TW_REF_COLOR_ENVELOPE, .initial = -1},
	{"color_envelope_offset", .first = 37, .n = 1},
	{NULL},
};

static const struct tw_key source_keys[] = {
	{"position", .first = 0, .n = 2},
	{"looping", .first = 2, .n = 1, .initial = 1, .words = json_flags},
	{"panning", .first = 3, .n = 1, .initial = 1, .words = json_flags},
	{"delay", .first = 4, .n = 1},
	{"falloff", .first = 5, .n = 1, .initial = 80},
	{"position_envelope", .first = 6, .n = 1, .ref = TW_REF_POSITION_ENVELOPE, .initial = -1},
	{"position_envelope_offset", .first = 7, .n = 1},
	{"sound_envelope", .first = 8, .n = 1, .ref = TW_REF_SOUND_ENVELOPE, .initial = -1},
	{"sound_envelope_offset", .first = 9, .n = 1},
	{"shape", .first = 10, .n = 3},
	{NULL},
};

static const struct tw_key old_source_keys[] = {
	{"position", .first = 0, .n = 2},
	{"looping", .first = 2, .n = 1, .initial = 1, .words = json_flags},
	{"delay", .first = 3, .n = 1},
	{"radius", .first = 4, .n = 1, .initial = 1500},
	{"position_envelope", .first = 5, .n = 1, .ref = TW_REF_POSITION_ENVELOPE, .initial = -1},
	{"position_envelope_offset", .first = 6, .n = 1},
	{"sound_envelope", .first = 7, .n = 1, .ref = TW_REF_SOUND_ENVELOPE, .initial = -1},
	{"sound_envelope_offset", .first = 8, .n = 1},
	{NULL},
};

static const struct tw_key *const keys_of[TW_N_FORMS] = {
	[TW_FORM_QUADS] = quad_keys,
	[TW_FORM_SOURCES] = source_keys,
	[TW_FORM_OLD_SOURCES] = old_source_keys,
};

/* The list of a layer in the map. */
struct list {
	uint32_t item;
	enum tw_form form;
	struct tw_rows rows; /* rows.key is also the key of the remembered file size */
	struct blob *blob;   /* may be NULL if the list is empty */
	uint32_t first, n;   /* the range of elements in `data` */
	uint8_t data[16 << 10];
};

static int get_element(void *arg, uint32_t i, int32_t *v, struct error *e)
{
	struct list *l = arg;
	size_t size = 4 * (size_t)l->rows.n_ints;
	int r = 0;

	if (i < l->first || i - l->first >= l->n) {
		uint32_t most = (uint32_t)(sizeof(l->data) / size);

		l->first = i;
		l->n = l->rows.n - i < most ? l->rows.n - i : most;
		r = blob_read(l->blob, i * (uint64_t)size, l->data, l->n * size, e);
	}
	for (uint32_t k = 0; r == 0 && k < l->rows.n_ints; k++)
		v[k] = load_i32(l->data + (i - l->first) * size + 4 * (size_t)k);
	return r;
}

/* Find a layer's list. -ENOENT: there is no such layer. -EIO: it has no such list any more.
 * -ENODATA, -ENOTSUP as tw_layer_no_file. */
static int find_list(const struct tw_map *m, entry_id id, struct list *l, struct error *e)
{
	const struct tw_item *it;
	enum tw_form form;
	uint32_t count;

	if (tw_find_item(m, TW_LAYER, tw_id_b(id), &l->item) < 0)
		return error_set(e, -ENOENT, "no such layer");
	it = &m->items[l->item];
	form = tw_list_form(m, it);
	if (form == TW_FORM_NONE || (form == TW_FORM_QUADS) != (tw_id_kind(id) == TW_K_QUADS))
		return it->made_name ? tw_layer_no_file(it, e)
				     : error_set(e, -EIO, "the layer no longer has such a list");
	l->blob = tw_get_blob(m, it, TW_LIST_DATA);
	l->form = form;
	l->first = l->n = 0;
	count = (uint32_t)it->ints->v[TW_LIST_COUNT];
	/* The texts of references depend on the number of envelopes: names do not change, but a new
	 * envelope may give a number a meaning. */
	l->rows = (struct tw_rows){.m = m,
		.keys = keys_of[form],
		.n = count,
		.n_ints = tw_list_shape(form)->ints,
		.get = get_element,
		.arg = l,
		.blob = l->blob,
		.key = (uint64_t)count << 32 | (uint64_t)form << 28 |
		       (tw_count(m, TW_ENVELOPE) & 0xfffffff)};
	return 0;
}

static int list_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	uint64_t size = EMPTY_SIZE;
	struct list l;
	int r = find_list(m, id, &l, e);

	if (r < 0)
		return r;
	tw_stat_file(ret, 0, true);
	ret->is_restored = tw_layer_is_shared(m, tw_id_b(id));
	ret->is_cleared_by_mount = !ret->is_restored;
	ret->has_size = !l.rows.n || blob_recall(l.blob, l.rows.key, &size);
	ret->size = ret->has_size ? size : 0;
	ret->has_size |= l.rows.n && blob_is_damaged(l.blob);
	return 0;
}

/* Find a list that can be read, and check all of its data. */
static int find_readable_list(const struct tw_map *m, entry_id id, struct list *l, struct error *e)
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
	int r = find_readable_list(m, id, &l, e);

	return r < 0 ? r : tw_rows_write(w, &l.rows, off, e);
}

static int list_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	struct jsonw w;
	struct list l;
	int r = find_readable_list(m, id, &l, e);

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

/* A reference by a name that parse does not look up; apply does. */
struct unknown {
	uint32_t row;
	uint8_t integer; /* index of the integer in the row */
	enum tw_refers ref;
	char *name;
	char *place; /* "line 4, column 8: [2].color_envelope is "x"", for a refusal */
};

struct parsed_list {
	struct parsed parsed; /* first */
	enum tw_form form;
	uint32_t n;
	struct content *rows; /* in stored form; an unknown name has the old number */
	struct unknown *unknown;
	size_t n_unknown, room_unknown;
	struct blob *blob; /* the data of the base, if the content is unchanged */
	struct blob *tail; /* the old data, if bytes behind its rows are kept; or NULL */
};

static void finish_parsed(struct parsed *parsed)
{
	struct parsed_list *p = (struct parsed_list *)parsed;

	for (size_t i = 0; i < p->n_unknown; i++) {
		free(p->unknown[i].name);
		free(p->unknown[i].place);
	}
	free(p->unknown);
	content_unref(p->rows);
	blob_unref(p->blob);
	blob_unref(p->tail);
}

/* Reads a written list into a spool, and compares it with the old list. */
struct list_reader {
	struct list old; /* old.rows.n is 0 if the old rows are unreadable */
	const struct tw_map *m;
	struct parsed_list *p;
	bool differs;
	struct spool *out;
};

static char *describe_place(const struct json_at *at)
{
	struct error e = ERROR_INIT;
	char *text, *end;

	json_refuse(at, &e, "%s", "");
	text = strdup(error_text(&e));
	end = text ? strrchr(text, '(') : NULL;
	if (end && end > text)
		end[-1] = '\0';
	return text;
}

/* Append the unknown names of an element to p->unknown. */
static int note_unknown(struct list_reader *t, const struct json_at *at, struct error *e)
{
	struct parsed_list *p = t->p;

	for (const struct tw_key *key = t->old.rows.keys; key->name; key++) {
		bool unknown = false;
		const struct tw_naming names = {t->m, NULL, false, &unknown};
		int32_t value = key->initial;
		struct unknown *u;
		struct json_at of;
		const char *name;

		if (key->ref == TW_REF_NONE || !json_get(at, key->name, &of))
			continue;
		if (p->n < t->old.rows.n) {
			int32_t v[TW_ROW_MAX];
			int r = t->old.rows.get(t->old.rows.arg, p->n, v, e);

			if (r < 0)
				return r;
			value = v[key->first];
		}
		(void)tw_ref_read(&of, &names, key->ref, &value, NULL);
		if (!unknown || json_as_string(&of, &name, NULL, NULL) < 0)
			continue;
		if (!array_reserve(p->unknown, p->n_unknown, p->room_unknown))
			return error_set(e, -ENOMEM, "out of memory");
		u = &p->unknown[p->n_unknown++];
		*u = (struct unknown){
			p->n, key->first, key->ref, strdup(name), describe_place(&of)};
		if (!u->name || !u->place)
			return error_set(e, -ENOMEM, "out of memory");
	}
	return 0;
}

static int read_element(void *arg, const struct json_at *at, struct error *e)
{
	struct list_reader *t = arg;
	struct tw_rows *old = &t->old.rows;
	bool unknown = false;
	const struct tw_naming names = {t->m, NULL, false, &unknown};
	int32_t v[TW_ROW_MAX];
	uint8_t stored[4 * TW_ROW_MAX];
	int r;

	if (t->p->n == INT32_MAX / 4 / old->n_ints)
		return json_refuse(at, e, "a list has at most %u elements", t->p->n);
	r = tw_rows_read(at, old, t->p->n, &names, v, &t->differs, e);
	if (r == 0 && unknown)
		r = note_unknown(t, at, e);
	if (r < 0)
		return r;
	for (uint32_t k = 0; k < old->n_ints; k++)
		store_u32(stored + 4 * (size_t)k, (uint32_t)v[k]);
	t->p->n++;
	return spool_append(t->out, stored, 4 * (size_t)old->n_ints, e);
}

/* The recipe of a list: the parsed rows, with resolved names, then the bytes behind the old rows.
 */
struct composed {
	struct tw_recipe recipe; /* first */
	struct parsed_list *p;   /* owned reference */
	struct edit {
		uint64_t at; /* byte offset in the rows */
		int32_t value;
	} * edits; /* ascending */
	size_t n;
};

static int compose_list(struct tw_recipe *recipe, struct spool *out, struct error *e)
{
	const struct composed *c = (const struct composed *)recipe;
	const struct extent *rows = &c->p->rows->bytes;
	size_t size = 4 * (size_t)tw_list_shape(c->p->form)->ints, k = 0;
	uint8_t row[4 * TW_ROW_MAX];
	int r = 0;

	for (uint64_t at = 0; r == 0 && at < rows->size; at += size) {
		r = extent_read(rows, at, row, size, e);
		for (; r == 0 && k < c->n && c->edits[k].at < at + size; k++)
			store_u32(row + (c->edits[k].at - at), (uint32_t)c->edits[k].value);
		if (r == 0)
			r = spool_append(out, row, size, e);
	}
	if (r == 0 && c->p->tail)
		r = tw_append_part(c->p->tail, rows->size, c->p->tail->size, out, e);
	return r;
}

static void finish_list(struct tw_recipe *recipe)
{
	struct composed *c = (struct composed *)recipe;

	parsed_unref(&c->p->parsed);
	free(c->edits);
}

static uint64_t data_size(const struct parsed_list *p)
{
	return p->tail ? blob_size(p->tail) : p->rows->bytes.size;
}

/* Compose the data of a list. Takes over the array of n edits. */
static int compose_data(const struct tw_map *m, struct parsed_list *p, struct edit *edits, size_t n,
	struct blob **ret, struct error *e)
{
	struct composed *c = calloc(1, sizeof(*c));

	*ret = NULL;
	if (c) {
		c->recipe = (struct tw_recipe){.compose = compose_list, .finish = finish_list};
		parsed_ref(&p->parsed);
		c->p = p;
		c->edits = edits;
		c->n = n;
		*ret = tw_compose(m, &c->recipe, data_size(p));
	} else {
		free(edits);
	}
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

/* Was the blob composed of the same rows and edits? */
static bool is_same_recipe(
	const struct blob *b, const struct parsed_list *p, const struct edit *edits)
{
	const struct composed *c = b && b->recipe ? (const struct composed *)b->recipe : NULL;

	return c && c->recipe.compose == compose_list && c->p == p &&
	       memcmp(c->edits, edits, c->n * sizeof(*edits)) == 0;
}

/* Keep the rows in the store. Keep bytes behind the old rows if the count is unchanged. The data of
 * an empty list is one row of zeros, as the editor writes it. */
static int keep_list(struct list_reader *t, uint32_t count, struct error *e)
{
	const struct list *l = &t->old;
	struct parsed_list *p = t->p;
	struct store *store = t->m->shared->store;
	CLEANUP_EXTENT struct extent content = EXTENT_INIT, kept = EXTENT_INIT;
	static const uint8_t zeros[4 * TW_ROW_MAX];
	int r = p->n ? 0 : spool_append(t->out, zeros, 4 * (size_t)l->rows.n_ints, e);

	if (r == 0)
		r = spool_extent(t->out, &content, e);
	if (r == 0 && content.size > INT32_MAX)
		r = error_set(e, -EINVAL, "the list has %llu bytes (at most %d)",
			(unsigned long long)content.size, INT32_MAX);
	if (r == 0)
		r = store->keep(store, &content, &kept, e);
	if (r < 0)
		return r;
	p->rows = content_new(&kept);
	if (!p->rows)
		return error_set(e, -ENOMEM, "out of memory");
	if (p->n && p->n == count && l->rows.n && blob_size(l->blob) > content.size)
		p->tail = blob_ref(l->blob);
	return 0;
}

static int read_list(struct list_reader *t, struct content *in, struct error *e)
{
	CLEANUP_JSON struct json_doc rest = {0};
	uint32_t count = t->old.rows.n;
	int r;

	/* An unreadable list may be replaced. */
	if (count && blob_check(t->old.blob, NULL) < 0)
		t->old.rows.n = 0;
	r = json_list_read(&in->bytes, TEXT_MAX, NULL, read_element, t, &rest, e);
	if (r < 0)
		return r;
	t->p->parsed.is_unchanged =
		!t->differs && !t->p->n_unknown && t->p->n == t->old.rows.n && t->p->n == count;
	if (!t->p->parsed.is_unchanged)
		return keep_list(t, count, e);
	t->p->blob = blob_ref(t->old.blob);
	return 0;
}

/* Parse the file in the form of t->old, which has no elements if the layer is new. */
static int parse_as(struct list_reader *t, struct content *in, struct parsed **ret, struct error *e)
{
	CLEANUP(spool_destroy) struct spool *out = spool_create(t->m->shared->store->spool_dirfd);

	t->out = out;
	t->p = out ? parsed_new(sizeof(*t->p), in, finish_parsed) : NULL;
	if (!t->p)
		return error_set(e, -ENOMEM, "out of memory");
	t->p->form = t->old.form;
	return parsed_finish(&t->p->parsed, read_list(t, in, e), ret);
}

static int parse_new(const struct tw_map *m, enum tw_form form, struct content *in,
	struct parsed **ret, struct error *e)
{
	struct list_reader t = {.m = m};

	t.old.form = form;
	t.old.rows = (struct tw_rows){
		.m = m, .keys = keys_of[form], .n_ints = tw_list_shape(form)->ints};
	return parse_as(&t, in, ret, e);
}

static int list_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	struct list_reader t = {.m = m};
	int r = find_list(m, id, &t.old, e);

	if (r == 0)
		return parse_as(&t, in, ret, e);
	if (r != -ENODATA)
		return tw_layer_parse_error(r, e);
	/* The form of a new layer's sources is unknown, because parse does not see layer.json. */
	error_clear(e);
	if (tw_id_kind(id) == TW_K_QUADS)
		return parse_new(m, TW_FORM_QUADS, in, ret, e);
	r = parse_new(m, TW_FORM_SOURCES, in, ret, e);
	if (r != -EINVAL || parse_new(m, TW_FORM_OLD_SOURCES, in, ret, NULL) < 0)
		return r;
	error_clear(e);
	return 0;
}

/* Look up the unknown names, and make an edit for each. */
static int resolve_names(const struct parsed_list *p, const struct tw_naming *names,
	struct edit *edits, struct error *e)
{
	uint64_t ints = tw_list_shape(p->form)->ints;

	for (size_t i = 0; i < p->n_unknown; i++) {
		const struct unknown *u = &p->unknown[i];
		int r = tw_ref_resolve(names, u->ref, u->name, &edits[i].value, e);

		if (r < 0) {
			struct error why = e ? *e : (struct error)ERROR_INIT;

			return error_set_unresolved(
				e, error_set(e, r, "%s (%s)", u->place, error_text(&why)));
		}
		edits[i].at = 4 * (u->row * ints + u->integer);
	}
	return 0;
}

static int make_data(struct tw_change *c, uint32_t item, struct parsed_list *p, struct blob **ret,
	struct error *e)
{
	const struct tw_naming names = {c->base, c->others, c->base->items[item].made_name, NULL};
	struct blob *like = tw_change_previous_blob(c, item, TW_LIST_DATA);
	struct edit *edits = calloc(p->n_unknown + 1, sizeof(*edits));
	int r = edits ? resolve_names(p, &names, edits, e) : error_set(e, -ENOMEM, "out of memory");

	if (r < 0 || is_same_recipe(like, p, edits)) {
		free(edits);
		if (r == 0)
			*ret = blob_ref(like);
		return r;
	}
	return compose_data(c->base, p, edits, p->n_unknown, ret, e);
}

static int list_apply(
	struct tw_change *c, entry_id id, const struct parsed *parsed, struct error *e);

/* Parse again, because the layer turned out to have another form of sources. */
static int apply_other(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	CLEANUP(parsed_unref) struct parsed *again = NULL;
	int r = list_parse(c->base, id, p->content, &again, e);

	return r < 0 ? r : list_apply(c, id, again, e);
}

static int list_apply(
	struct tw_change *c, entry_id id, const struct parsed *parsed, struct error *e)
{
	struct parsed_list *p = (struct parsed_list *)(uintptr_t)parsed;
	struct blob *blob = NULL;
	struct list l;
	int r = tw_layer_parse_error(find_list(c->base, id, &l, e), e);

	/* The content is an unchanged empty list without data. */
	if (r == 0 && p && parsed->is_unchanged && !p->blob)
		return 0;
	if (r == 0 && p && p->form != l.form)
		return apply_other(c, id, parsed, e);
	if (r == 0 && p && p->blob)
		blob = blob_ref(p->blob);
	else if (r == 0 && p)
		r = make_data(c, l.item, p, &blob, e);
	else if (r == 0 && l.rows.n)
		r = tw_compose_zeros(c->base, 4 * (size_t)l.rows.n_ints, &blob, e);
	if (r < 0 || !blob)
		return r;
	tw_change_set_int(c, l.item, TW_LIST_COUNT, p ? (int32_t)p->n : 0);
	tw_change_set_data(c, l.item, TW_LIST_DATA, blob);
	return 0;
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
	.max_size = TEXT_MAX, .parse = list_parse, .apply = list_apply

const struct tw_kind tw_kind_quads = {LIST("quads.json"), .touch = list_touch};
/* list_touch of tw_kind_quads serves both kinds. */
const struct tw_kind tw_kind_sources = {LIST("sources.json")};
