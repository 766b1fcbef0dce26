/* SPDX-License-Identifier: Zlib */
/* run: convert the named maps for another game; tools/common/whole.h reads and writes them. */
#pragma once

#include "tools/common/whole.h"
#include "tools/convert/convert.h"

struct convert_run {
	struct whole whole;
	struct convert how;          /* `to`: of `tools`; convert_run opens and closes its images */
	const struct toolset *tools; /* of the format that has the game (convert_find) */
	const char *mapres;          /* a directory of images, or NULL */
};

/* Convert the maps of run->whole. Returns the exit code. */
int convert_run(struct convert_run *run);
