/* SPDX-License-Identifier: Zlib */
/* tree: the directories and files of groups and layers. An entry below groups/ has two indices
 * (names/id.h): `a` is the group's position, `b` the layer's position among all layers. A layer in
 * two groups is shown in both. */
#pragma once

#include "formats/teeworlds/lens/lens.h"

/* Add one file of a layer to t (touched_add): in each group that had the layer at the mount, or in
 * the group of a new layer. item: the layer's handle; c: the enum tw_plane of a table, else 0. */
void tw_touch_layer(
	const struct tw_map *m, uint32_t item, enum tw_kind_id kind, unsigned c, struct touched *t);

/* Write the name of a layer's file or of group.json to dst. */
void tw_layer_file(entry_id id, char dst[NAME_MAX + 1]);

/* The object of a directory, if it was made since the mount: a group for its directory and layers/,
 * or a layer. Else NULL. Only the overlay knows which files and layers a new object has. */
const struct tw_item *tw_made_object(const struct tw_map *m, entry_id dir);

/* Set e to the reason why a new layer does not have a file, and return it: -ENODATA if the layer
 * has no layer.json yet, -ENOTSUP if it is of a kind without such a file. */
int tw_layer_no_file(const struct tw_item *it, struct error *e);
/* Convert the result r of a function that may return these errors, for parse and apply: -ENODATA to
 * -EAGAIN (wait for layer.json), -ENOTSUP to -EINVAL (refuse). Any other r is returned unchanged.
 * A result of -EINVAL is always marked as unresolved in e, even if r was -EINVAL already. */
int tw_layer_parse_error(int r, struct error *e);
