/* SPDX-License-Identifier: Zlib */
#include "tools/convert/convert.h"

#include <errno.h>
#include <string.h>

int convert_find(const char *name, const struct toolset **ret, size_t *ret_game, struct error *e)
{
	for (size_t i = 0; toolsets[i]; i++) {
		const struct convert_tool *f = toolsets[i]->convert;

		for (size_t k = 0; f && f->games[k].name; k++) {
			if (strcmp(f->games[k].name, name) != 0)
				continue;
			*ret = toolsets[i];
			*ret_game = k;
			return 0;
		}
	}
	return error_set(e, -ENOENT, "unknown game %.40s (0.6, 0.7 or ddnet)", name);
}
