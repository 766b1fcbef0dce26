/* SPDX-License-Identifier: Zlib */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/offline/compare.h"

enum { CONTEXT = 3 };
/* Beyond so many pairs of lines what changed is shown as all of one and then all of the other. */
enum { PAIRS_MAX = 4 << 20 };

struct line {
	const char *text;
	size_t n;
};

struct lines {
	struct line *at;
	size_t n;
};

static bool split(const struct bytes *b, struct lines *ret)
{
	const char *text = (const char *)b->data, *end = text + b->size, *at;
	size_t n = 1;

	for (at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
		n++;
	*ret = (struct lines){calloc(n, sizeof(struct line)), 0};
	while (ret->at && text < end) {
		const char *next = memchr(text, '\n', (size_t)(end - text));

		next = next ? next : end;
		ret->at[ret->n++] = (struct line){text, (size_t)(next - text)};
		text = next + (next < end);
	}
	return ret->at;
}

static bool same(const struct line *a, const struct line *b)
{
	return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static void print(struct buffer *out, char mark, const struct line *l)
{
	buffer_byte(out, (uint8_t)mark);
	buffer_append(out, l->text, l->n);
	buffer_byte(out, '\n');
}

/* The length of the longest common sequence of lines from (i, j), or NULL: too long to say. */
static uint32_t *common(const struct line *a, size_t n, const struct line *b, size_t m)
{
	uint32_t *t = n && m && n <= PAIRS_MAX / m ? calloc((n + 1) * (m + 1), sizeof(*t)) : NULL;

	for (size_t i = n; t && i-- > 0;)
		for (size_t j = m; j-- > 0;) {
			uint32_t down = t[(i + 1) * (m + 1) + j], right = t[i * (m + 1) + j + 1];

			t[i * (m + 1) + j] = same(&a[i], &b[j]) ? t[(i + 1) * (m + 1) + j + 1] + 1
					     : down > right     ? down
								: right;
		}
	return t;
}

static void print_middle(
	const struct line *a, size_t n, const struct line *b, size_t m, struct buffer *out)
{
	CLEANUP(free) uint32_t *t = common(a, n, b, m);
	size_t i = 0, j = 0;

	while (i < n || j < m) {
		if (t && i < n && j < m && same(&a[i], &b[j])) {
			print(out, ' ', &a[i++]);
			j++;
		} else if (i < n &&
			   (!t || j == m || t[(i + 1) * (m + 1) + j] >= t[i * (m + 1) + j + 1])) {
			print(out, '-', &a[i++]);
		} else {
			print(out, '+', &b[j++]);
		}
	}
}

void compare_texts(const struct bytes *a, const struct bytes *b, struct buffer *out)
{
	struct lines x, y = {0};
	size_t head = 0, tail = 0, from, to;

	if (split(a, &x) && split(b, &y)) {
		size_t least = x.n < y.n ? x.n : y.n;

		while (head < least && same(&x.at[head], &y.at[head]))
			head++;
		while (tail < least - head && same(&x.at[x.n - 1 - tail], &y.at[y.n - 1 - tail]))
			tail++;
		from = head > CONTEXT ? head - CONTEXT : 0;
		to = tail > CONTEXT ? CONTEXT : tail;
		buffer_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", from + 1, x.n - tail + to - from,
			from + 1, y.n - tail + to - from);
		for (size_t i = from; i < head; i++)
			print(out, ' ', &x.at[i]);
		print_middle(x.at + head, x.n - tail - head, y.at + head, y.n - tail - head, out);
		for (size_t i = 0; i < to; i++)
			print(out, ' ', &x.at[x.n - tail + i]);
	}
	free(x.at);
	free(y.at);
}
