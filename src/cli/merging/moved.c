/* SPDX-License-Identifier: Zlib */
#include "cli/merging/moved.h"

#include <errno.h>

int moved_settle(struct merged *const *list, const size_t *at, size_t n)
{
	/* Of the runs in rising order of each length the one that ends lowest. */
	CLEANUP(free) size_t *ends = calloc(n + 1, sizeof(*ends));
	CLEANUP(free) size_t *before = calloc(n + 1, sizeof(*before));
	size_t runs = 0;

	if (!ends || !before)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = runs;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (at[ends[middle]] < at[i])
				low = middle + 1;
			else
				high = middle;
		}
		ends[low] = i;
		before[i] = low ? ends[low - 1] : SIZE_MAX;
		runs += low == runs;
		list[i]->moved = true;
	}
	for (size_t i = runs ? ends[runs - 1] : SIZE_MAX; i != SIZE_MAX; i = before[i])
		list[i]->moved = false;
	return 0;
}

int moved_find(struct merged *dir)
{
	const struct item *ours = dir->at[OURS];
	CLEANUP(free) struct merged **list = calloc(ours->n + 1, sizeof(*list));
	CLEANUP(free) size_t *at = calloc(ours->n + 1, sizeof(*at));
	size_t n = 0;

	if (!list || !at)
		return -ENOMEM;
	for (size_t i = 0; i < ours->n; i++) {
		struct merged *x = ours->below[i]->of;
		const struct item *b = x ? x->at[BASE] : NULL;

		if (!b || !b->object)
			continue;
		/* From another directory. */
		x->moved = b->up != dir->at[BASE];
		if (!x->moved) {
			at[n] = b->place;
			list[n++] = x;
		}
	}
	return moved_settle(list, at, n);
}
