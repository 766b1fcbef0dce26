/* SPDX-License-Identifier: Zlib */
/* Tables that both sides changed: lines of cells below a line with the names of the columns. */
#include <errno.h>
#include <string.h>

#include "cli/joining/join.h"
#include "cli/joining/seq_merge.h"

struct row {
	struct span line, key;
	size_t at; /* its place among the rows */
};

struct rows {
	struct seq lines; /* the first is the header */
	struct row *row;  /* by their keys */
};

struct rows_join {
	struct rows b, o, t;
	char between; /* cells */
	size_t key;   /* which of them */
	struct buffer out;
	size_t clashes;
	struct span first; /* the key of the first */
};

static void rows_finish(struct rows *r)
{
	seq_finish(&r->lines);
	free(r->row);
}

/* The cell of that number; an empty one where there are fewer. */
static struct span cell(struct span line, char between, size_t n)
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

/* What both sides made of one line, cell by cell. */
static int join_cells(void *arg, struct span b, struct span o, struct span t, struct buffer *out)
{
	const struct rows_join *j = arg;
	size_t n = count_cells(o, j->between);
	int clash = 0;

	if (n != count_cells(b, j->between) || n != count_cells(t, j->between)) {
		buffer_append(out, o.at, o.n);
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		struct span x = cell(b, j->between, i), y = cell(o, j->between, i);
		struct span z = cell(t, j->between, i), s = span_same(y, x) ? z : y;

		clash |= !span_same(y, x) && !span_same(z, x) && !span_same(y, z);
		if (i)
			buffer_byte(out, (uint8_t)j->between);
		buffer_append(out, s.at, s.n);
	}
	return clash;
}

static bool keep_both(void *arg, const struct span *o, size_t n_o, const struct span *t, size_t n_t)
{
	(void)arg, (void)o, (void)n_o, (void)t, (void)n_t;
	return true;
}

/* Rows without a key: in their order. */
static int join_in_order(struct rows_join *j)
{
	struct seq_join how = {.inner = join_cells, .both = keep_both, .arg = j, .between = "\n"};
	int r = seq_merge(&j->b.lines, &j->o.lines, &j->t.lines, &how, &j->out);

	j->clashes = how.clashes;
	if (r == 0 && how.clashes)
		j->first = cell(j->o.lines.at[how.first], j->between, 0);
	if (r == 0 && j->out.size)
		buffer_byte(&j->out, '\n');
	return r;
}

static int by_key(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	size_t n = a->key.n < b->key.n ? a->key.n : b->key.n;
	int order = n ? memcmp(a->key.at, b->key.at, n) : 0;

	return order ? order : (a->key.n > b->key.n) - (a->key.n < b->key.n);
}

/* false: two of them have one key. -ENOMEM in *r. */
static bool sort_rows(struct rows *rows, const struct rows_join *j, int *r)
{
	size_t n = rows->lines.n ? rows->lines.n - 1 : 0;

	free(rows->row);
	rows->row = calloc(n + 1, sizeof(*rows->row));
	if (!rows->row) {
		*r = -ENOMEM;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct span line = rows->lines.at[i + 1];

		rows->row[i] = (struct row){line, cell(line, j->between, j->key), i};
	}
	if (n)
		qsort(rows->row, n, sizeof(*rows->row), by_key);
	for (size_t i = 1; i < n; i++)
		if (by_key(&rows->row[i - 1], &rows->row[i]) == 0)
			return false;
	return true;
}

static const struct row *find(const struct rows *rows, struct span key)
{
	struct row like = {.key = key};
	size_t n = rows->lines.n ? rows->lines.n - 1 : 0;

	return n ? bsearch(&like, rows->row, n, sizeof(like), by_key) : NULL;
}

static void clash(struct rows_join *j, struct span key)
{
	if (!j->clashes++)
		j->first = key;
}

static void put_line(struct rows_join *j, struct span line)
{
	buffer_append(&j->out, line.at, line.n);
	buffer_byte(&j->out, '\n');
}

