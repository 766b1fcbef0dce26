/* SPDX-License-Identifier: Zlib */
/* pack: how cli/commands/pack.c makes a map of a format out of a directory on disk. */
#pragma once

#include <stdbool.h>

struct pack_rules {
	/* Shell patterns of files that the format's own tool does not pack, NULL-ended; or NULL.
	 * They match the last part of a path, without regard to case. */
	const char *const *excluded_names;
	/* A backslash in a name separates directories. Old zip programs write such names, and the
	 * format itself has no name with a backslash. */
	bool has_backslashes;
};
