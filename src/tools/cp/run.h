/* SPDX-License-Identifier: Zlib */
/* run: copy parts of a map into another one; tools/common/whole.h reads and writes that. */
#pragma once

#include "tools/common/whole.h"
#include "tools/cp/cp.h"

struct cp_run {
	struct whole whole; /* names: the map to change, and optionally OUT */
	struct cp how;      /* cp_run sets parts and target */
	const char *from;   /* the source map */
	char **paths;       /* paths and patterns in it; borrowed */
	int n_paths;
	const char *target; /* directory in the map to change, or NULL */
	bool json;          /* report with JSON lines */

	struct offline source; /* private to cp_run */
};

/* Copy the parts. Returns the exit code. */
int cp_run(struct cp_run *run);
