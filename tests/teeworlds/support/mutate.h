/* SPDX-License-Identifier: Zlib */
/*
 * For the laws: other content for a file, in canonical form; and the changes that a put may make,
 * stated independently of the code under test.
 */
#pragma once

#include "formats/teeworlds/lens/lens.h"

/* Returns NULL if the file has no other content to try. */
struct bytes *mutate(const struct tw_map *m, entry_id id, const struct bytes *whole);

/* If it returns false, `text` names the item or blob that must not change. */
bool locality_holds(
	const struct tw_map *before, const struct tw_map *after, entry_id id, char *text, size_t n);
