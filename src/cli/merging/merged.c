/* SPDX-License-Identifier: Zlib */
#include "cli/merging/merged.h"

#include <string.h>

#include "base/array.h"

struct merged *merged_new(struct merge *m, struct merged *up, struct item *const at[SIDES])
{
	struct merged *x;

	if (!array_room(m->all, m->n, m->room) || (up && !array_room(up->below, up->n, up->room)))
		return NULL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->number = m->n;
	x->up = up;
	for (int w = 0; w < SIDES; w++) {
		x->at[w] = at[w];
		if (at[w])
			at[w]->of = x;
	}
	m->all[m->n++] = x;
	if (up)
		up->below[up->n++] = x;
	return x;
}

int merged_name_now(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merged *x = m->all[i];
		const struct item *is = x->at[OURS] ? x->at[OURS] : x->at[BASE];

		if (!is || !is->object)
			continue;
		x->now = strndup(is->name, (size_t)(is->ending - is->name));
		if (!x->now)
			return -ENOMEM;
	}
	return 0;
}

bool merged_named(const struct merge *m, const struct merged *x)
{
	for (const struct merging_reference *ref = m->how->references; ref && ref->key; ref++)
		if (strcmp(merged_item(x)->name, ref->dir) == 0)
			return true;
	return false;
}

void merged_finish(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merged *x = m->all[i];

		free(x->below);
		merged_keep(x);
		free(x->now);
		free(x->later);
		free(x->order);
		free(x);
	}
	free(m->all);
	m->all = NULL;
	m->n = m->room = 0;
	m->root = NULL;
}
