/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "tools/merge/content.h"
#include "tools/merge/file.h"
#include "tools/merge/pairs.h"
#include "tools/merge/steps.h"

static int add_node(struct merge *m, struct merge_node *parent, struct merge_item *b,
	struct merge_item *o, struct merge_item *t)
{
	struct merge_item *at[SIDES] = {b, o, t};

	return merged_new(m, parent, at) ? 0 : -ENOMEM;
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct merge_item *x = *(struct merge_item *const *)a,
				*y = *(struct merge_item *const *)b;
	const struct merge *m = arg;

	return x->is_dir != y->is_dir ? x->is_dir - y->is_dir
	       : m->nocase            ? strcasecmp(x->name, y->name)
				      : strcmp(x->name, y->name);
}

/* Do both maps replace a file of the archive? A table of a map has only rows of its own, and
 * replaces no table of the archive. */
static bool replaces_archived(const struct merge *m, struct merge_item *const at[SIDES])
{
	return at[OURS] && at[THEIRS] && !file_matches(m->schema->tables, at[OURS]->path);
}

int match_names(struct merge *m, struct merge_node *x)
{
	CLEANUP(free) struct merge_item **all = NULL;
	size_t n = 0, room = 0;
	int r = 0;

	for (int w = 0; w < SIDES; w++)
		for (size_t k = 0; x->items[w] && k < x->items[w]->n; k++) {
			if (x->items[w]->children[k]->is_object)
				continue;
			if (!array_reserve(all, n, room))
				return -ENOMEM;
			all[n++] = x->items[w]->children[k];
		}
	if (n)
		qsort_r(all, n, sizeof(*all), compare_names, m);
	for (size_t k = 0, first; r == 0 && k < n;) {
		struct merge_item *at[SIDES] = {NULL};

		for (first = k; k < n && compare_names(&all[first], &all[k], m) == 0; k++)
			at[all[k]->side] = all[k];
		if (m->base_is_archive && !replaces_archived(m, at))
			at[BASE] = NULL;
		if (at[BASE] || at[OURS] || at[THEIRS])
			r = add_node(m, x, at[BASE], at[OURS], at[THEIRS]);
	}
	return r;
}

/* Directories of one depth, in [from, to) of merge.nodes: those that files refer to, or others. */
struct level {
	size_t from, to;
	bool is_referenced;
};

static bool is_in_level(const struct merge *m, const struct level *l, size_t i)
{
	return merged_item(m->nodes[i])->is_dir &&
	       merged_is_referenced(m, m->nodes[i]) == l->is_referenced;
}

/* Scan the objects of a directory that have no node yet, and add them to a list. */
static int add_objects(struct merge *m, struct pairs *p, int list, const struct merge_item *dir)
{
	int r = 0;

	for (size_t k = 0; r == 0 && dir && k < dir->n; k++) {
		if (!dir->children[k]->is_object || dir->children[k]->node)
			continue;
		if (!array_reserve(p->at[list], p->n[list], p->room[list]))
			return -ENOMEM;
		r = content_scan(m, dir->children[k]);
		p->at[list][p->n[list]++] = dir->children[k];
	}
	return r;
}

static int collect_objects(struct merge *m, const struct level *l, struct pairs *p)
{
	int r = 0;

	for (size_t i = l->from; r == 0 && i < l->to; i++)
		for (int list = 0; r == 0 && is_in_level(m, l, i) && list < 2; list++)
			r = add_objects(m, p, list, m->nodes[i]->items[p->in[list]]);
	return r;
}

static void pairs_finish(struct pairs *p)
{
	free(p->at[0]);
	free(p->at[1]);
}

/* Match added objects that are unique by kind; without a base also those without a kind. */
static void join_unique(const struct pairs *p, bool no_base)
{
	for (size_t i = 0; i < p->n[0]; i++)
		for (size_t j = 0; j < p->n[1]; j++) {
			struct merge_item *a = p->at[0][i], *b = p->at[1][j];

			if (a->is_unique && b->is_unique && a->kind == b->kind &&
				(a->kind || no_base) && !a->matches[THEIRS] && !b->matches[OURS])
				pairs_join(a, b, false);
		}
}

/* Match the objects that ours and theirs added to one directory. */
static int match_new(struct merge *m, struct merge_node *x)
{
	const struct level l = {x->number, x->number + 1, merged_is_referenced(m, x)};
	__attribute__((cleanup(pairs_finish))) struct pairs p = {.in = {OURS, THEIRS}};
	int r = collect_objects(m, &l, &p);

	r = r < 0 ? r : pairs_find_equal(&p);
	if (r == 0)
		join_unique(&p, !x->items[BASE]);
	/* Without a base, two added objects may be versions of one. */
	if (r == 0 && !x->items[BASE])
		r = pairs_find(&p);
	for (size_t i = 0; r == 0 && i < p.n[0]; i++)
		r = add_node(m, x, NULL, p.at[0][i], p.at[0][i]->matches[THEIRS]);
	for (size_t j = 0; r == 0 && j < p.n[1]; j++)
		if (!p.at[1][j]->matches[OURS])
			r = add_node(m, x, NULL, NULL, p.at[1][j]);
	return r;
}

/* Create the node of an object of the base, where ours, or else theirs, moved it. */
static int add_old_node(struct merge *m, struct merge_item *b)
{
	struct merge_item *o = b->matches[OURS], *t = b->matches[THEIRS];
	struct merge_node *was = b->parent->node, *in_o = o ? o->parent->node : was,
			  *in_t = t ? t->parent->node : was;
	int r = add_node(m, in_o != was ? in_o : in_t, b, o, t);

	if (r == 0)
		b->node->changed_dir = in_o != was || in_t != was;
	return r;
}

static int match_old(struct merge *m, const struct level *l)
{
	int r = 0;

	for (int w = OURS; r == 0 && w < SIDES; w++) {
		__attribute__((cleanup(pairs_finish))) struct pairs p = {
			.in = {BASE, (enum which)w}};

		r = collect_objects(m, l, &p);
		if (r == 0)
			r = pairs_find(&p);
		for (size_t i = 0; r == 0 && w == THEIRS && i < p.n[0]; i++)
			r = add_old_node(m, p.at[0][i]);
	}
	return r;
}

static int match_level(struct merge *m, const struct level *l)
{
	int r = 0;

	for (size_t i = l->from; r == 0 && i < l->to; i++)
		if (is_in_level(m, l, i))
			r = match_names(m, m->nodes[i]);
	if (r == 0 && m->numbered)
		r = match_old(m, l);
	for (size_t i = l->from; r == 0 && m->numbered && i < l->to; i++)
		if (is_in_level(m, l, i))
			r = match_new(m, m->nodes[i]);
	return r;
}

int match_all(struct merge *m)
{
	struct merge_item *at[SIDES];
	int r = 0;

	for (int w = 0; w < SIDES; w++)
		at[w] = m->sides[w].root;
	m->root = merged_new(m, NULL, at);
	if (!m->root)
		return -ENOMEM;
	for (size_t from = 0, to = m->n; r == 0 && from < to; from = to, to = m->n) {
		/* Match referenced objects before the files that refer to them are scanned. */
		r = match_level(m, &(struct level){from, to, true});
		if (r == 0)
			r = match_level(m, &(struct level){from, to, false});
	}
	return r;
}
