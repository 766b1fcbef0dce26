/* SPDX-License-Identifier: Zlib */
/* run: tidy the named maps, as tools/common/whole.h reads and writes them. */
#pragma once

#include "tools/common/whole.h"
#include "tools/tidy/tidy.h"

struct tidy_run {
	struct whole whole;
	struct tidy how;    /* its images are opened by the run */
	const char *mapres; /* a directory of images, or NULL */
};

/* Tidy the maps of run->whole. Returns the exit code. */
int tidy_run(struct tidy_run *run);
