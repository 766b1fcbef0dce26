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

uint64_t tw_list_room(const struct tw_map *m, const struct tw_item *it)
{
	const struct tw_list_shape *shape =
		tw_list_shape(form_of_type(tw_get_int(it, TW_LAYER_TYPE, -1)));
	const struct blob *b = shape ? tw_get_blob(m, it, TW_LIST_DATA) : NULL;

	return b ? b->size / (4 * shape->ints) : 0;
}

enum tw_form tw_list_form(const struct tw_map *m, const struct tw_item *it)
{
	enum tw_form form = form_of_type(tw_get_int(it, TW_LAYER_TYPE, -1));
	int32_t count = tw_get_int(it, TW_LIST_COUNT, -1);
	bool fits =
		it->ints->n >= TW_LIST_MIN && count >= 0 && (uint32_t)count <= tw_list_room(m, it);

	return fits ? form : TW_FORM_NONE;
}
