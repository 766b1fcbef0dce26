/* SPDX-License-Identifier: Zlib */
#include "cli/lines.h"

#include <stdlib.h>
#include <string.h>

bool lines_add(struct lines *l, const char *text)
{
	char **at;

	if (l->n >= LINES_MAX)
		return false;
	at = realloc(l->at, (l->n + 2) * sizeof(*at));
	if (!at)
		return false;
	l->at = at;
	at[l->n] = strdup(text);
	at[l->n + 1] = NULL;
	if (!at[l->n])
		return false;
	l->n++;
	return true;
}

bool lines_has(const struct lines *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->at[i], text) == 0)
			return true;
	}
	return false;
}

void lines_clear(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i]);
	free(l->at);
	*l = (struct lines){0};
}
