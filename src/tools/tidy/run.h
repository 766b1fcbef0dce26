/* SPDX-License-Identifier: Zlib */
/* run: tidy the named maps; tools/common/whole.h reads and writes them. */
#pragma once

#include "tools/common/whole.h"
#include "tools/tidy/tidy.h"

struct tidy_run {
	struct whole whole;
	struct tidy how;    /* options; tidy_run opens and closes its images */
	const char *mapres; /* their directory; NULL: those of games if how.embed, else none */
};

/* Tidy the maps of run->whole. Returns the exit code. */
int tidy_run(struct tidy_run *run);
