/* SPDX-License-Identifier: Zlib */
/*
 * version: items of one version as items of another (libtw2 doc/map.md). Integers that a version
 * brought are zero, names empty, where the item has none; integers past a version's stay.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

/* A new item with that version, or NULL: no memory. v is borrowed. */
struct tw_ints *tw_group_to(const struct tw_ints *v, int32_t version);
struct tw_ints *tw_envelope_to(const struct tw_ints *v, int32_t version);
/* A layer that has its version's integer at least. Tiles are not looked at: from version 4 on
 * `data` is packed, which is the caller's to see to. */
struct tw_ints *tw_layer_to(const struct tw_ints *v, int32_t version);

/* An empty name in n integers. */
void tw_name_clear(int32_t *v, unsigned n);
