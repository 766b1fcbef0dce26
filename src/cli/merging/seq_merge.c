/* SPDX-License-Identifier: Zlib */
/* What two sides made of one sequence, together. */
#include <errno.h>
#include <string.h>

#include "cli/merging/seq.h"

struct joining {
	const struct seq *b, *o, *t;
	struct hunks ho, ht;
	size_t i, j; /* the next hunk of each */
	size_t done; /* elements of base */
	long shift;  /* from base to ours */
	struct seq_join *how;
	struct buffer *out;
	size_t written;
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
		put(g, x->o, x->n_o);
		clash(g, x->at_o, x->n_o);
	}
	return r;
}

/* Do two changes concern the same elements, or add at the same place? */
static bool meet(const struct hunk *x, size_t from, size_t to)
{
	if (x->from == x->to || from == to)
		return (x->from == from && x->to == to) || (x->from > from && x->from < to) ||
		       (from > x->from && from < x->to);
	return x->from < to && from < x->to;
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
	while (more) {
		more = false;
		for (; i < o->n && meet(&o->at[i], x->from, x->to); i++, more = true)
			x->to = o->at[i].to > x->to ? o->at[i].to : x->to;
		for (; j < t->n && meet(&t->at[j], x->from, x->to); j++, more = true)
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

int seq_merge(const struct seq *b, const struct seq *o, const struct seq *t, struct seq_join *how,
	struct buffer *out)
{
	struct joining g = {.b = b, .o = o, .t = t, .how = how, .out = out};
	int r = seq_diff(b, o, &g.ho);

	how->clashes = 0;
	if (r == 0)
		r = seq_diff(b, t, &g.ht);
	if (r == 0)
		r = merge_hunks(&g);
	free(g.ho.at);
	free(g.ht.at);
	return r < 0 ? r : out->error;
}
