/* SPDX-License-Identifier: Zlib */
/*
 * layer_tree: where in the mount a layer stands. Entries below groups/ have for `a` the group's
 * position, for `b` the layer's among all layers: a layer in two groups is shown in both.
 */
#ifndef FORMATS_TEEWORLDS_LAYER_TREE_H
#define FORMATS_TEEWORLDS_LAYER_TREE_H

#include "formats/teeworlds/lens.h"

/* Names the entry of that kind (and c) of the layer that the item is, in every group that has it.
 */
void tw_touch_layer(
	const struct tw_map *m, uint32_t item, enum tw_kind_id kind, unsigned c, struct touched *t);

#endif
