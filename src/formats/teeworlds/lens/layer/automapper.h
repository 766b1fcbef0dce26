/* SPDX-License-Identifier: Zlib */
/* automapper: the auto-mapper settings of a tile layer, which the map stores in an item of its own.
 * The item names its layer by the group's position and the layer's position in the group. */
#pragma once

#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/change.h"

/* Write the value of the key "automapper" for a layer, null if it has none. group and layer are
 * positions, `layer` among all layers. */
void tw_automapper_write(struct jsonw *w, const struct tw_map *m, uint32_t group, uint32_t layer);
/* Parse the value of the key "automapper" of a layer (positions as above), and apply it through c,
 * whose base is m. null removes all items of the layer; an object adds one if the layer has none.
 * If c is NULL, only check the value. *ret_differs is set to true if the value differs from that of
 * m, and never cleared. -EINVAL. */
int tw_automapper_parse(const struct json_at *at, const struct tw_map *m, uint32_t group,
	uint32_t layer, struct tw_change *c, bool *ret_differs, struct error *e);
/* Find positions of the group and, among all layers, the layer that an auto-mapper item (a handle)
 * names; it may not exist. False for other items, short ones, and positions of no group or id. */
bool tw_automapper_layer(
	const struct tw_map *m, uint32_t item, uint32_t *ret_group, uint32_t *ret_layer);
