/* SPDX-License-Identifier: Zlib */
/* Merge texts by lines, and tables (lines of cells, below a line of column names) by cells. */
#include <errno.h>
#include <string.h>

#include "tools/join/keyed.h"

static int read_lines(const struct join *j, struct seq of[SIDES])
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++)
		if (j->sides[w])
			r = seq_lines(&of[w], (const char *)j->sides[w]->data, j->sides[w]->size);
	return r;
}

static void lines_finish(struct seq of[SIDES])
{
	for (int w = 0; w < SIDES; w++)
		seq_finish(&of[w]);
}

static int merge_lines(const struct seq of[SIDES], struct seq_join *how, struct buffer *out)
{
	int r;

	how->between = "\n";
	r = seq_merge(of, how, out);
	if (out->size)
		buffer_byte(out, '\n');
	return r;
}

static struct span all_but_last_word(struct span line)
{
	while (line.n && line.at[line.n - 1] == ' ')
		line.n--;
	while (line.n && line.at[line.n - 1] != ' ')
		line.n--;
	return line;
}

/* Lines of one word name no setting that the other line could set differently. */
static bool are_rivals(struct span o, struct span t)
{
	struct span name = all_but_last_word(o);

	return name.n && !span_same(o, t) && span_same(name, all_but_last_word(t));
}

int join_lines(struct join *j, bool both)
{
	struct seq_join how = {.both = both, .rivals = are_rivals};
	struct seq of[SIDES] = {{0}};
	int r = read_lines(j, of);

	if (r == 0)
		r = merge_lines(of, &how, &j->out);
	if (how.clashes == 1) /* counted in ours, from 1 */
		buffer_printf(&j->clashes, "1 line, line %zu", how.first + 1);
	else if (how.clashes)
		buffer_printf(&j->clashes, "%zu lines, lines %zu to %zu", how.clashes,
			how.first + 1, how.last + 1);
	lines_finish(of);
	return r;
}

struct rows_join {
	struct seq lines[SIDES]; /* the first is the header */
	char between;            /* separator of cells */
	struct buffer *out;
	size_t clashes;
	struct span first; /* key of the first clash */
};

/* The n-th cell of a line, or an empty one if the line is shorter. */
static struct span nth_cell(struct span line, char between, size_t n)
{
	const char *end = line.at + line.n, *p = line.at, *next;

	for (;; p = next + 1) {
		next = p < end ? memchr(p, between, (size_t)(end - p)) : NULL;
		if (!n--)
			return (struct span){p, (size_t)((next ? next : end) - p)};
		if (!next)
			return (struct span){end, 0};
	}
}

static size_t count_cells(struct span line, char between)
{
	size_t n = 1;

	for (size_t i = 0; i < line.n; i++)
		n += line.at[i] == between;
	return n;
}

/* Merge one line cell by cell (seq_join.inner). */
static int join_cells(void *arg, const struct span v[SIDES], struct buffer *out)
{
	const struct rows_join *j = arg;
	size_t n = count_cells(v[OURS], j->between);
	int clash = 0;

	if (n != count_cells(v[BASE], j->between) || n != count_cells(v[THEIRS], j->between)) {
		buffer_append(out, v[OURS].at, v[OURS].n);
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		struct span c[SIDES];
		enum which w;

		for (int k = 0; k < SIDES; k++)
			c[k] = nth_cell(v[k], j->between, i);
		w = span_pick(c);
		clash |= w == SIDES;
		w = w == SIDES ? OURS : w;
		if (i)
			buffer_byte(out, (uint8_t)j->between);
		buffer_append(out, c[w].at, c[w].n);
	}
	return clash;
}

/* Merge rows without a key, in their order. */
static int join_in_order(struct rows_join *j)
{
	struct seq_join how = {.inner = join_cells, .both = true, .arg = j};
	int r = merge_lines(j->lines, &how, j->out);

	j->clashes = how.clashes;
	/* Rows removed at the end of ours have no row there: report the last row. */
	if (how.clashes)
		j->first = nth_cell(j->lines[OURS].at[how.first - (how.first == j->lines[OURS].n)],
			j->between, 0);
	return r;
}

/* Merge one row. A row that one side removed is removed, unless the other side changed it. */
static int join_row(void *arg, struct span key, const struct span v[SIDES])
{
	struct rows_join *j = arg;
	enum which w = span_pick(v);
	bool clash = w == SIDES;

	if (clash)
		w = v[OURS].at ? OURS : THEIRS;
	if (!v[w].at)
		return 0;
	if (clash && v[BASE].at && v[OURS].at && v[THEIRS].at)
		clash = join_cells(j, v, j->out);
	else
		buffer_append(j->out, v[w].at, v[w].n);
	buffer_byte(j->out, '\n');
	if (clash && !j->clashes++)
		j->first = key;
	return 0;
}

/* Use a column as the key of the rows. Returns 1 if its values are unique, 0, or -ENOMEM. */
static int sort_rows(const struct rows_join *j, size_t column, struct keyed of[SIDES])
{
	int r = 1;

	for (int w = 0; r > 0 && w < SIDES; w++) {
		of[w].keys.n = of[w].values.n = 0;
		for (size_t i = 1; r > 0 && i < j->lines[w].n; i++) {
			struct span line = j->lines[w].at[i],
				    key = nth_cell(line, j->between, column);

			if (seq_add(&of[w].keys, key.at, key.n) < 0 ||
				seq_add(&of[w].values, line.at, line.n) < 0)
				r = -ENOMEM;
		}
		if (r > 0)
			r = keyed_sort(&of[w]);
	}
	return r;
}

/* Find the first of these columns with unique values. Returns 1, or 0 if there is none. -ENOMEM. */
static int find_key(const struct rows_join *j, const char *const *keys, struct keyed of[SIDES])
{
	struct span header = j->lines[OURS].at[0];
	size_t n = count_cells(header, j->between);
	int r = 0;

	for (; r == 0 && keys && *keys; keys++)
		for (size_t i = 0; r == 0 && i < n; i++)
			if (span_same(nth_cell(header, j->between, i),
				    (struct span){*keys, strlen(*keys)}))
				r = sort_rows(j, i, of);
	return r;
}

static int join_tables(struct rows_join *j, const char *const *keys)
{
	const struct seq *b = &j->lines[BASE], *o = &j->lines[OURS], *t = &j->lines[THEIRS];
	struct keyed of[SIDES] = {{.order = NULL}};
	int r;

	if (!o->n || !t->n || !span_same(o->at[0], t->at[0]) ||
		(b->n && !span_same(b->at[0], o->at[0])))
		return -ENOTSUP;
	j->between = memchr(o->at[0].at, '\t', o->at[0].n) ? '\t' : ',';
	r = find_key(j, keys, of);
	if (r > 0) {
		buffer_append(j->out, o->at[0].at, o->at[0].n);
		buffer_byte(j->out, '\n');
		r = keyed_merge(of, join_row, j);
	} else if (r == 0) {
		r = join_in_order(j);
	}
	keyed_finish(of);
	return r;
}

int join_rows(struct join *join, const char *const *keys)
{
	struct rows_join j = {.out = &join->out};
	int r = read_lines(join, j.lines);

	if (r == 0)
		r = join_tables(&j, keys);
	if (j.clashes)
		buffer_printf(&join->clashes, "%zu %s, the first is %.*s", j.clashes,
			j.clashes == 1 ? "row" : "rows", (int)j.first.n, j.first.at);
	lines_finish(j.lines);
	return r;
}
