/* SPDX-License-Identifier: Zlib */
/*
 * fix: repair the faults of a map that can be repaired without guessing. A format that can do so
 * has a struct fix_tool. A fault is fixable if and only if its repair succeeds, so check marks
 * faults by repairs that it drops.
 */
#pragma once

#include "formats/format.h"

struct fix {
	bool settings; /* also repair misspelt settings */
};

/* Receives a fault. repair: what was done ("its version is 3 now"), or, for a fault without a path,
 * what was repaired ("the tables of the file"). NULL: the fault was not repaired. */
typedef void (*fix_say)(void *arg, const struct format_fault *f, const char *repair);

struct fix_tool {
	/*
	 * Find all faults of a map, as format_edit.check does without an older version, and repair
	 * those that can be. A repair may reveal other faults. So call this again with *ret, until
	 * *ret is NULL: then no fault was repaired, or the call failed. Each call reports all
	 * faults, and some twice: as not repaired, then as repaired. ret NULL: the map is only
	 * checked, and `repair` is what would be done. Returns 0 also if a game refuses the map.
	 * -ENOMEM. Any thread.
	 */
	int (*fix)(const struct snapshot *s, const struct fix *how, fix_say say, void *arg,
		struct snapshot **ret, struct error *e);
};
