/* SPDX-License-Identifier: Zlib */
/* path_pattern: paths that users name, exactly or by a shell pattern. */
#pragma once

#include <stdbool.h>

/* Is it the path, or a pattern that matches it? Wildcards match neither a slash nor a dot at the
 * start of a name. Slashes at the end of the pattern, which shells and people add to names of
 * directories, are ignored. */
bool path_matches(const char *pattern, const char *path);
/* Does an element of the NULL-ended list match the path? */
bool path_matches_any(const char *const *patterns, const char *path);
