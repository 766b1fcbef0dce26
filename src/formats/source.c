/* SPDX-License-Identifier: Zlib */
#include "formats/source.h"

#include <string.h>

bool store_retain(struct store *s, const struct extent *data, struct extent *ret)
{
	return s->retain && s->retain(s, data, ret, NULL) == 0;
}

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
