/* SPDX-License-Identifier: Zlib */
#include "tools/common/path_pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool path_matches(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);
	CLEANUP(free) char *trimmed = NULL;

	while (n && pattern[n - 1] == '/')
		n--;
	trimmed = strndup(pattern, n);
	return trimmed && (strcmp(trimmed, path) == 0 ||
				  fnmatch(trimmed, path, FNM_PATHNAME | FNM_PERIOD) == 0);
}

bool path_matches_any(const char *const *patterns, const char *path)
{
	while (*patterns && !path_matches(*patterns, path))
		patterns++;
	return *patterns;
}
