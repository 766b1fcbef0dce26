/* SPDX-License-Identifier: Zlib */
/* elements: the quads of a quads layer, and the sources of a sounds layer. */
#pragma once

#include "formats/teeworlds/item/layer.h"

/* Form of a layer's list: TW_FORM_QUADS, _SOURCES or _OLD_SOURCES. TW_FORM_NONE if the layer has no
 * list, or its data holds fewer elements than the item says. An empty list needs no data. */
enum tw_form tw_list_form(const struct tw_map *m, const struct tw_item *it);

/* Number of elements that fit into the data of a list, whatever its count. 0: no data or list. */
uint64_t tw_list_room(const struct tw_map *m, const struct tw_item *it);

enum { TW_ELEMENT_MAX = 38 /* integers of the largest element, a quad */ };

/* The layout of an element: 32-bit integers, some of which refer to envelopes. */
struct tw_list_shape {
	uint32_t ints; /* integers of an element */
	unsigned n_refs;
	uint8_t refs[2]; /* indices of the references in an element */
};

/* The layout of a form's elements; NULL if the form is not a list. */
const struct tw_list_shape *tw_list_shape(enum tw_form form);
