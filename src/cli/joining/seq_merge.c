/* SPDX-License-Identifier: Zlib */
/* What two sides made of one sequence, together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/joining/seq_merge.h"

struct joining {
	const struct seq *b, *o, *t;
	struct hunks ho, ht;
	size_t i, j; /* the next hunk of each */
	size_t done; /* elements of base */
	long shift;  /* from base to ours */
	struct seq_join *how;
	struct buffer *out;
	size_t written;
	struct seq made; /* of a list: what was taken as it is on a side, or in base */
};

/* Some elements of base, and what they are on each side. */
struct region {
	size_t from, to;
	const struct span *o, *t;
	size_t n_o, n_t, at_o;
};

static void separate(struct joining *g)
{
	if (g->written++)
		buffer_text(g->out, g->how->between);
}

static void put(struct joining *g, const struct span *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		separate(g);
		buffer_append(g->out, s[i].at, s[i].n);
		if (g->how->both && seq_add(&g->made, s[i].at, s[i].n) < 0)
			g->out->error = -ENOMEM;
	}
}

static void clash(struct joining *g, size_t at, size_t n)
{
	size_t last = at + (n ? n - 1 : 0);

	if (!g->how->clashes || at < g->how->first)
		g->how->first = at;
	if (!g->how->clashes || last > g->how->last)
		g->how->last = last;
	g->how->clashes += n ? n : 1;
}

static bool same(const struct region *x)
{
	if (x->n_o != x->n_t)
		return false;
	for (size_t i = 0; i < x->n_o; i++)
		if (!span_same(x->o[i], x->t[i]))
			return false;
	return true;
}

/* What theirs added and ours did not. */
static void put_others(struct joining *g, const struct region *x)
{
	for (size_t i = 0; i < x->n_t; i++) {
		size_t j = 0;

		while (j < x->n_o && !span_same(x->t[i], x->o[j]))
			j++;
		if (j == x->n_o)
			put(g, &x->t[i], 1);
	}
}

static int join_one(struct joining *g, struct span b, struct span o, struct span t, size_t at)
{
	int r;

	separate(g);
	if (span_same(o, b) || span_same(t, b) || span_same(o, t)) {
		struct span s = span_same(o, b) ? t : o;

		buffer_append(g->out, s.at, s.n);
		return 0;
	}
	if (g->how->inner) {
		r = g->how->inner(g->how->arg, b, o, t, g->out);
		if (r > 0)
			clash(g, at, 1);
		return r < 0 ? r : 0;
	}
	buffer_append(g->out, o.at, o.n);
	clash(g, at, 1);
	return 0;
}

static bool same_spans(const struct span *a, const struct span *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!span_same(a[i], b[i]))
			return false;
	return true;
}

static int join(struct joining *g, const struct region *x);

/*
 * One side only added elements before or behind those of base, and the other changed these and
 * added some there, too: what was changed is taken, and what was added meets. 1: it is not so.
 */
static int join_edge(struct joining *g, const struct region *x)
{
	size_t n = x->to - x->from, more_o = x->n_o - n, more_t = x->n_t - n;
	const struct span *b = g->b->at + x->from;
	struct region added = {x->from, x->from, x->o, x->t, more_o, more_t, x->at_o};
	bool behind;
	int r = 0;

	if (!n || x->n_o <= n || x->n_t <= n)
		return 1;
	behind = same_spans(x->o, b, n) || same_spans(x->t, b, n);
	if (!behind && !same_spans(x->o + more_o, b, n) && !same_spans(x->t + more_t, b, n))
		return 1;
	if (behind)
		added = (struct region){
			x->to, x->to, x->o + n, x->t + n, more_o, more_t, x->at_o + n};
	else
		r = join(g, &added);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = join_one(g, b[i], x->o[behind ? i : more_o + i], x->t[behind ? i : more_t + i],
			x->at_o + (behind ? i : more_o + i));
	return r == 0 && behind ? join(g, &added) : r;
}