/* A row of ours, or one that only theirs has (o.at is NULL). */
static void put_row(struct rows_join *j, struct span key, struct span o, struct span t)
{
	const struct row *old = find(&j->b, key);
	struct span b = old ? old->line : (struct span){0};

	if (o.at && t.at && b.at && !span_same(o, b) && !span_same(t, b)) {
		if (join_cells(j, b, o, t, &j->out))
			clash(j, key);
		buffer_byte(&j->out, '\n');
	} else if (o.at && t.at) {
		if (!b.at && !span_same(o, t))
			clash(j, key);
		put_line(j, b.at && span_same(o, b) ? t : o);
	} else {
		struct span only = o.at ? o : t;

		/* Removed by the other one: it goes, unless this one changed it. */
		if (b.at && span_same(only, b))
			return;
		if (b.at)
			clash(j, key);
		put_line(j, only);
	}
}

/* Ours in their order; what only theirs has stands behind what it follows there. */
static void join_by_key(struct rows_join *j)
{
	size_t t = 1;

	put_line(j, j->o.lines.at[0]);
	for (size_t i = 1; i <= j->o.lines.n; i++) {
		struct span o = i < j->o.lines.n ? j->o.lines.at[i] : (struct span){0};
		struct span key = o.at ? cell(o, j->between, j->key) : o;
		const struct row *same = o.at ? find(&j->t, key) : NULL;

		/* What comes before it in theirs, and so far was in none. */
		if (!o.at || (same && same->at + 1 >= t)) {
			size_t to = o.at ? same->at + 1 : j->t.lines.n;

			for (; t < to; t++) {
				struct span line = j->t.lines.at[t];
				struct span other = cell(line, j->between, j->key);

				if (!find(&j->o, other))
					put_row(j, other, (struct span){0}, line);
			}
			t += o.at != NULL;
		}
		if (o.at)
			put_row(j, key, o, same ? same->line : (struct span){0});
	}
}

/* Is there a column of these names that has another value in each line? */
static bool find_key(struct rows_join *j, const char *const *keys, int *r)
{
	struct span header = j->o.lines.at[0];
	size_t n = count_cells(header, j->between);

	for (; keys && *keys; keys++)
		for (j->key = 0; j->key < n; j->key++) {
			struct span name = cell(header, j->between, j->key);

			if (name.n == strlen(*keys) && memcmp(name.at, *keys, name.n) == 0 &&
				sort_rows(&j->b, j, r) && sort_rows(&j->o, j, r) &&
				sort_rows(&j->t, j, r))
				return true;
		}
	return false;
}

static int read_rows(struct rows *rows, const struct bytes *b)
{
	return b ? seq_lines(&rows->lines, (const char *)b->data, b->size) : 0;
}

static int join_all(struct rows_join *j, const char *const *keys)
{
	int r = 0;

	if (!j->o.lines.n || !j->t.lines.n || !span_same(j->o.lines.at[0], j->t.lines.at[0]) ||
		(j->b.lines.n && !span_same(j->b.lines.at[0], j->o.lines.at[0])))
		return -ENOTSUP;
	j->between = memchr(j->o.lines.at[0].at, '\t', j->o.lines.at[0].n) ? '\t' : ',';
	if (!find_key(j, keys, &r))
		return r < 0 ? r : join_in_order(j);
	join_by_key(j);
	return j->out.error;
}

int join_rows(const struct bytes *b, const struct bytes *o, const struct bytes *t,
	const char *const *keys, struct bytes **ret, char **told)
{
	struct rows_join j = {0};
	int r = read_rows(&j.b, b);

	*told = NULL;
	if (r == 0)
		r = read_rows(&j.o, o);
	if (r == 0)
		r = read_rows(&j.t, t);
	if (r == 0)
		r = join_all(&j, keys);
	if (r == 0 && j.clashes)
		*told = text_printf("%zu %s, the first is %.*s", j.clashes,
			j.clashes == 1 ? "row" : "rows", (int)j.first.n, j.first.at);
	if (r == 0 && j.clashes && !*told)
		r = -ENOMEM;
	if (r == 0)
		r = buffer_finish(&j.out, ret);
	buffer_finish_free(&j.out);
	rows_finish(&j.b);
	rows_finish(&j.o);
	rows_finish(&j.t);
	return r;
}
