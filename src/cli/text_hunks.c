/* SPDX-License-Identifier: Zlib */
#include "cli/text_hunks.h"

#include <string.h>

#include "base/cleanup.h"
#include "cli/merging/seq.h"

enum { CONTEXT = 3 };

/* Lines with their ends: the last one may have none, which is a difference, too. */
static int split(const struct bytes *b, struct seq *ret)
{
	const char *at = (const char *)b->data, *end = at + b->size;
	int r = 0;

	while (r == 0 && at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		next = next ? next + 1 : end;
		r = seq_add(ret, at, (size_t)(next - at));
		at = next;
	}
	return r;
}

static void print(struct buffer *out, char mark, const struct seq *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct span *l = &s->at[i];

		buffer_byte(out, (uint8_t)mark);
		buffer_append(out, l->at, l->n);
		if (l->at[l->n - 1] != '\n')
			buffer_text(out, "\n\\ No newline at end of file\n");
	}
}

/* Lines are counted from 1; a range without any stands behind the line before it. */
static void print_range(struct buffer *out, size_t from, size_t n)
{
	buffer_printf(out, n == 1 ? "%zu" : "%zu,%zu", n ? from + 1 : from, n);
}

/* Differences that are near to each other, with what stands around them. */
static void print_hunk(struct buffer *out, const struct seq *a, const struct seq *b,
	const struct hunk *h, size_t n)
{
	const struct hunk *last = &h[n - 1];
	size_t before = h->from < CONTEXT ? h->from : CONTEXT, left = a->n - last->to;
	size_t from = h->from - before, to = last->to + (left < CONTEXT ? left : CONTEXT);
	size_t b_from = h->at - before, b_to = last->at + last->n + (to - last->to);

	buffer_text(out, "@@ -");
	print_range(out, from, to - from);
	buffer_text(out, " +");
	print_range(out, b_from, b_to - b_from);
	buffer_text(out, " @@\n");
	for (size_t i = 0; i < n; i++) {
		print(out, ' ', a, i ? h[i - 1].to : from, h[i].from);
		print(out, '-', a, h[i].from, h[i].to);
		print(out, '+', b, h[i].at, h[i].at + h[i].n);
	}
	print(out, ' ', a, last->to, to);
}

int text_hunks(const struct bytes *a, const struct bytes *b, struct buffer *out)
{
	CLEANUP_SEQ struct seq x = {0}, y = {0};
	struct hunks all = {0};
	int r = split(a, &x);

	if (r == 0)
		r = split(b, &y);
	if (r == 0)
		r = seq_diff(&x, &y, &all);
	for (size_t i = 0, n; r == 0 && i < all.n; i += n) {
		n = 1;
		while (i + n < all.n && all.at[i + n].from - all.at[i + n - 1].to <= 2 * CONTEXT)
			n++;
		print_hunk(out, &x, &y, &all.at[i], n);
	}
	free(all.at);
	return r;
}
