/* SPDX-License-Identifier: Zlib */
/* pack: how a directory of files on disk becomes a map of a format (cli/commands/pack.c). */
#pragma once

#include <stdbool.h>

struct pack_rules {
	/* Patterns of names, in any case of letters, of files that the format's own tool does not
	 * pack, NULL-ended. */
	const char *const *left_out;
	/* A backslash in a name separates directories: so names were written by old zip programs,
	 * and the format has no such name. */
	bool backslashes;
};
