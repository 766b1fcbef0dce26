/* SPDX-License-Identifier: Zlib */
/* Texts may be large: keep a digest of each line, and read the shown lines again. */
#include "tools/compare/text_hunks.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/output.h"
#include "tools/compare/digest.h"
#include "tools/compare/seq.h"

enum { CONTEXT = 3, LINES_MAX = 1 << 18, LINES_SHOWN = 200, PIECE = 64 << 10 };

/* A text as lines with their line feeds. A missing line feed at the end is a difference. */
struct text {
	struct reader *reader;
	struct digest *at;
	size_t n, room;
	size_t next;       /* index of the line that the reader returns next */
	size_t told, most; /* changed lines shown, and their maximum */
	enum detail_length much;
};

size_t detail_bytes(enum detail_length much, const char *text, size_t n)
{
	size_t cut = DETAIL_BYTES;

	if (much != DETAIL_PAGE || n <= cut)
		return n;
	while (cut && ((uint8_t)text[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

/* Read the digest of each line, as a sequence. -EFBIG: too many lines. */
static int read_digests(struct text *t, struct seq *ret)
{
	const char *line;
	size_t n;
	int r;

	reader_rewind(t->reader);
	while ((r = reader_next(t->reader, SIZE_MAX, &line, &n)) > 0) {
		if (t->n == LINES_MAX && t->most == LINES_SHOWN)
			return -EFBIG;
		if (!array_reserve(t->at, t->n, t->room))
			return -ENOMEM;
		t->at[t->n++] = digest_of(line, n);
	}
	reader_rewind(t->reader);
	for (size_t i = 0; r == 0 && i < t->n; i++)
		r = seq_add(ret, (const char *)&t->at[i], sizeof(t->at[i]));
	return r;
}

/* Read up to line `to`. If mark is not '\0', show the lines after it; changed lines (a mark other
 * than ' ') up to t->most. */
static int pass_lines(struct text *t, size_t to, char mark, struct buffer *out)
{
	const char *line;
	size_t n, shown;

	for (; t->next < to; t->next++) {
		int r = reader_next(t->reader, SIZE_MAX, &line, &n);

		if (r <= 0)
			return r < 0 ? r : -EIO;
		if (!mark || (mark != ' ' && t->told == t->most))
			continue;
		t->told += mark != ' ';
		buffer_byte(out, (uint8_t)mark);
		shown = detail_bytes(t->much, line, n);
		buffer_append(out, line, shown);
		if (shown < n)
			buffer_text(out, " ...\n");
		else if (line[n - 1] != '\n')
			buffer_text(out, "\n\\ No newline at end of file\n");
		if (t->much != DETAIL_PAGE && out->size > PIECE && output_text(out) < 0)
			return -EIO;
	}
	return 0;
}

/* Lines are counted from 1. An empty range is at the line before it. */
static void print_range(struct buffer *out, size_t from, size_t n)
{
	buffer_printf(out, n == 1 ? "%zu" : "%zu,%zu", n ? from + 1 : from, n);
}

static bool is_enough(const struct text *a, const struct text *b)
{
	return a->told == a->most || b->told == b->most;
}

/* Print neighboring differences as one hunk with context. */
static int print_hunk(
	struct text *a, struct text *b, const struct hunk *h, size_t n, struct buffer *out)
{
	const struct hunk *last = &h[n - 1];
	size_t before = h->from < CONTEXT ? h->from : CONTEXT, left = a->n - last->to;
	size_t from = h->from - before, to = last->to + (left < CONTEXT ? left : CONTEXT);
	size_t b_from = h->at - before, b_to = last->at + last->n + (to - last->to);
	int r;

	buffer_text(out, "@@ -");
	print_range(out, from, to - from);
	buffer_text(out, " +");
	print_range(out, b_from, b_to - b_from);
	buffer_text(out, " @@\n");
	r = pass_lines(a, from, '\0', out);
	for (; r == 0 && h <= last && !is_enough(a, b); h++) {
		r = pass_lines(a, h->from, ' ', out);
		if (r == 0)
			r = pass_lines(a, h->to, '-', out);
		if (r == 0)
			r = pass_lines(b, h->at, '\0', out);
		if (r == 0)
			r = pass_lines(b, h->at + h->n, '+', out);
	}
	return r == 0 && !is_enough(a, b) ? pass_lines(a, to, ' ', out) : r;
}

static int print_hunks(struct text *a, struct text *b, const struct hunks *all, struct buffer *out)
{
	size_t removed = 0, added = 0;
	int r = 0;

	for (size_t i = 0, n; r == 0 && i < all->n && !is_enough(a, b); i += n) {
		n = 1;
		while (i + n < all->n && all->at[i + n].from - all->at[i + n - 1].to <= 2 * CONTEXT)
			n++;
		r = print_hunk(a, b, &all->at[i], n, out);
	}
	for (size_t i = 0; i < all->n; i++) {
		removed += all->at[i].to - all->at[i].from;
		added += all->at[i].n;
	}
	if (removed > a->told || added > b->told)
		buffer_printf(out, "\\ %zu more lines removed, %zu more added%s\n",
			removed - a->told, added - b->told,
			a->much == DETAIL_SOME ? " (--full shows them)" : "");
	return r;
}

int text_hunks(struct reader *a, struct reader *b, enum detail_length much, struct buffer *out)
{
	CLEANUP_SEQ struct seq in_a = {0}, in_b = {0};
	struct text x = {
		.reader = a, .most = much == DETAIL_ALL ? SIZE_MAX : LINES_SHOWN, .much = much};
	struct text y = x;
	struct hunks all = {0};
	int r = reader_is_text(a);

	if (r > 0)
		r = reader_is_text(b);
	if (r <= 0)
		return r;
	y.reader = b;
	r = read_digests(&x, &in_a);
	if (r == 0)
		r = read_digests(&y, &in_b);
	if (r == 0)
		r = seq_diff(&in_a, &in_b, &all);
	if (r == 0)
		r = print_hunks(&x, &y, &all, out);
	free(all.at);
	free(x.at);
	free(y.at);
	return r == -EFBIG ? 0 : r < 0 ? r : 1;
}
