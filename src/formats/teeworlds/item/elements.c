/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/elements.h"

#include "formats/teeworlds/model/fields.h"

const struct tw_list_shape *tw_list_shape(enum tw_form form)
{
	static const struct tw_list_shape shapes[TW_N_FORMS] = {
		[TW_FORM_QUADS] = {TW_ELEMENT_MAX, 2, {34, 36}},
		[TW_FORM_SOURCES] = {13, 2, {6, 8}},
		[TW_FORM_OLD_SOURCES] = {9, 2, {5, 7}},
	};

	return shapes[form].ints ? &shapes[form] : NULL;
}

static enum tw_form form_of_type(int32_t type)
{
	return type == TW_LAYER_QUADS        ? TW_FORM_QUADS
	       : type == TW_LAYER_SOUNDS     ? TW_FORM_SOURCES
	       : type == TW_LAYER_OLD_SOUNDS ? TW_FORM_OLD_SOURCES
					     : TW_FORM_NONE;
}

enum tw_form tw_list_form(const struct tw_map *m, const struct tw_item *it)
{
	enum tw_form form = form_of_type(tw_int(it, TW_LAYER_TYPE, -1));
	const struct tw_list_shape *shape = tw_list_shape(form);
	const struct blob *b;
	int32_t count;

	if (!shape || it->ints->n < TW_LIST_MIN)
		return TW_FORM_NONE;
	count = it->ints->v[TW_LIST_COUNT];
	b = tw_blob_of(m, it, TW_LIST_DATA);
	if (count < 0 || (count > 0 && (!b || b->size / (4 * shape->ints) < (uint32_t)count)))
		return TW_FORM_NONE;
	return form;
}
