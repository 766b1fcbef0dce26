/* SPDX-License-Identifier: Zlib */
#include "formats/source.h"

#include <string.h>

const char *format_option(const char *const *options, const char *key)
{
	const char *found = NULL;
	size_t n = strlen(key);

	for (; options && *options; options++) {
		if (strncmp(*options, key, n) != 0)
			continue;
		if ((*options)[n] == '=')
			found = *options + n + 1;
		else if ((*options)[n] == '\0')
			found = "";
	}
	return found;
}
