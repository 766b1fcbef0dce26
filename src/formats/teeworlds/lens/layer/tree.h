/* SPDX-License-Identifier: Zlib */
/*
 * tree: where in the mount a layer stands. Entries below groups/ have for `a` the group's
 * position, for `b` the layer's among all layers: a layer in two groups is shown in both.
 */
#pragma once

#include "formats/teeworlds/lens/lens.h"

/* Names the entry of that kind (and c) of the layer that the item is, in every group that has it.
 */
void tw_touch_layer(
	const struct tw_map *m, uint32_t item, enum tw_kind_id kind, unsigned c, struct touched *t);

/* What a file of a layer, or group.json, is called. */
void tw_layer_file(entry_id id, char dst[NAME_MAX + 1]);

/* The object made since the mount that the directory is, or is of; NULL. The names of its files and
 * layers are not the format's to know. */
const struct tw_item *tw_made_object(const struct tw_map *m, entry_id dir);

/*
 * A made layer has no such file: not yet (-ENODATA), for its layer.json is not there, or not at all
 * (-ENOTSUP). What that means for who puts it: wait for layer.json (-EAGAIN), or a refusal
 * (-EINVAL). Other codes pass.
 */
int tw_layer_no_file(const struct tw_item *it, struct error *e);
int tw_layer_parse_error(int r, struct error *e);
