/* SPDX-License-Identifier: Zlib */
/* run: tidy the named maps; tools/common/whole.h reads and writes them. */
#pragma once

#include "tools/common/whole.h"
#include "tools/tidy/tidy.h"

struct tidy_run {
	struct whole whole;
	struct tidy how;    /* tidy_run opens and closes its images */
	const char *mapres; /* a directory of images, or NULL */
};

/* Tidy the maps of run->whole. Returns the exit code. */
int tidy_run(struct tidy_run *run);
