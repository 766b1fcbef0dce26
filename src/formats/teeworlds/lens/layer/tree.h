/* SPDX-License-Identifier: Zlib */
/* tree: the directories and files of groups and layers. An entry below groups/ has two indices
 * (names/id.h): `a` is the group's position, `b` the layer's position among all layers. A layer in
 * two groups is shown in both. */
#pragma once

#include "formats/teeworlds/lens/lens.h"

/* Add one file of a layer to the touched entries, for each group that has the layer. c is the
 * plane's number for a table, else 0. */
void tw_touch_layer(
	const struct tw_map *m, uint32_t item, enum tw_kind_id kind, unsigned c, struct touched *t);

/* Write the name of a layer's file or of group.json to dst. */
void tw_layer_file(entry_id id, char dst[NAME_MAX + 1]);

/* The new object (made since the mount) of a directory: a group for its directory and layers/, or a
 * layer. NULL if the object is not new. The overlay knows the names of its files and layers. */
const struct tw_item *tw_made_object(const struct tw_map *m, entry_id dir);

/* Report that a new layer does not have a file: -ENODATA if the layer has no layer.json yet,
 * -ENOTSUP if it is of a kind without such a file. */
int tw_layer_no_file(const struct tw_item *it, struct error *e);
/* Convert these errors for parse and apply: -ENODATA to -EAGAIN (wait for layer.json), -ENOTSUP to
 * -EINVAL (refuse). -EINVAL is marked as unresolved; other codes are returned unchanged. */
int tw_layer_parse_error(int r, struct error *e);
