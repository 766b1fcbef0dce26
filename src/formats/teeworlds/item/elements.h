/* SPDX-License-Identifier: Zlib */
/*
 * elements: how the quads of a quads layer and the sources of a sounds layer are stored.
 */
#pragma once

#include "formats/teeworlds/item/layer.h"

/* TW_FORM_QUADS and so on; TW_FORM_NONE where the item has no such list, or its blob is too small.
 */
enum tw_form tw_list_form(const struct tw_map *m, const struct tw_item *it);

/* How many elements the data of such a layer holds, whatever its count says. */
uint64_t tw_list_room(const struct tw_map *m, const struct tw_item *it);

/* How the elements of a list are laid out: 32-bit integers, some of which are envelopes. */
enum { TW_ELEMENT_MAX = 38 /* integers */ };

struct tw_list_shape {
	uint32_t ints;
	unsigned n_refs;
	uint8_t refs[2]; /* which of them */
};

/* NULL for a form that is no list. */
const struct tw_list_shape *tw_list_shape(enum tw_form form);
