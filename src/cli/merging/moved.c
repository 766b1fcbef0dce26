/* SPDX-License-Identifier: Zlib */
#include "cli/merging/moved.h"

#include <errno.h>

/* Those that base and ours have, in the order of ours, and where each stood in base. */
struct kept {
	struct merged **at;
	size_t *was, *least,
		*before; /* least: of the runs of each length, the one that ends lowest */
	size_t n;
};

static bool begin(struct kept *k, const struct item *base, const struct item *ours)
{
	size_t room = ours->n + 1, count = 0;

	*k = (struct kept){calloc(room, sizeof(*k->at)), calloc(room, sizeof(*k->was)),
		calloc(room, sizeof(*k->least)), calloc(room, sizeof(*k->before)), 0};
	if (!k->at || !k->was || !k->least || !k->before)
		return false;
	for (size_t i = 0; i < base->n; i++)
		if (base->below[i]->object && base->below[i]->of)
			base->below[i]->of->was = count++;
	for (size_t i = 0; i < ours->n; i++) {
		struct merged *x = ours->below[i]->of;

		if (!ours->below[i]->object || !x || !x->at[BASE])
			continue;
		/* From another directory. */
		if (x->at[BASE]->up != base) {
			x->moved = true;
			continue;
		}
		k->was[k->n] = x->was;
		k->at[k->n++] = x;
	}
	return true;
}

/* The longest run in which the old places ascend stands still; the others were moved. */
static void find(struct kept *k)
{
	size_t n = 0, i;

	for (i = 0; i < k->n; i++) {
		size_t low = 0, high = n;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (k->was[k->least[middle]] < k->was[i])
				low = middle + 1;
			else
				high = middle;
		}
		k->least[low] = i;
		k->before[i] = low ? k->least[low - 1] : SIZE_MAX;
		n += low == n;
		k->at[i]->moved = true;
	}
	for (i = n ? k->least[n - 1] : SIZE_MAX; i != SIZE_MAX; i = k->before[i])
		k->at[i]->moved = false;
}

int moved_find(struct merged *x)
{
	struct kept k;
	int r = begin(&k, x->at[BASE], x->at[OURS]) ? 0 : -ENOMEM;

	if (r == 0)
		find(&k);
	free(k.at);
	free(k.was);
	free(k.least);
	free(k.before);
	return r;
}