static int join(struct joining *g, const struct region *x)
{
	size_t n = x->to - x->from;
	int r = 0;

	if (same(x)) {
		put(g, x->o, x->n_o);
	} else if (n == x->n_o && n == x->n_t) {
		for (size_t i = 0; r == 0 && i < n; i++)
			r = join_one(g, g->b->at[x->from + i], x->o[i], x->t[i], x->at_o + i);
	} else if (!n && g->how->both && g->how->both(g->how->arg, x->o, x->n_o, x->t, x->n_t)) {
		put(g, x->o, x->n_o);
		put_others(g, x);
	} else {
		r = join_edge(g, x);
		if (r > 0) {
			put(g, x->o, x->n_o);
			clash(g, x->at_o, x->n_o);
			r = 0;
		}
	}
	return r;
}

/* How many bytes two elements share at their beginning and their end. */
static size_t shared(struct span a, struct span b)
{
	size_t least = a.n < b.n ? a.n : b.n, head = 0, tail = 0;

	while (head < least && a.at[head] == b.at[head])
		head++;
	while (tail < least - head && a.at[a.n - 1 - tail] == b.at[b.n - 1 - tail])
		tail++;
	return head + tail;
}

/* Did a side change elements and add some behind them (or else before them)? */
static bool adds_at_edge(
	const struct seq *base, const struct seq *side, const struct hunk *x, bool behind)
{
	size_t n = x->to - x->from;
	const struct span *s = side->at + x->at;
	struct span edge;

	if (!n || x->n <= n)
		return false;
	edge = base->at[behind ? x->to - 1 : x->from];
	return behind ? shared(edge, s[n - 1]) >= shared(edge, s[x->n - 1])
		      : shared(edge, s[x->n - n]) >= shared(edge, s[0]);
}

/* Do two changes concern the same elements, or add at the same place? */
static bool meet(const struct joining *g, const struct hunk *o, const struct hunk *t)
{
	if (o->from == o->to && t->from == t->to)
		return o->from == t->from;
	if (o->from == o->to)
		return (o->from > t->from && o->from < t->to) ||
		       (o->from == t->to && adds_at_edge(g->b, g->t, t, true)) ||
		       (o->from == t->from && adds_at_edge(g->b, g->t, t, false));
	if (t->from == t->to)
		return (t->from > o->from && t->from < o->to) ||
		       (t->from == o->to && adds_at_edge(g->b, g->o, o, true)) ||
		       (t->from == o->from && adds_at_edge(g->b, g->o, o, false));
	return t->from < o->to && o->from < t->to;
}

/* The next region that both sides changed, or one alone. */
static void next_region(struct joining *g, struct region *x)
{
	const struct hunks *o = &g->ho, *t = &g->ht;
	size_t i = g->i, j = g->j;
	bool ours = j == t->n || (i < o->n && (o->at[i].from < t->at[j].from ||
						      (o->at[i].from == t->at[j].from &&
							      o->at[i].to <= t->at[j].to)));
	const struct hunk *first = ours ? &o->at[i++] : &t->at[j++];
	bool more = true;

	*x = (struct region){.from = first->from, .to = first->to};
	/* The last hunk of each side is the one that reaches furthest. */
	while (more) {
		more = false;
		for (; i < o->n && j > g->j && meet(g, &o->at[i], &t->at[j - 1]); i++, more = true)
			x->to = o->at[i].to > x->to ? o->at[i].to : x->to;
		for (; j < t->n && i > g->i && meet(g, &o->at[i - 1], &t->at[j]); j++, more = true)
			x->to = t->at[j].to > x->to ? t->at[j].to : x->to;
	}
	/* Each side's elements: those of base, longer or shorter by what its hunks changed. */
	x->n_o = x->n_t = x->to - x->from;
	x->at_o = (size_t)((long)x->from + g->shift);
	for (size_t k = g->i; k < i; k++)
		x->n_o += o->at[k].n - (o->at[k].to - o->at[k].from);
	for (size_t k = g->j; k < j; k++)
		x->n_t += t->at[k].n - (t->at[k].to - t->at[k].from);
	x->o = g->o->at + x->at_o;
	/* In theirs: where the first hunk there says, or as far on as the last one before. */
	if (g->j < t->n && g->j < j)
		x->t = g->t->at + t->at[g->j].at - (t->at[g->j].from - x->from);
	else
		x->t = g->b->at + x->from;
	if (i == g->i)
		x->o = g->b->at + x->from;
	g->shift += (long)x->n_o - (long)(x->to - x->from);
	g->i = i;
	g->j = j;
}

