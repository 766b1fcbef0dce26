/* SPDX-License-Identifier: Zlib */
#include "codec/text/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { INPUT = 64 << 10 };

struct buffers {
	int32_t run[CSV_RUN];
	uint8_t text[INPUT];
};

struct parser {
	const struct extent *in;
	uint64_t read; /* bytes of in that were read into `buffers` */
	const uint8_t *s, *end;
	int error; /* of reading; sticky */

	uint32_t width, height; /* 0: unknown before the end of the first line, or of the table */
	int32_t min, max;
	csv_take_fn take;
	void *arg;
	struct error *e;

	uint32_t row, column; /* of the current cell, from 0 */
	char separator;       /* the character after the first cell; 0: none yet */

	uint64_t first; /* index of the cell in buffers->run[0] */
	size_t n;
	struct buffers *buffers;
};

/* A cell as parsed so far. */
struct cell {
	bool open; /* in quotes, not closed yet */
	bool digits;
	int64_t value;
};

/* Read the next bytes. Returns the first of them, or -1 at the end and after an error. */
static __attribute__((noinline, cold)) int refill(struct parser *p)
{
	uint64_t left = p->in->size - p->read;
	size_t n = left < INPUT ? (size_t)left : INPUT;

	if (n && !p->error)
		p->error = extent_read(p->in, p->read, p->buffers->text, n, p->e);
	if (!n || p->error)
		return -1;
	p->read += n;
	p->s = p->buffers->text;
	p->end = p->buffers->text + n;
	return *p->s;
}

/* The next character, or -1. */
static inline int peek_byte(struct parser *p)
{
	return p->s < p->end ? *p->s : refill(p);
}

static int refuse_cell(const struct parser *p, const char *what)
{
	return error_set(p->e, -EINVAL, "line %" PRIu64 ", column %" PRIu64 ": %s",
		(uint64_t)p->row + 1, (uint64_t)p->column + 1, what);
}

static int flush_cells(struct parser *p)
{
	int r = p->n && p->take ? p->take(p->arg, p->first, p->buffers->run, p->n, p->e) : 0;

	p->first += p->n;
	p->n = 0;
	return r;
}

static int end_cell(struct parser *p, struct cell cell)
{
	if (cell.open)
		return refuse_cell(p, "unclosed quote");
	if (p->height && p->row >= p->height)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 ", column %" PRIu64 ": the table has %" PRIu32
			" lines of %" PRIu32 " columns",
			(uint64_t)p->row + 1, (uint64_t)p->column + 1, p->height, p->width);
	if (p->column == INT32_MAX || p->row == INT32_MAX)
		return refuse_cell(p, "the table is too large");
	if (!cell.digits)
		return refuse_cell(p, "missing number");
	if (cell.value < p->min || cell.value > p->max)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 ", column %" PRIu64 ": %" PRIi64 " is not %" PRIi32
			"..%" PRIi32,
			(uint64_t)p->row + 1, (uint64_t)p->column + 1, cell.value, p->min, p->max);
	/* Cells past the width are only counted, for the message of end_line. */
	if (!p->width || p->column < p->width)
		p->buffers->run[p->n++] = (int32_t)cell.value;
	p->column++;
	return p->n == CSV_RUN ? flush_cells(p) : 0;
}

static int end_line(struct parser *p, struct cell cell)
{
	char place[32] = "";
	int r = end_cell(p, cell);

	if (r < 0)
		return r;
	if (!p->width)
		p->width = p->column;
	if (p->column > p->width)
		snprintf(place, sizeof(place), ", column %" PRIu64 ": it", (uint64_t)p->width + 1);
	if (p->column != p->width)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 "%s has %" PRIu32 " columns (must be %" PRIu32 ")%s",
			(uint64_t)p->row + 1, place, p->column, p->width,
			p->height ? "" : ", unlike line 1");
	p->row++;
	p->column = 0;
	return 0;
}

static int refuse_other(const struct parser *p, int c)
{
	char what[32];

	if (c > 0x20 && c < 0x7f)
		snprintf(what, sizeof(what), "'%c' is not part of a number", c);
	else
		snprintf(what, sizeof(what), "byte %02x is not part of a number", c);
	return refuse_cell(p, what);
}

/* Skip a character; the next one, or -1. */
static inline int next_byte(struct parser *p)
{
	p->s++;
	return peek_byte(p);
}

/* Tabs are blanks, unless the separator is a tab. */
static bool is_blank(const struct parser *p, int c)
{
	return c == ' ' || (c == '\t' && p->separator != '\t');
}

