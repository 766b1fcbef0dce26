/* SPDX-License-Identifier: Zlib */
/* left: theirs, of what both sides changed, beside the merged map: in NAME.mapfs-left, or .1, .2
 * ... of it, at the paths that the files have in the merged map. */
#pragma once

#include "tools/merge/merged.h"

struct left_over {
	int dirfd;               /* borrowed: where it is to be */
	const char *name;        /* of the map */
	char made[NAME_MAX + 1]; /* what the directory is called; "" there is none */
	int fd;                  /* ... it; -1 */
	struct names written;    /* paths in it */
};

/* Writes all of them, on disk when it returns. On failure nothing stays. */
int left_over_write(struct left_over *l, struct merge *m, struct error *e);
/* The same of all of theirs: the map's file or files, under the name of the map. */
int left_over_map(
	struct left_over *l, const struct source *theirs, const struct format *f, struct error *e);
/* They go again. */
void left_over_drop(struct left_over *l);
void left_over_finish(struct left_over *l);
