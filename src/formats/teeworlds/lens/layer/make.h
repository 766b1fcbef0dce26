/* SPDX-License-Identifier: Zlib */
/*
 * make: a new layer gets its item and its data, before any table of it is put.
 */
#pragma once

#include "codec/text/json.h"
#include "formats/teeworlds/model/change.h"

/* The item that a new layer.json begins with: of its type, version, kind and size, the rest as in
 * item/initial.h. -EINVAL: the layer cannot be of that sort. */
int tw_layer_make(
	const struct json_at *root, const struct tw_map *m, struct tw_ints **ret, struct error *e);

/* Gives the item (made of ints, taken) data of zeros: tiles, or an empty list. */
int tw_layer_make_data(const struct tw_map *m, uint32_t item, struct tw_ints *ints,
	struct tw_change *c, struct error *e);
