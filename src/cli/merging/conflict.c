/* SPDX-License-Identifier: Zlib */
#include "cli/merging/conflict.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"

int conflict_add(struct merge *m, struct merged *x, bool theirs, const char *why, ...)
{
	struct conflict c = {.x = x, .theirs = theirs};
	va_list ap;

	if (!array_room(m->conflicts, m->n_conflicts, m->room_conflicts))
		return -ENOMEM;
	va_start(ap, why);
	if (vasprintf(&c.why, why, ap) < 0)
		c.why = NULL;
	va_end(ap);
	if (!c.why)
		return -ENOMEM;
	m->conflicts[m->n_conflicts++] = c;
	return 0;
}

void conflicts_finish(struct merge *m)
{
	for (size_t i = 0; i < m->n_conflicts; i++)
		free(m->conflicts[i].why);
	free(m->conflicts);
	m->conflicts = NULL;
	m->n_conflicts = m->room_conflicts = 0;
}
