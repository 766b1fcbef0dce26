/* SPDX-License-Identifier: Zlib */
/*
 * automapper: how a tile layer was, or is to be, filled by the editor: an item beside the layer.
 */
#pragma once

#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/change.h"

/* The value of the key "automapper" for a layer of a group, both by position. */
void tw_automapper_write(struct jsonw *w, const struct tw_map *m, uint32_t group, uint32_t layer);
/* null removes all items for the layer, an object where there was none makes one. c NULL: nothing
 * is changed, but *ret_differs (never cleared) says whether it would be. */
int tw_automapper_parse(const struct json_at *at, const struct tw_map *m, uint32_t group,
	uint32_t layer, struct tw_change *c, bool *ret_differs, struct error *e);
/* The layer whose item this is; false where it is no auto-mapper item. They may not exist. */
bool tw_automapper_layer(
	const struct tw_map *m, uint32_t item, uint32_t *ret_group, uint32_t *ret_layer);
