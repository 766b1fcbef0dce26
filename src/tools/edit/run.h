/* SPDX-License-Identifier: Zlib */
/* run: edit the named map; tools/common/whole.h reads and writes it. */
#pragma once

#include "tools/common/whole.h"
#include "tools/edit/edit.h"

struct edit_run {
	struct whole whole;     /* one map, and optionally OUT */
	struct edit how;        /* edit_run sets its callbacks and images in a copy */
	bool json;              /* report one JSON object on each line */
	struct offline *others; /* private: the other map of each operation */
};

/* Open the other maps of the operations, and edit the map. Returns the exit code. */
int edit_run(struct edit_run *run);
