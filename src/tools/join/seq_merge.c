/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tools/join/seq_merge.h"

enum { RIVALS_MAX = 1000 }; /* most elements of a side that rivals() compares pairwise */

struct joining {
	const struct seq *of[SIDES];
	struct hunks hunks[SIDES]; /* from base to a side */
	size_t next[SIDES];        /* index of the next hunk */
	size_t shift[SIDES];       /* offset from a position in base to the side's */
	struct seq_join *how;
	struct buffer *out;
	size_t written;
	struct seq made; /* with how->both: elements taken unchanged from a side or base */
};

/* A range of elements of base, and the range that replaces it on each side. */
struct region {
	size_t at[SIDES], n[SIDES];
};

static void add_separator(struct joining *g)
{
	if (g->written++)
		buffer_text(g->out, g->how->between);
}

static void add_elements(struct joining *g, enum which w, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++) {
		struct span s = g->of[w]->at[i];

		add_separator(g);
		buffer_append(g->out, s.at, s.n);
		if (g->how->both && seq_add(&g->made, s.at, s.n) < 0)
			g->out->error = -ENOMEM;
	}
}

static void count_clash(struct joining *g, size_t at, size_t n)
{
	size_t last = at + (n ? n - 1 : 0);

	if (!g->how->clashes || at < g->how->first)
		g->how->first = at;
	if (!g->how->clashes || last > g->how->last)
		g->how->last = last;
	g->how->clashes += n ? n : 1;
}

/* Are n elements of two sides equal? */
static bool is_same_range(
	const struct joining *g, enum which v, size_t in_v, enum which w, size_t in_w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!span_same(g->of[v]->at[in_v + i], g->of[w]->at[in_w + i]))
			return false;
	return true;
}

/* Does fn return true for an element of ours in the region and t, an element of theirs? */
static bool has_match(const struct joining *g, const struct region *x, struct span t,
	bool (*fn)(struct span o, struct span t))
{
	for (size_t i = 0; i < x->n[OURS]; i++)
		if (fn(g->of[OURS]->at[x->at[OURS] + i], t))
			return true;
	return false;
}

static bool keeps_both(const struct joining *g, const struct region *x)
{
	if (!g->how->both || !g->how->rivals)
		return g->how->both;
	if (x->n[OURS] > RIVALS_MAX || x->n[THEIRS] > RIVALS_MAX)
		return false;
	for (size_t i = 0; i < x->n[THEIRS]; i++)
		if (has_match(g, x, g->of[THEIRS]->at[x->at[THEIRS] + i], g->how->rivals))
			return false;
	return true;
}

static int join_element(struct joining *g, const struct region *x, size_t i)
{
	struct span v[SIDES];
	enum which w;
	int r;

	for (int k = 0; k < SIDES; k++)
		v[k] = g->of[k]->at[x->at[k] + i];
	w = span_pick(v);
	r = w == SIDES;
	add_separator(g);
	if (r && g->how->inner)
		r = g->how->inner(g->how->arg, v, g->out);
	else
		buffer_append(g->out, v[r ? OURS : w].at, v[r ? OURS : w].n);
	if (r > 0)
		count_clash(g, x->at[OURS] + i, 1);
	return r < 0 ? r : 0;
}

static int join_region(struct joining *g, const struct region *x);

/*
 * Merge a region in which both sides added elements at the same edge of those of base, and one side
 * left these unchanged: merge the old elements and the added ones separately. Returns 1 if the
 * region is of another kind.
 */
static int join_edge(struct joining *g, const struct region *x)
{
	struct region added = *x, kept = *x;
	size_t n = x->n[BASE];
	bool before = false, behind = false;
	int r;

	for (enum which w = OURS; w < SIDES; w++) {
		if (!n || x->n[w] <= n)
			return 1;
		behind |= is_same_range(g, BASE, x->at[BASE], w, x->at[w], n);
		before |= is_same_range(g, BASE, x->at[BASE], w, x->at[w] + x->n[w] - n, n);
	}
	if (!before && !behind)
		return 1;
	for (int w = 0; w < SIDES; w++) {
		kept.n[w] = n;
		added.n[w] -= n;
		if (behind)
			added.at[w] += n;
		else
			kept.at[w] += added.n[w];
	}
	r = join_region(g, behind ? &kept : &added);
	return r == 0 ? join_region(g, behind ? &added : &kept) : r;
}

