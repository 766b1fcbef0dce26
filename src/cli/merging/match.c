/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "cli/merging/content.h"
#include "cli/merging/pairs.h"
#include "cli/merging/steps.h"

/* One node of these. */
static int make(struct merge *m, struct merged *up, struct item *b, struct item *o, struct item *t,
	bool doubt)
{
	struct item *at[SIDES] = {b, o, t};
	struct merged *x = merged_new(m, up, at);

	if (!x)
		return -ENOMEM;
	x->doubt = doubt;
	return 0;
}

/* What in a directory has a name that means the same in all maps. */
struct part {
	struct item *is;
	enum which of;
};

static int by_name(const void *a, const void *b)
{
	const struct item *x = ((const struct part *)a)->is, *y = ((const struct part *)b)->is;

	return x->dir != y->dir ? x->dir - y->dir : strcmp(x->name, y->name);
}

static int by_any_case(const void *a, const void *b)
{
	const struct item *x = ((const struct part *)a)->is, *y = ((const struct part *)b)->is;

	return x->dir != y->dir ? x->dir - y->dir : strcasecmp(x->name, y->name);
}

static int match_parts(struct merge *m, struct merged *x)
{
	int (*order)(const void *, const void *) = m->nocase ? by_any_case : by_name;
	CLEANUP(free) struct part *all = NULL;
	size_t n = 0, room = 0;
	int r = 0;

	for (int w = 0; w < SIDES; w++)
		for (size_t k = 0; x->at[w] && k < x->at[w]->n; k++) {
			if (x->at[w]->below[k]->object)
				continue;
			if (!array_room(all, n, room))
				return -ENOMEM;
			all[n++] = (struct part){x->at[w]->below[k], (enum which)w};
		}
	if (n)
		qsort(all, n, sizeof(*all), order);
	for (size_t k = 0, first; r == 0 && k < n;) {
		struct item *at[SIDES] = {NULL};

		for (first = k; k < n && order(&all[first], &all[k]) == 0; k++)
			at[all[k].of] = all[k].is;
		r = make(m, x, at[BASE], at[OURS], at[THEIRS], false);
	}
	return r;
}

/* Directories of one depth. */
struct level {
	struct merged **at;
	size_t n, room;
};

/* The objects of one side's directories that are nowhere yet. */
static int objects(
	struct merge *m, enum which w, const struct level *l, struct item ***ret, size_t *ret_n)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i]->at[w] ? l->at[i]->at[w]->n : 0;
	*ret = calloc(n + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++) {
		const struct item *dir = l->at[i]->at[w];

		for (size_t k = 0; r == 0 && dir && k < dir->n; k++) {
			if (!dir->below[k]->object || dir->below[k]->of)
				continue;
			r = content_know(m, w, dir->below[k]);
			(*ret)[(*ret_n)++] = dir->below[k];
		}
	}
	return r;
}

/* Those that both sides added, and that a map has once. */
static void pair_sorts(struct pairs *p)
{
	for (size_t i = 0; i < p->n_a; i++)
		for (size_t j = 0; j < p->n_b && p->of_a[i] == PAIRS_NONE && p->a[i]->once; j++)
			if (p->of_b[j] == PAIRS_NONE && p->a[i]->sort == p->b[j]->sort) {
				p->of_a[i] = j;
				p->of_b[j] = i;
			}
}

/* What ours and theirs added to one directory. */
static int match_new(struct merge *m, struct merged *x)
{
	struct level l = {&x, 1, 1};
	struct pairs p = {0};
	int r = objects(m, OURS, &l, &p.a, &p.n_a);

	if (r == 0)
		r = objects(m, THEIRS, &l, &p.b, &p.n_b);
	/* Where the base says nothing it is two versions of one. */
	if (r == 0)
		r = x->at[BASE] ? pairs_find_equal(&p) : pairs_find(&p);
	if (r == 0)
		pair_sorts(&p);
	for (size_t i = 0; r == 0 && i < p.n_a; i++)
		r = make(m, x, NULL, p.a[i], p.of_a[i] == PAIRS_NONE ? NULL : p.b[p.of_a[i]],
			p.doubt[i]);
	for (size_t j = 0; r == 0 && j < p.n_b; j++)
		if (p.of_b[j] == PAIRS_NONE)
			r = make(m, x, NULL, NULL, p.b[j], false);
	pairs_finish(&p);
	return r;
}

