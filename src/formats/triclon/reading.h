/* SPDX-License-Identifier: Zlib */
/* reading: find the variant (map.h) in which a file was written. A file does not name it, and the
 * format's page contradicts itself (docs/triclon.md), so readings are tried in a fixed order. */
#pragma once

#include "formats/triclon/map.h"

/* The readings to try: those that -o allows, or the one of the mount that wrote the map. */
struct tcm_demand {
	int answers[TCM_QUESTIONS]; /* by enum tcm_question (map.h); -1: any */
	bool is_forced;             /* an answer is not -1 */
	bool is_exact;              /* the two members below are demanded as well */
	bool real;                  /* coordinates are floats */
	uint64_t n_points;          /* ignored if the file has a size before the points */
};

/* Find the first plausible reading that ends at the end of the file, in integers or else in floats;
 * else the first that ends there. The caller sets c->variant.tag and c->lists[TCM_INFO]. On success
 * c gets the variant and the other lists, which point into `file`; on failure it is unchanged.
 * -EINVAL: none ends there; or nothing is forced, and only a reading of a cut file is plausible. */
int tcm_reading_find(const struct bytes *file, const struct tcm_demand *demand,
	struct tcm_content *c, struct error *e);