static int join_region(struct joining *g, const struct region *x)
{
	size_t n = x->n[OURS];
	bool as_many = n == x->n[THEIRS];
	int r = 0;

	if (as_many && is_same_range(g, OURS, x->at[OURS], THEIRS, x->at[THEIRS], n)) {
		add_elements(g, OURS, x->at[OURS], n);
	} else if (as_many && n == x->n[BASE]) {
		for (size_t i = 0; r == 0 && i < n; i++)
			r = join_element(g, x, i);
	} else if (!x->n[BASE] && keeps_both(g, x)) {
		add_elements(g, OURS, x->at[OURS], n);
		for (size_t i = x->at[THEIRS]; i < x->at[THEIRS] + x->n[THEIRS]; i++)
			if (!has_match(g, x, g->of[THEIRS]->at[i], span_same))
				add_elements(g, THEIRS, i, 1);
	} else {
		r = join_edge(g, x);
		if (r > 0) {
			add_elements(g, OURS, x->at[OURS], n);
			count_clash(g, x->at[OURS], n);
		}
	}
	return r < 0 ? r : 0;
}

/* Number of equal bytes at the beginning and the end of two elements. */
static size_t shared_length(struct span a, struct span b)
{
	size_t least = a.n < b.n ? a.n : b.n, head = 0, tail = 0;

	while (head < least && a.at[head] == b.at[head])
		head++;
	while (tail < least - head && a.at[a.n - 1 - tail] == b.at[b.n - 1 - tail])
		tail++;
	return head + tail;
}

/* Did a side probably change elements and add others behind them (or before them)? */
static bool adds_at_edge(const struct joining *g, enum which w, const struct hunk *x, bool behind)
{
	size_t n = x->to - x->from;
	const struct span *s = g->of[w]->at + x->at;
	struct span edge;

	if (!n || x->n <= n)
		return false;
	edge = g->of[BASE]->at[behind ? x->to - 1 : x->from];
	return behind ? shared_length(edge, s[n - 1]) >= shared_length(edge, s[x->n - 1])
		      : shared_length(edge, s[x->n - n]) >= shared_length(edge, s[0]);
}

/* Do two changes concern the same elements, or add at the same place? y is of side w. */
static bool hunks_meet(
	const struct joining *g, const struct hunk *x, enum which w, const struct hunk *y)
{
	if (y->from == y->to)
		return x->from == x->to ? x->from == y->from
					: hunks_meet(g, y, (enum which)(OURS + THEIRS - w), x);
	if (x->from < x->to)
		return x->from < y->to && y->from < x->to;
	return (x->from > y->from && x->from < y->to) ||
	       (x->from == y->to && adds_at_edge(g, w, y, true)) ||
	       (x->from == y->from && adds_at_edge(g, w, y, false));
}

/* A hunk, or NULL after the last one. */
static const struct hunk *hunk_at(const struct joining *g, enum which w, size_t i)
{
	return i < g->hunks[w].n ? &g->hunks[w].at[i] : NULL;
}

/* Get the next region that one or both sides changed. */
static void next_region(struct joining *g, struct region *x)
{
	const struct hunk *o = hunk_at(g, OURS, g->next[OURS]),
			  *t = hunk_at(g, THEIRS, g->next[THEIRS]);
	bool ours = !t || (o && (o->from < t->from || (o->from == t->from && o->to <= t->to)));
	const struct hunk *h = ours ? o : t;
	size_t next[SIDES] = {0, g->next[OURS] + ours, g->next[THEIRS] + !ours};
	size_t from = h->from, to = h->to;
	bool more = true;

	/* Extend the region by hunks that meet the last hunk of the other side. */
	while (more) {
		more = false;
		for (enum which w = OURS; w < SIDES; w++) {
			enum which v = w == OURS ? THEIRS : OURS;

			for (; next[v] > g->next[v] && (h = hunk_at(g, w, next[w])) &&
				hunks_meet(g, h, v, hunk_at(g, v, next[v] - 1));
				next[w]++, more = true)
				to = h->to > to ? h->to : to;
		}
	}
	/* The range of each side is that of base, shifted and resized by its hunks. */
	for (enum which w = BASE; w < SIDES; w++) {
		x->at[w] = from + g->shift[w];
		for (; g->next[w] < next[w]; g->next[w]++) {
			h = hunk_at(g, w, g->next[w]);
			g->shift[w] += h->n - (h->to - h->from);
		}
		x->n[w] = to + g->shift[w] - x->at[w];
	}
}