static int merge_hunks(struct joining *g)
{
	int r = 0;

	while (r == 0 && (g->i < g->ho.n || g->j < g->ht.n)) {
		size_t i = g->i, j = g->j;
		struct region x;

		next_region(g, &x);
		put(g, g->b->at + g->done, x.from - g->done);
		g->done = x.to;
		if (i == g->i)
			put(g, x.t, x.n_t);
		else if (j == g->j)
			put(g, x.o, x.n_o);
		else
			r = join(g, &x);
	}
	put(g, g->b->at + g->done, g->b->n - g->done);
	return r;
}

enum { IN_B, IN_O, IN_T, MADE, LISTS };

/* Where an element stands. */
struct place {
	struct span is;
	size_t list, at;
};

static int by_element(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int r = x->is.n == y->is.n  ? memcmp(x->is.at, y->is.at, x->is.n)
		: x->is.n < y->is.n ? -1
				    : 1;

	if (r == 0)
		r = x->list < y->list ? -1 : x->list > y->list;
	return r ? r : x->at < y->at ? -1 : x->at > y->at;
}

/* One element, wherever it stands: n places. */
static void look_moved(struct joining *g, const struct place *p, size_t n)
{
	size_t in[LISTS] = {0}, at = 0, most;

	for (size_t i = 0; i < n; i++)
		if (!in[p[i].list]++ && p[i].list == IN_O)
			at = p[i].at;
	most = in[IN_O] == in[IN_B] ? in[IN_T] : in[IN_T] == in[IN_B] ? in[IN_O] : in[MADE];
	if (in[IN_B] && in[MADE] > most)
		clash(g, at, 1);
}

/*
 * An element that a side put elsewhere is removed and added to a diff. Where the other side removed
 * it, too, or put it elsewhere itself, it is there again, or twice: it stays, and is told.
 */
static int find_moved(struct joining *g)
{
	const struct seq *of[LISTS] = {g->b, g->o, g->t, &g->made};
	size_t all = g->b->n + g->o->n + g->t->n + g->made.n, n = 0;
	CLEANUP(free) struct place *places = calloc(all + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t k = 0; k < LISTS; k++)
		for (size_t i = 0; i < of[k]->n; i++)
			places[n++] = (struct place){of[k]->at[i], k, i};
	qsort(places, n, sizeof(*places), by_element);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && span_same(places[i].is, places[next].is);)
			next++;
		look_moved(g, &places[i], next - i);
	}
	return 0;
}

/* One of no elements has none to point at. */
static const struct seq *solid(const struct seq *s)
{
	static struct span none;
	static const struct seq empty = {.at = &none};

	return s->at ? s : &empty;
}

int seq_merge(const struct seq *b, const struct seq *o, const struct seq *t, struct seq_join *how,
	struct buffer *out)
{
	struct joining g = {.b = solid(b), .o = solid(o), .t = solid(t), .how = how, .out = out};
	int r = seq_diff(b, o, &g.ho);

	how->clashes = 0;
	if (r == 0)
		r = seq_diff(b, t, &g.ht);
	if (r == 0)
		r = merge_hunks(&g);
	if (r == 0 && how->both)
		r = find_moved(&g);
	seq_finish(&g.made);
	free(g.ho.at);
	free(g.ht.at);
	return r < 0 ? r : out->error;
}
