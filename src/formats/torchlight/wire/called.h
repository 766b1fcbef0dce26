/* SPDX-License-Identifier: Zlib */
/*
 * called: what a mount calls files and directories of an archive that it saved, where their own
 * names would come out otherwise: an archive has no small letters, and of several files with one
 * name the numbers (~2) are dealt anew when one of them goes.
 *
 *   called N NAME    entry N of the manifest, or directory N - entries of the tree (wire/tree.h)
 *
 * among lines of other kinds (lens/taught.h).
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

struct called {
	char *text;
	const char **names; /* by N; NULL: its own. NULL itself: all have their own */
};

#define CALLED "called "

static inline bool called_is(const char *line, size_t n)
{
	return n >= strlen(CALLED) && memcmp(line, CALLED, strlen(CALLED)) == 0;
}

/* A text that may hold anything, for n entries and directories; NULL: nothing. -EINVAL. */
int called_read(const struct bytes *text, uint32_t n, struct called *ret, struct error *e);
void called_finish(struct called *c);
void called_put(struct buffer *out, uint32_t n, const char *name);
