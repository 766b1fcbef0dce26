/* SPDX-License-Identifier: Zlib */
/* elements: the quads of a quads layer and the sources of a sounds layer, quads.json and
 * sources.json (layout rules 16, 18). */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/group.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/elements.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/model/fields.h"

enum { EMPTY_SIZE = 3 /* bytes of an empty array's file */ };
#define KEY_DAMAGED ((uint64_t)1 << 62) /* of what a blob remembers */

static bool is_damaged(const struct tw_list *l)
{
	uint64_t known;

	return l->count && memos_find(&l->blob->memos, KEY_DAMAGED, &known);
}

static int list_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	uint64_t size = EMPTY_SIZE;
	struct tw_list l;
	int r = tw_list_find(m, id, &l, e);

	if (r < 0)
		return r;
	tw_stat_file(ret, 0, true);
	ret->needed = tw_layer_is_shared(m, tw_id_b(id));
	ret->lasting = !ret->needed;
	ret->sized = !l.count || memos_find(&l.blob->memos, l.memo, &size);
	ret->size = ret->sized ? size : 0;
	ret->sized |= is_damaged(&l);
	return 0;
}

/* Elements from the one in whose text off stands. */
static int write_elements(struct jsonw *w, const struct tw_map *m, const struct tw_list *l,
	uint64_t off, struct error *e)
{
	int32_t v[TW_ELEMENT_MAX];
	struct tw_record rec = {.keys = l->keys, .v = v, .n = l->ints};
	struct tw_list_window window = {.l = l};
	struct tw_list_start from;
	int r = tw_list_seek(m, l, off, &from, e);

	if (r == 0 && from.element) {
		/* So that the writer knows of one before. */
		jsonw_object(w);
		jsonw_end(w);
		w->size = from.off;
	}
	for (uint32_t i = from.element; r == 0 && i < l->count && !jsonw_done(w); i++) {
		r = tw_list_element(&window, i, v, e);
		jsonw_object(w);
		if (r == 0)
			tw_record_write(w, m, &rec);
		jsonw_end(w);
	}
	return r;
}

static int list_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	struct tw_list l;
	int r = tw_list_find(m, id, &l, e);

	if (r < 0)
		return r;
	*ret = EMPTY_SIZE;
	if (!l.count || memos_find(&l.blob->memos, l.memo, ret))
		return 0;
	r = tw_list_length(m, &l, ret, e);
	if (r == -EIO)
		memos_set(&l.blob->memos, KEY_DAMAGED, 1);
	if (r == 0)
		memos_set(&l.blob->memos, l.memo, *ret);
	return r;
}

static int list_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct jsonw w;
	struct tw_list l;
	int r = tw_list_find(m, id, &l, e);

	if (r == 0 && is_damaged(&l))
		r = error_set(e, -EIO, "the data of the list is damaged");
	if (r < 0)
		return r;
	jsonw_to_range(&w, off, dst, n);
	jsonw_array(&w);
	r = l.count ? write_elements(&w, m, &l, off, e) : 0;
	if (r == 0 && !jsonw_done(&w))
		jsonw_end(&w);
	return r;
}

static int list_readable(const struct tw_map *m, entry_id id, struct error *e)
{
	struct tw_list l;
	int r = tw_list_find(m, id, &l, e);

	return r < 0 || !l.count ? r : blob_check(l.blob, e);
}

static void touch_list(
	const struct tw_map *m, uint32_t item, bool quads, enum tw_kind_id kind, struct touched *t)
{
	enum tw_form form =
		m->items[item].type == TW_LAYER ? tw_list_form(m, &m->items[item]) : TW_FORM_NONE;

	if (form != TW_FORM_NONE && (form == TW_FORM_QUADS) == quads)
		tw_touch_layer(m, item, kind, 0, t);
}

static void quads_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	touch_list(m, item, true, TW_K_QUADS, t);
}

static void sources_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	touch_list(m, item, false, TW_K_SOURCES, t);
}

const struct tw_kind tw_kind_quads = {
	.label = "quads.json",
	.stat = list_stat,
	.size = list_size,
	.get = list_get,
	.readable = list_readable,
	.most = TW_LIST_TEXT_MAX,
	.parse = tw_list_parse,
	.touch = quads_touch,
};

const struct tw_kind tw_kind_sources = {
	.label = "sources.json",
	.stat = list_stat,
	.size = list_size,
	.get = list_get,
	.readable = list_readable,
	.most = TW_LIST_TEXT_MAX,
	.parse = tw_list_parse,
	.touch = sources_touch,
};
