/* SPDX-License-Identifier: Zlib */
/* run: edit the named map. Call edit_parse for `how`, edit_run once, then edit_finish (edit.h). */
#pragma once

#include "tools/common/whole.h"
#include "tools/edit/edit.h"

struct edit_run {
	struct whole whole;     /* one map, and optionally OUT (tools/common/whole.h) */
	struct edit how;        /* edit_run sets its images, callbacks and other maps */
	bool json;              /* report one JSON object on each line */
	struct offline *others; /* private to edit_run: the other map of each operation */
};

/* Open the other maps of the operations, edit the map, and write it, all or nothing. Prints the
 * report and errors. Returns the exit code (vfs/volume/outcome.h). */
int edit_run(struct edit_run *run);