static int merge_hunks(struct joining *g)
{
	size_t done = 0; /* elements of base */
	int r = 0;

	while (r == 0 && (hunk_at(g, OURS, g->next[OURS]) || hunk_at(g, THEIRS, g->next[THEIRS]))) {
		size_t ours = g->next[OURS], theirs = g->next[THEIRS];
		struct region x;

		next_region(g, &x);
		add_elements(g, BASE, done, x.at[BASE] - done);
		done = x.at[BASE] + x.n[BASE];
		if (ours == g->next[OURS])
			add_elements(g, THEIRS, x.at[THEIRS], x.n[THEIRS]);
		else if (theirs == g->next[THEIRS])
			add_elements(g, OURS, x.at[OURS], x.n[OURS]);
		else
			r = join_region(g, &x);
	}
	add_elements(g, BASE, done, g->of[BASE]->n - done);
	return r;
}

enum { MADE = SIDES, LISTS };

/* One occurrence of an element. */
struct place {
	struct span is;
	size_t list, at;
};

static int by_element(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int r = array_compare(x->is.n, y->is.n);

	if (r == 0)
		r = memcmp(x->is.at, y->is.at, x->is.n);
	if (r == 0)
		r = array_compare(x->list, y->list);
	return r ? r : array_compare(x->at, y->at);
}

/*
 * To a diff, a moved element is one removed and one added. If the other side removed or moved it,
 * too, the result has it again, or twice. Keep it, and count a clash.
 */
static int find_moved(struct joining *g)
{
	const struct seq *of[LISTS] = {g->of[BASE], g->of[OURS], g->of[THEIRS], &g->made};
	size_t all = of[BASE]->n + of[OURS]->n + of[THEIRS]->n + of[MADE]->n, n = 0;
	CLEANUP(free) struct place *p = calloc(all + 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	for (size_t k = 0; k < LISTS; k++)
		for (size_t i = 0; i < of[k]->n; i++)
			p[n++] = (struct place){of[k]->at[i], k, i};
	qsort(p, n, sizeof(*p), by_element);
	for (size_t i = 0, first = 0; i < n; first = i) {
		size_t in[LISTS] = {0}, at = 0, most;

		/* Count the occurrences of one element in each list. */
		for (; i < n && span_same(p[first].is, p[i].is); i++)
			if (!in[p[i].list]++ && p[i].list == OURS)
				at = p[i].at;
		most = in[OURS] == in[BASE]     ? in[THEIRS]
		       : in[THEIRS] == in[BASE] ? in[OURS]
						: in[MADE];
		if (in[BASE] && in[MADE] > most)
			count_clash(g, at, 1);
	}
	return 0;
}

int seq_merge(const struct seq of[SIDES], struct seq_join *how, struct buffer *out)
{
	struct joining g = {.of = {&of[BASE], &of[OURS], &of[THEIRS]}, .how = how, .out = out};
	int r = seq_diff(g.of[BASE], g.of[OURS], &g.hunks[OURS]);

	how->clashes = 0;
	if (r == 0)
		r = seq_diff(g.of[BASE], g.of[THEIRS], &g.hunks[THEIRS]);
	if (r == 0)
		r = merge_hunks(&g);
	if (r == 0 && how->both)
		r = find_moved(&g);
	seq_finish(&g.made);
	free(g.hunks[OURS].at);
	free(g.hunks[THEIRS].at);
	return r < 0 ? r : out->error;
}
