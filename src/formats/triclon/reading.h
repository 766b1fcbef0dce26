/* SPDX-License-Identifier: Zlib */
/* reading: find the variant in which a file was written. A file does not name it, and the format's
 * page contradicts itself (docs/triclon.md), so the readings are tried in a fixed order. */
#pragma once

#include "formats/triclon/map.h"

/* The readings to try: those that -o allows, or the one of the mount that wrote the map. */
struct tcm_demand {
	int answers[TCM_QUESTIONS]; /* -1: any */
	bool is_forced;             /* an answer is not -1 */
	bool is_exact;              /* the two members below are demanded as well */
	bool real;                  /* coordinates are floats */
	uint64_t n_points;          /* counts only where the file does not store it */
};

/* Find the first plausible reading that ends at the end of the file, in integers or else in floats;
 * else the first that ends there. `c` has the tag and the names, and receives variant and lists.
 * -EINVAL: none ends there; or nothing is forced, and only a reading of a cut file is plausible. */
int tcm_reading_find(const struct bytes *file, const struct tcm_demand *demand,
	struct tcm_content *c, struct error *e);
