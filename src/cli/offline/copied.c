/* SPDX-License-Identifier: Zlib */
#include "cli/offline/copied.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *copied_from(const struct copied *c, uint64_t number)
{
	return number < c->n ? c->from[number] : NULL;
}

int copied_add(struct copied *c, uint64_t number, const char *path)
{
	while (c->n <= number) {
		if (!array_room(c->from, c->n, c->room))
			return -ENOMEM;
		c->from[c->n++] = NULL;
	}
	free(c->from[number]);
	c->from[number] = strdup(path);
	return c->from[number] ? 0 : -ENOMEM;
}

void copied_finish(struct copied *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->from[i]);
	free(c->from);
	*c = (struct copied){0};
}
