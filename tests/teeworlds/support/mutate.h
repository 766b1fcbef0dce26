/* SPDX-License-Identifier: Zlib */
/*
 * For the laws: another content for a file, in canonical form; and what a put may have changed,
 * said here once more, apart from the code under test.
 */
#pragma once

#include "formats/teeworlds/lens/lens.h"

/* NULL: this file has no other content to try. */
struct bytes *mutate(const struct tw_map *m, entry_id id, const struct bytes *whole);

/* false: text says which item or blob changed that may not. */
bool locality_holds(
	const struct tw_map *before, const struct tw_map *after, entry_id id, char *text, size_t n);
