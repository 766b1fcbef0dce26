/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/merge/steps.h"

/* Did a side put those that all three have into another order? */
static bool reordered(const struct merged *dir, enum which v, enum which w)
{
	const struct item *list = dir->at[w];
	size_t last = 0;

	for (size_t i = 0; dir->at[v] && list && i < list->n; i++) {
		const struct merged *x = list->below[i]->of;

		if (!x || !list->below[i]->object || !x->at[BASE] || !x->at[OURS] ||
			!x->at[THEIRS] || !x->stays || x->crossed)
			continue;
		if (x->at[v]->place < last)
			return true;
		last = x->at[v]->place;
	}
	return false;
}

static void insert(struct merged *dir, size_t at, struct merged *x)
{
	memmove(&dir->order[at + 1], &dir->order[at],
		(dir->n_order - at) * sizeof(struct merged *));
	dir->order[at] = x;
	dir->n_order++;
	x->placed = true;
}

/* Where it is; most often that is at from. */
static size_t find(const struct merged *dir, const struct merged *x, size_t from)
{
	size_t at = from < dir->n_order ? from : 0;

	while (dir->order[at] != x)
		at = at + 1 < dir->n_order ? at + 1 : 0;
	return at;
}

/* Those of one side that are not there yet, each behind the one that it follows there; and behind
 * what only the other side has there. */
static void add_side(struct merged *dir, enum which w)
{
	const struct item *list = dir->at[w];
	const enum which other = w == OURS ? THEIRS : OURS;
	size_t at = 0;

	for (size_t i = 0; list && i < list->n; i++) {
		struct merged *x = list->below[i]->of;

		if (!x || !list->below[i]->object || x->up != dir || x->after || !x->stays)
			continue;
		if (x->placed) {
			at = find(dir, x, at) + 1;
			continue;
		}
		while (at < dir->n_order && dir->order[at]->at[other] &&
			!dir->order[at]->at[BASE] && !dir->order[at]->at[w])
			at++;
		insert(dir, at++, x);
	}
}

static int find_order(struct merge *m, struct merged *dir)
{
	bool theirs = reordered(dir, BASE, THEIRS), ours = reordered(dir, BASE, OURS);
	enum which first = theirs && !ours ? THEIRS : OURS;

	dir->order = calloc(dir->n + 1, sizeof(*dir->order));
	if (!dir->order)
		return -ENOMEM;
	add_side(dir, first);
	add_side(dir, first == OURS ? THEIRS : OURS);
	for (size_t i = 0; i < dir->n; i++)
		if (dir->below[i]->after)
			insert(dir, find(dir, dir->below[i]->after, 0) + 1, dir->below[i]);
	if (theirs && ours && reordered(dir, OURS, THEIRS))
		return conflict_add(m, dir, false, "both put it into another order");
	return 0;
}

/* Those of ours before the first that is new, or not in its order any more, keep their names. All
 * from there on have numbers that ours has not. A name without a name behind the number is the
 * number alone; but of a file it might be taken for a name, which "12_" is not. */
static int find_names(struct merged *dir)
{
	size_t first = dir->at[OURS] ? dir->at[OURS]->n : 0, next = 0;
	int digits = snprintf(NULL, 0, "%zu", dir->n_order ? dir->n_order - 1 : 0);
	bool keeps = true;

	for (size_t i = 0; i < dir->n_order; i++) {
		struct merged *x = dir->order[i];
		const struct item *o = x->at[OURS];
		const char *bare = x->bare ? x->bare : merged_item(x)->bare;
		const char *between = bare[0] || !merged_item(x)->dir ? "_" : "";

		keeps = keeps && o && !x->moved && o->place >= next;
		x->moved = !keeps && o;
		x->now = keeps ? strndup(o->name, (size_t)(o->ending - o->name))
			       : text_printf("%zu%s%s", first + i, between, bare);
		x->later = text_printf("%0*zu%s%s", digits, i, bare[0] ? "_" : "", bare);
		if (!x->now || !x->later)
			return -ENOMEM;
		next = keeps ? o->place + 1 : 0;
	}
	return 0;
}

int order_all(struct merge *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && m->numbered && i < m->n; i++) {
		struct merged *x = m->all[i];

		if (!merged_item(x)->dir || !x->stays)
			continue;
		r = find_order(m, x);
		if (r == 0)
			r = find_names(x);
	}
	return r;
}