/* What base has, where a side moved it to. */
static int make_old(struct merge *m, struct item *b, struct item *o, struct item *t, bool doubt)
{
	struct merged *was = b->up->of, *in_o = o ? o->up->of : was, *in_t = t ? t->up->of : was;
	int r = make(m, in_o != was ? in_o : in_t, b, o, t, doubt);

	if (r == 0)
		b->of->crossed = in_o != was || in_t != was;
	return r;
}

static int match_old(struct merge *m, const struct level *l)
{
	struct pairs of[SIDES] = {{0}}; /* of[BASE] is not used */
	struct pairs *o = &of[OURS], *t = &of[THEIRS];
	int r = 0;

	for (int w = OURS; r == 0 && w < SIDES; w++) {
		r = objects(m, BASE, l, &of[w].a, &of[w].n_a);
		if (r == 0)
			r = objects(m, (enum which)w, l, &of[w].b, &of[w].n_b);
		if (r == 0)
			r = pairs_find(&of[w]);
	}
	for (size_t i = 0; r == 0 && i < o->n_a; i++) {
		size_t in_o = o->of_a[i], in_t = t->of_a[i];

		r = make_old(m, o->a[i], in_o == PAIRS_NONE ? NULL : o->b[in_o],
			in_t == PAIRS_NONE ? NULL : t->b[in_t], o->doubt[i] || t->doubt[i]);
	}
	pairs_finish(o);
	pairs_finish(t);
	return r;
}

static int add_below(const struct merge *m, const struct level *l, bool named, struct level *ret)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->at[i]->n; k++) {
			struct merged *x = l->at[i]->below[k];

			if (!merged_dir(x) || merged_named(m, x) != named)
				continue;
			if (!array_room(ret->at, ret->n, ret->room))
				return -ENOMEM;
			ret->at[ret->n++] = x;
		}
	return 0;
}

static int match_level(struct merge *m, const struct level *l)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n; i++)
		r = match_parts(m, l->at[i]);
	if (r == 0 && m->numbered)
		r = match_old(m, l);
	for (size_t i = 0; r == 0 && m->numbered && i < l->n; i++)
		r = match_new(m, l->at[i]);
	return r;
}

/* Takes l. What files name is matched before the files are read. */
static int match_below(struct merge *m, struct level l)
{
	int r = match_level(m, &l);

	while (r == 0 && l.n) {
		struct level named = {0}, next = {0};

		r = add_below(m, &l, true, &named);
		if (r == 0)
			r = match_level(m, &named);
		if (r == 0)
			r = add_below(m, &l, false, &next);
		if (r == 0)
			r = match_level(m, &next);
		for (size_t i = 0; r == 0 && i < named.n; i++) {
			r = array_room(next.at, next.n, next.room) ? 0 : -ENOMEM;
			if (r == 0)
				next.at[next.n++] = named.at[i];
		}
		free(named.at);
		free(l.at);
		l = next;
	}
	free(l.at);
	return r;
}

int match_all(struct merge *m)
{
	struct item *at[SIDES];
	struct level l = {0};

	for (int w = 0; w < SIDES; w++)
		at[w] = m->sides[w].root;
	m->root = merged_new(m, NULL, at);
	if (!m->root || !array_room(l.at, l.n, l.room))
		return -ENOMEM;
	l.at[l.n++] = m->root;
	return match_below(m, l);
}
