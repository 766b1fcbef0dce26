/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/refusals.h"

#include <stdlib.h>
#include <string.h>

static void remove_at(struct refusals *r, size_t i)
{
	free(r->at[i].path);
	free(r->at[i].reason);
	r->n--;
	memmove(&r->at[i], &r->at[i + 1], (r->n - i) * sizeof(*r->at));
}

void refusals_remove(struct refusals *r, const char *path)
{
	for (size_t i = r->n; i-- > 0;)
		if (strcmp(r->at[i].path, path) == 0)
			remove_at(r, i);
}

void refusals_add(struct refusals *r, const char *path, const char *reason)
{
	struct refusal added = {strdup(path), strdup(reason)};

	refusals_remove(r, path);
	if (!added.path || !added.reason) {
		free(added.path);
		free(added.reason);
		return;
	}
	if (r->n == REFUSALS_MAX)
		remove_at(r, 0);
	r->at[r->n++] = added;
}

void refusals_finish(struct refusals *r)
{
	while (r->n)
		remove_at(r, r->n - 1);
}
