/* SPDX-License-Identifier: Zlib */
#include "cli/merging/order.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/merging/conflict.h"

/* Its place in the directory of one side. */
static size_t place(const struct merged *x, enum which w)
{
	return x->at[w]->place;
}

static bool survives(const struct merged *x)
{
	return x->fate == FATE_OURS || x->fate == FATE_TAKE || x->fate == FATE_ADD;
}

/* Did a side put those that all three have into another order? */
static bool reordered(const struct merged *dir, enum which v, enum which w)
{
	const struct item *list = dir->at[w];
	size_t last = 0, n = 0;

	if (!dir->at[v] || !list)
		return false;
	for (size_t i = 0; i < list->n; i++) {
		const struct merged *x = list->below[i]->of;
		size_t at;

		if (!x || !list->below[i]->object || !x->at[BASE] || !x->at[OURS] ||
			!x->at[THEIRS] || !survives(x) || x->crossed)
			continue;
		at = place(x, v);
		if (n++ && at < last)
			return true;
		last = at;
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

		if (!x || !list->below[i]->object || x->up != dir || x->after || !survives(x))
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

static void add_marks(struct merged *dir)
{
	for (size_t i = 0; i < dir->n; i++) {
		size_t at = 0;

		if (!dir->below[i]->after)
			continue;
		while (at < dir->n_order && dir->order[at++] != dir->below[i]->after)
			;
		insert(dir, at, dir->below[i]);
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
	add_marks(dir);
	if (theirs && ours && reordered(dir, OURS, THEIRS))
		return conflict_add(m, dir, false, "both put it into another order");
	return 0;
}

/* Of the runs in rising order of each length the one that ends lowest: how long the longest is to
 * which x can be added. */
static size_t run_before(struct merged *const *order, const size_t *ends, size_t n, size_t x)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = (low + n) / 2;

		if (place(order[ends[middle]], OURS) < place(order[x], OURS))
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* The objects of ours that stay where they are: the longest run in rising order. */
static int find_moved(struct merged *dir)
{
	size_t n = dir->n_order, runs = 0;
	CLEANUP(free) size_t *ends = calloc(n + 1, sizeof(size_t));
	CLEANUP(free) size_t *before = calloc(n + 1, sizeof(size_t));
	CLEANUP(free) bool *stays = calloc(n + 1, sizeof(bool));

	if (!ends || !before || !stays)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t length;

		if (!dir->order[i]->at[OURS] || dir->order[i]->moved)
			continue;
		length = run_before(dir->order, ends, runs, i);
		ends[length] = i;
		before[i] = length ? ends[length - 1] : SIZE_MAX;
		runs += length == runs;
	}
	for (size_t i = runs ? ends[runs - 1] : SIZE_MAX; i != SIZE_MAX; i = before[i])
		stays[i] = true;
	for (size_t i = 0; i < n; i++)
		dir->order[i]->moved = dir->order[i]->at[OURS] && !stays[i];
	return 0;
}

static size_t stem_length(const struct item *i)
{
	return i->dir ? strlen(i->name) : (size_t)(i->ending - i->name);
}

/* Is it the name of one that ours had? They are in order, and the number is the place. */
static bool is_taken(const struct merged *dir, size_t number, const char *stem)
{
	const struct item *list = dir->at[OURS];
	const struct item *i = list && number < list->n ? list->below[number] : NULL;

	return i && stem_length(i) == strlen(stem) && strncmp(i->name, stem, strlen(stem)) == 0;
}

/* By the first number from *number on, and moves that behind it. A name without a name behind the
 * number is the number alone; but of a file it might be taken for a name, which "12_" is not. */
static int name_it(const struct merged *dir, struct merged *x, const char *bare, size_t *number)
{
	const char *between = bare[0] || !merged_dir(x) ? "_" : "";

	while (!x->now) {
		char *stem;

		if (asprintf(&stem, "%zu%s%s", *number, between, bare) < 0)
			return -ENOMEM;
		if (is_taken(dir, (*number)++, stem))
			free(stem);
		else
			x->now = stem;
	}
	return 0;
}

static int digits(size_t count)
{
	int n = 1;

	for (size_t last = count ? count - 1 : 0; last >= 10; last /= 10)
		n++;
	return n;
}

/* What stays keeps its name, if its number is behind those of all before it, or that of the one
 * just before it, which is not where it was: it comes first then. */
static int find_names(struct merged *dir)
{
	size_t next = 0;
	bool shared = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < dir->n_order; i++) {
		struct merged *x = dir->order[i];
		const struct item *o = x->at[OURS];
		const char *bare = x->bare ? x->bare : merged_item(x)->bare;
		size_t number = o && !x->moved ? strtoul(o->name, NULL, 10) : 0;

		if (o && !x->moved && number + shared >= next) {
			x->now = strndup(o->name, stem_length(o));
			r = x->now ? 0 : -ENOMEM;
			next = number + 1;
			shared = false;
		} else {
			x->moved = o != NULL;
			r = name_it(dir, x, bare, &next);
			shared = true;
		}
		if (r == 0 && asprintf(&x->later, "%0*zu%s%s", digits(dir->n_order), i,
				      bare[0] ? "_" : "", bare) < 0) {
			x->later = NULL;
			r = -ENOMEM;
		}
	}
	return r;
}

int order_all(struct merge *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && m->numbered && i < m->n; i++) {
		struct merged *x = m->all[i];

		if (!merged_dir(x) || !survives(x))
			continue;
		r = find_order(m, x);
		if (r == 0)
			r = find_moved(x);
		if (r == 0)
			r = find_names(x);
	}
	return r;
}

const char *order_now(const struct merged *x)
{
	return x->now;
}

const char *order_later(const struct merged *x)
{
	return x->later;
}

/* From the last name to the first. */
char *order_path(const struct merged *x, bool later)
{
	char *path = strdup(""), *longer;

	for (; path && x->up; x = x->up) {
		const struct item *i = merged_item(x);
		const char *stem = later ? x->later : x->now;
		const char *ending = i->dir ? "" : x->ending ? x->ending : i->ending;
		int r = i->object && stem
				? asprintf(&longer, "%s%s%s%s", stem, ending, path[0] ? "/" : "",
					  path)
				: asprintf(&longer, "%s%s%s", i->name, path[0] ? "/" : "", path);

		free(path);
		path = r < 0 ? NULL : longer;
	}
	return path;
}
