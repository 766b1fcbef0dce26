/* SPDX-License-Identifier: Zlib */
#include "codec/text/csv_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse_place(const struct csv_cell *cell, struct error *e, const char *why)
{
	return error_set(
		e, -EINVAL, "line %" PRIu64 ", column %u: %s", cell->line, cell->column + 1, why);
}

int csv_refuse(const struct csv_cell *cell, struct error *e, const char *why, ...)
{
	char text[CSV_CELL_MAX + 256];
	int n = snprintf(text, sizeof(text), "%s ", cell->text);
	va_list ap;

	va_start(ap, why);
	vsnprintf(text + n, sizeof(text) - (size_t)n, why, ap);
	va_end(ap);
	return refuse_place(cell, e, text);
}

static int expect_text(const struct csv_cell *cell, struct error *e)
{
	return *cell->text ? 0 : refuse_place(cell, e, "missing number");
}

int csv_as_int(const struct csv_cell *cell, int64_t min, int64_t max, int64_t *ret, struct error *e)
{
	const char *digits = cell->text + (*cell->text == '-');
	int r = expect_text(cell, e);
	int64_t value;
	char *end;

	if (r < 0)
		return r;
	errno = 0;
	value = strtoll(cell->text, &end, 10);
	/* strtoll accepts a sign and spaces, too. */
	if (*end || *digits < '0' || *digits > '9')
		return csv_refuse(cell, e, "is not an integer");
	if (errno || value < min || value > max)
		return csv_refuse(cell, e, "is not %" PRIi64 "..%" PRIi64, min, max);
	*ret = value;
	return 0;
}

int csv_as_float(const struct csv_cell *cell, float *ret, struct error *e)
{
	int r = expect_text(cell, e);
	char *end;
	float f;

	if (r < 0)
		return r;
	f = strtof(cell->text, &end);
	/* strtof accepts hexadecimal numbers, "inf" and "nan", too. */
	if (*end || cell->text[strspn(cell->text, "0123456789+-.eE")])
		return csv_refuse(cell, e, "is not a number");
	if (!isfinite(f))
		return csv_refuse(cell, e, "does not fit a 32-bit float");
	*ret = f;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void trim_cell(const char **s, const char **end)
{
	while (*s < *end && is_blank(**s))
		++*s;
	while (*s < *end && is_blank((*end)[-1]))
		--*end;
}

/* Copy the text of the cell at s. Returns the text after its comma, or NULL. */
static const char *read_cell(const char *s, const char *end, char text[CSV_CELL_MAX])
{
	const char *comma = memchr(s, ',', (size_t)(end - s)), *to = comma ? comma : end;
	size_t n = 0;

	trim_cell(&s, &to);
	if (to - s >= 2 && *s == '"' && to[-1] == '"') {
		s++;
		to--;
		trim_cell(&s, &to);
	}
	for (; s < to && n < CSV_CELL_MAX - sizeof("..."); s++)
		text[n++] = (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s;
	strcpy(text + n, s < to ? "..." : "");
	return comma ? comma + 1 : NULL;
}

struct reader {
	const char *const *header;
	csv_cell_fn take;
	void *arg;
	struct error *e;
	struct csv_cell cell;
};

static int read_line(struct reader *p, const char *s, const char *end)
{
	struct csv_cell *cell = &p->cell;
	int r = 0;

	for (cell->column = 0; r == 0 && p->header[cell->column]; cell->column++) {
		if (!s)
			return refuse_place(cell, p->e, "missing cell");
		s = read_cell(s, end, cell->text);
		if (cell->line > 1)
			r = p->take(p->arg, cell, p->e);
		else if (strcmp(cell->text, p->header[cell->column]) != 0)
			r = csv_refuse(cell, p->e, "is not the name of this column (must be %s)",
				p->header[cell->column]);
	}
	return r == 0 && s ? refuse_place(cell, p->e, "too many cells") : r;
}

int csv_table_read(const struct extent *in, uint64_t max, const char *const *header,
	csv_cell_fn take, void *arg, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct reader p = {.header = header, .take = take, .arg = arg, .e = e};
	int r = extent_load(in, max, &text, e);
	const char *s = r == 0 ? (const char *)text->data : NULL;
	const char *end = r == 0 ? s + text->size : NULL;

	while (r == 0 && s < end) {
		const char *lf = memchr(s, '\n', (size_t)(end - s)), *stop = lf ? lf : end;
		const char *first = s, *last;

		p.cell.line++;
		if (stop > s && stop[-1] == '\r')
			stop--;
		last = stop;
		trim_cell(&first, &last);
		if (p.cell.line == 1 || first < last)
			r = read_line(&p, s, stop);
		s = lf ? lf + 1 : end;
	}
	return r;
}
