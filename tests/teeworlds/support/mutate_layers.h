/* SPDX-License-Identifier: Zlib */
/* mutate.h for files below groups/ and envelopes/. */
#pragma once

#include "formats/teeworlds/lens/lens.h"

struct bytes *mutate_layers(const struct tw_map *m, entry_id id, const struct bytes *whole);
bool layers_may_change_item(
	const struct tw_map *before, const struct tw_map *after, entry_id id, uint32_t i);
bool layers_may_change_blob(const struct tw_map *m, entry_id id, uint32_t i);
