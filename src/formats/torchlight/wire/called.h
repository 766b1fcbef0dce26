/* SPDX-License-Identifier: Zlib */
/*
 * called: the names by which a mount shows files and directories of an archive that it saved, if a
 * new mount would choose others. An archive has no lower-case names, and if one of several files
 * with the same name is removed, the numbers of the others (~2) change.
 *
 *   called N NAME    entry N of the manifest, or directory N - entries of the tree (wire/tree.h)
 *
 * These are lines of the name table, which also has lines of other kinds (lens/taught.h).
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

struct shown_names {
	char *text;
	const char **names; /* by N; NULL: the default; may be NULL itself */
};

#define CALLED "called "

/* Is it a line of this kind? */
static inline bool called_is(const char *line, size_t n)
{
	return n >= strlen(CALLED) && memcmp(line, CALLED, strlen(CALLED)) == 0;
}

/* Read the lines "called N NAME" of a text (NULL: none). Other lines are skipped. -EINVAL: N is not
 * below n, or NAME is not a valid name. If the function fails, *ret is empty. */
int called_read(const struct bytes *text, uint32_t n, struct shown_names *ret, struct error *e);
void called_finish(struct shown_names *c);
void called_put(struct buffer *out, uint32_t n, const char *name);
