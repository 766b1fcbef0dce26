/* SPDX-License-Identifier: Zlib */
#include "tools/compare/seq.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

int seq_add(struct seq *s, const char *at, size_t n)
{
	if (!array_reserve(s->at, s->n, s->room))
		return -ENOMEM;
	s->at[s->n++] = (struct span){at, n};
	return 0;
}

void seq_finish(struct seq *s)
{
	free(s->at);
	*s = (struct seq){0};
}

int seq_lines(struct seq *s, const char *text, size_t n)
{
	const char *end = text + n;
	int r = 0;

	while (r == 0 && text < end) {
		const char *next = memchr(text, '\n', (size_t)(end - text));

		next = next ? next : end;
		r = seq_add(s, text, (size_t)(next - text));
		text = next + (next < end);
	}
	return r;
}

/*
 * E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): for each number of
 * differences, store the furthest reach on each diagonal, to walk back later.
 */
enum { DIFFERENCES_MAX = 3000 };

struct trace {
	int **reach; /* reach[d]: every other one of 2d + 1 diagonals */
	int n;
};

static void trace_finish(struct trace *t)
{
	for (int d = 0; d < t->n; d++)
		free(t->reach[d]);
	free(t->reach);
}

/* Is diagonal k reached with d differences from the one above it? In `before`, diagonal k + 1 is
 * at (k + d) / 2, and k - 1 at the index below it. */
static bool from_above(const int *before, int d, int k)
{
	int at = (k + d) / 2;

	return k == -d || (k != d && before[at - 1] < before[at]);
}

/* Reach of diagonal k with d differences, computed from the reaches with d - 1. */
static int reach_of(const int *before, int d, int k)
{
	int at = (k + d) / 2;

	if (d == 0)
		return 0;
	return from_above(before, d, k) ? before[at] : before[at - 1] + 1;
}

/* Returns 1, or 0 if there are too many differences. -ENOMEM. */
static int search_path(const struct span *a, int n, const struct span *b, int m, struct trace *t)
{
	int most = n + m < DIFFERENCES_MAX ? n + m : DIFFERENCES_MAX;

	t->reach = calloc((size_t)most + 1, sizeof(*t->reach));
	if (!t->reach)
		return -ENOMEM;
	for (int d = 0; d <= most; d++) {
		int *now = t->reach[d] = calloc((size_t)d + 1, sizeof(*now));

		if (!now)
			return -ENOMEM;
		t->n = d + 1;
		for (int k = -d; k <= d; k += 2) {
			int x = reach_of(d ? t->reach[d - 1] : NULL, d, k), y = x - k;

			/* x and y may be outside the sequences. */
			while (x >= 0 && y >= 0 && x < n && y < m && span_same(a[x], b[y])) {
				x++;
				y++;
			}
			now[(k + d) / 2] = x;
			if (k == n - m && x >= n)
				return 1;
		}
	}
	return 0;
}

/* Mark the equal elements on both sides, from the end to the beginning. */
static void walk_back(const struct trace *t, int n, int m, bool *same_a, bool *same_b)
{
	int x = n, y = m;

	for (int d = t->n - 1; d >= 0; d--) {
		int k = x - y, from = reach_of(d ? t->reach[d - 1] : NULL, d, k);

		while (x > from) {
			x--;
			y--;
			if (x >= 0 && x < n && y >= 0 && y < m)
				same_a[x] = same_b[y] = true;
		}
		if (d == 0)
			break;
		/* One step down or to the right. */
		if (from_above(t->reach[d - 1], d, k))
			y--;
		else
			x--;
	}
}

static int collect_hunks(
	size_t head, const bool *same_a, size_t n, const bool *same_b, size_t m, struct hunks *ret)
{
	size_t i = 0, j = 0;

	while (i < n || j < m) {
		size_t a = i, b = j;

		while (i < n && !same_a[i])
			i++;
		while (j < m && !same_b[j])
			j++;
		if (i > a || j > b) {
			if (!array_reserve(ret->at, ret->n, ret->room))
				return -ENOMEM;
			ret->at[ret->n++] = (struct hunk){head + a, head + i, head + b, j - b};
		}
		i += i < n;
		j += j < m;
	}
	return 0;
}

/* Mark equal elements by index, without a search. Returns false if the lengths differ, or fewer
 * than half of the elements are equal. */
static bool in_place(
	const struct span *a, size_t n, const struct span *b, size_t m, bool *same_a, bool *same_b)
{
	size_t same = 0;

	if (n != m)
		return false;
	for (size_t i = 0; i < n; i++) {
		same_a[i] = same_b[i] = span_same(a[i], b[i]);
		same += same_a[i];
	}
	return same >= n / 2;
}

int seq_diff(const struct seq *base, const struct seq *side, struct hunks *ret)
{
	size_t head = 0, least = base->n < side->n ? base->n : side->n, tail = 0, n, m;
	CLEANUP(free) bool *same_a = NULL, *same_b = NULL;
	struct trace t = {0};
	int r = 0;

	while (head < least && span_same(base->at[head], side->at[head]))
		head++;
	while (tail < least - head &&
		span_same(base->at[base->n - 1 - tail], side->at[side->n - 1 - tail]))
		tail++;
	n = base->n - head - tail;
	m = side->n - head - tail;
	same_a = calloc(n + 1, sizeof(*same_a));
	same_b = calloc(m + 1, sizeof(*same_b));
	if (!same_a || !same_b)
		return -ENOMEM;
	if (n && m && n < INT32_MAX / 2 && m < INT32_MAX / 2 &&
		!in_place(base->at + head, n, side->at + head, m, same_a, same_b)) {
		memset(same_a, 0, n);
		memset(same_b, 0, m);
		r = search_path(base->at + head, (int)n, side->at + head, (int)m, &t);
		if (r > 0)
			walk_back(&t, (int)n, (int)m, same_a, same_b);
		trace_finish(&t);
	}
	return r < 0 ? r : collect_hunks(head, same_a, n, same_b, m, ret);
}