/* Skip blanks. Returns whether one was a tab. */
static bool skip_blanks(struct parser *p)
{
	bool tab = false;
	int c;

	for (c = peek_byte(p); is_blank(p, c); c = next_byte(p))
		tab |= c == '\t';
	return tab;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int read_number(struct parser *p, struct cell *ret)
{
	int64_t value = 0;
	bool negative, digits;
	int c = peek_byte(p);

	negative = c == '-';
	if (negative)
		c = next_byte(p);
	for (digits = is_digit(c); is_digit(c) && value <= UINT32_MAX; c = next_byte(p))
		value = 10 * value + (c - '0');
	if (value > UINT32_MAX)
		return refuse_cell(p, "the number is too large");
	if (negative && !digits && is_blank(p, c))
		return refuse_cell(p, "missing number after the minus");
	ret->digits = digits;
	ret->value = negative ? -value : value;
	return 0;
}

/* Read the end of a cell: c, the next character. Spreadsheets write semicolons in some countries,
 * and some programs write tabs. */
static int read_end(struct parser *p, struct cell cell, int c)
{
	switch (c) {
	case ',':
	case ';':
	case '\t':
		if (!p->separator)
			p->separator = (char)c;
		if (p->separator != c)
			return refuse_other(p, c);
		p->s++;
		return end_cell(p, cell);
	case '\r':
		p->s++;
		c = peek_byte(p);
		if (c >= 0 && c != '\n')
			return refuse_cell(p, "carriage return inside a line");
		break;
	case '"':
		return refuse_cell(p, "unexpected quote");
	case '\n':
	case -1:
		break;
	default:
		return is_digit(c) ? refuse_cell(p, "missing comma between two numbers")
				   : refuse_other(p, c);
	}
	if (p->error)
		return p->error;
	if (c == '\n')
		p->s++;
	return end_line(p, cell);
}

static int read_cell(struct parser *p)
{
	struct cell cell = {0};
	bool tab;
	int c, r;

	skip_blanks(p);
	cell.open = peek_byte(p) == '"';
	if (cell.open) {
		p->s++;
		skip_blanks(p);
	}
	r = read_number(p, &cell);
	if (r < 0)
		return r;
	tab = skip_blanks(p);
	if (cell.open && cell.digits && peek_byte(p) == '"') {
		cell.open = false;
		p->s++;
		tab |= skip_blanks(p);
	}
	c = peek_byte(p);
	/* A tab between the first two numbers is the separator. */
	if (tab && !p->separator && !cell.open && (c == '-' || c == '"' || is_digit(c))) {
		p->separator = '\t';
		return end_cell(p, cell);
	}
	return read_end(p, cell, c);
}

static void skip_mark(struct parser *p)
{
	static const uint8_t mark[] = {0xef, 0xbb, 0xbf};

	if (peek_byte(p) >= 0 && p->end - p->s >= (ptrdiff_t)sizeof(mark) &&
		memcmp(p->s, mark, sizeof(mark)) == 0)
		p->s += sizeof(mark);
}

static int read_lines(struct parser *p)
{
	int r = 0;

	skip_mark(p);
	while (r == 0) {
		if (!p->column)
			skip_blanks(p);
		if (!p->column && peek_byte(p) < 0)
			return p->error;
		r = read_cell(p);
	}
	return r;
}

/* Parse the whole table. The caller has set up p. */
static int read_table(struct parser *p)
{
	CLEANUP(free) struct buffers *buffers = malloc(sizeof(*buffers));
	int r;

	if (!buffers)
		return error_set(p->e, -ENOMEM, "out of memory");
	p->buffers = buffers;
	r = read_lines(p);
	if (r == 0 && p->height && p->row != p->height)
		r = error_set(p->e, -EINVAL,
			"the table has %" PRIu32 " lines (must be %" PRIu32 ")", p->row, p->height);
	return r < 0 ? r : flush_cells(p);
}

int csv_parse(const struct extent *in, const struct csv_shape *shape, int32_t min, int32_t max,
	csv_take_fn take, void *arg, struct error *e)
{
	struct parser p = {.in = in,
		.width = shape->width,
		.height = shape->height,
		.min = min,
		.max = max,
		.take = take,
		.arg = arg,
		.e = e};

	return read_table(&p);
}

int csv_measure(
	const struct extent *in, int32_t min, int32_t max, struct csv_shape *ret, struct error *e)
{
	struct parser p = {.in = in, .min = min, .max = max, .e = e};
	int r = read_table(&p);

	if (r == 0 && !p.row)
		r = error_set(e, -EINVAL, "the table has no lines");
	if (r == 0)
		*ret = (struct csv_shape){.width = p.width, .height = p.row};
	return r;
}
