/* SPDX-License-Identifier: Zlib */
/* elements_list: which list a layer has, and its elements as integers. */
#include <errno.h>

#include "base/cursor.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/elements.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/model/fields.h"

static const struct tw_key quad_keys[] = {
	{"positions", .at = 0, .n = 10, .row = 2},
	{"corner_colors", .at = 10, .n = 16, .row = 4, .initial = 255},
	{"texture_coordinates", .at = 26, .n = 8, .row = 2},
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

int tw_list_find(const struct tw_map *m, entry_id id, struct tw_list *ret, struct error *e)
{
	const struct tw_item *it;
	struct tw_list l = {0};
	enum tw_form form;

	if (tw_at(m, TW_LAYER, tw_id_b(id), &l.item) < 0)
		return error_set(e, -ENOENT, "no such layer");
	it = &m->items[l.item];
	form = tw_list_form(m, it);
	if (form == TW_FORM_NONE || (form == TW_FORM_QUADS) != (tw_id_kind(id) == TW_K_QUADS))
		return it->made ? tw_layer_lacks(it, e)
				: error_set(e, -EIO, "the layer no longer has such a list");
	l.keys = keys_of[form];
	l.ints = tw_list_shape(form)->ints;
	l.blob = tw_blob_of(m, it, TW_LIST_DATA);
	l.count = (uint32_t)it->ints->v[TW_LIST_COUNT];
	/* References are shown by names that hold still, but there may come to be more. */
	l.memo = (uint64_t)l.count << 32 | (uint64_t)form << 28 |
		 (tw_count(m, TW_ENVELOPE) & 0xfffffff);
	*ret = l;
	return 0;
}

static void take_ints(const uint8_t *p, uint32_t n, int32_t *v)
{
	for (uint32_t k = 0; k < n; k++)
		v[k] = load_i32(p + 4 * (size_t)k);
}

int tw_list_element(struct tw_list_window *w, uint32_t i, int32_t *v, struct error *e)
{
	const struct tw_list *l = w->l;
	size_t size = 4 * (size_t)l->ints;
	int r = 0;

	if (i < w->first || i - w->first >= w->n) {
		uint32_t most = (uint32_t)(sizeof(w->data) / size);

		w->first = i;
		w->n = l->count - i < most ? l->count - i : most;
		r = blob_read(l->blob, i * (uint64_t)size, w->data, w->n * size, e);
	}
	if (r == 0)
		take_ints(w->data + (i - w->first) * size, l->ints, v);
	return r;
}
