/* SPDX-License-Identifier: Zlib */
#include "codec/text/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { INPUT = 64 << 10, DIGITS = 9 /* fit 32 bits whatever they are */, BLANKS = 11 };

/* What may come next in a line. */
enum state {
	BEFORE, /* blanks, a quote, a value */
	INSIDE, /* digits of a value */
	AFTER,  /* blanks, the closing quote, the end of the cell */
	RETURN, /* a carriage return: only a line feed */
};

struct parser {
	uint32_t width,
		height; /* 0: not known yet, which is for the first line, or the end, to say */
	int32_t min, max;
	csv_take_fn take;
	void *arg;
	struct error *e;

	uint32_t row, column; /* of the cell at hand, from 0 */
	char separator; /* what follows the first cell that anything follows; 0: none has yet */
	bool tab;       /* a tab follows the value at hand */
	enum state state;
	bool quoted; /* the cell began with a quote */
	bool open;   /* which was not closed yet */
	bool negative, digits;
	int64_t value;

	uint64_t first; /* the cell that run[0] holds */
	size_t n;
	int32_t run[CSV_RUN];
};

static int refuse(const struct parser *p, const char *what)
{
	return error_set(p->e, -EINVAL, "line %" PRIu64 ", column %" PRIu64 ": %s",
		(uint64_t)p->row + 1, (uint64_t)p->column + 1, what);
}

static int flush(struct parser *p)
{
	int r = p->n && p->take ? p->take(p->arg, p->first, p->run, p->n, p->e) : 0;

	p->first += p->n;
	p->n = 0;
	return r;
}

static int end_cell(struct parser *p)
{
	int64_t value = p->negative ? -p->value : p->value;

	if (p->open)
		return refuse(p, "a quote is not closed");
	if ((p->width && p->column >= p->width) || (p->height && p->row >= p->height))
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 ", column %" PRIu64 ": the table has %" PRIu32
			" lines of %" PRIu32 " columns",
			(uint64_t)p->row + 1, (uint64_t)p->column + 1, p->height, p->width);
	if (p->column == INT32_MAX || p->row == INT32_MAX)
		return refuse(p, "the table is too large");
	if (!p->digits)
		return refuse(p, "there is no number");
	if (value < p->min || value > p->max)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 ", column %" PRIu64 ": %" PRIi64 " is not %" PRIi32
			"..%" PRIi32,
			(uint64_t)p->row + 1, (uint64_t)p->column + 1, value, p->min, p->max);
	p->run[p->n++] = (int32_t)value;
	p->column++;
	p->state = BEFORE;
	p->quoted = p->negative = p->digits = p->tab = false;
	p->value = 0;
	return p->n == CSV_RUN ? flush(p) : 0;
}

static int end_line(struct parser *p)
{
	int r = end_cell(p);

	if (r < 0)
		return r;
	if (!p->width)
		p->width = p->column;
	if (p->column != p->width)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 " has %" PRIu32 " columns (must be %" PRIu32 ")",
			(uint64_t)p->row + 1, p->column, p->width);
	p->row++;
	p->column = 0;
	return 0;
}

static int digit(struct parser *p, uint8_t c)
{
	if (p->state == AFTER)
		return refuse(p, "a comma is missing between two numbers");
	p->state = INSIDE;
	p->digits = true;
	p->value = 10 * p->value + (c - '0');
	if (p->value > UINT32_MAX)
		return refuse(p, "the number is too large");
	return 0;
}

static int quote(struct parser *p)
{
	if (p->state == BEFORE && !p->quoted) {
		p->quoted = p->open = true;
		return 0;
	}
	if (!p->open || !p->digits)
		return refuse(p, "a quote stands where none may be");
	p->open = false;
	p->state = AFTER;
	return 0;
}

static int blank(struct parser *p)
{
	if (p->state != INSIDE)
		return 0;
	if (!p->digits)
		return refuse(p, "there is no number after the minus");
	p->state = AFTER;
	return 0;
}

static int other(const struct parser *p, uint8_t c)
{
	char what[32];

	if (c > 0x20 && c < 0x7f)
		snprintf(what, sizeof(what), "'%c' is not part of a number", c);
	else
		snprintf(what, sizeof(what), "byte %02x is not part of a number", c);
	return refuse(p, what);
}

/* Spreadsheets of other countries write semicolons, and some programs tabs. */
static int separator(struct parser *p, uint8_t c)
{
	if (!p->separator)
		p->separator = (char)c;
	return p->separator == c ? end_cell(p) : other(p, c);
}

static int tab(struct parser *p)
{
	if (p->separator == '\t')
		return end_cell(p);
	p->tab = p->digits;
	return blank(p);
}

static int feed_char(struct parser *p, uint8_t c)
{
	if (p->state == RETURN && c != '\n')
		return refuse(p, "a carriage return stands inside a line");
	/* Two numbers with a tab between them, where nothing else was between any. */
	if (p->tab && !p->separator && (c == '-' || c == '"' || (c >= '0' && c <= '9')) &&
		!p->open) {
		int r = separator(p, '\t');

		if (r < 0)
			return r;
	}
	if (c >= '0' && c <= '9')
		return digit(p, c);
	switch (c) {
	case ',':
	case ';':
		return separator(p, c);
	case '\n':
		return end_line(p);
	case '\r':
		p->state = RETURN;
		return 0;
	case ' ':
		return blank(p);
	case '\t':
		return tab(p);
	case '"':
		return quote(p);
	case '-':
		if (p->state != BEFORE)
			return other(p, c);
		p->state = INSIDE;
		p->negative = true;
		return 0;
	default:
		return other(p, c);
	}
}

/* A plain cell: its value, and what follows it. NULL where it is another, or not all there. */
static const uint8_t *plain_cell(const uint8_t *s, const uint8_t *end, int32_t *ret)
{
	const uint8_t *digits;
	int32_t value = 0;
	bool negative;
	unsigned n;

	for (n = 0; s < end && *s == ' ' && n < BLANKS; n++)
		s++;
	negative = s < end && *s == '-';
	s += negative;
	for (digits = s; s < end && (uint8_t)(*s - '0') < 10 && s - digits < DIGITS; s++)
		value = 10 * value + (*s - '0');
	*ret = negative ? -value : value;
	return s < end && s > digits ? s : NULL;
}

/*
 * Takes plain cells from the begin of one on, which are all that our own tables have. Stops before
 * the first that is anything else, a fault included: that is read, and refused, by feed_char.
 */
static const uint8_t *take_plain(struct parser *p, const uint8_t *s, const uint8_t *end, int *ret)
{
	const uint8_t *next;
	int32_t value;

	*ret = 0;
	if (p->state != BEFORE || p->quoted || !p->separator || !p->width)
		return s;
	while (*ret == 0 && (next = plain_cell(s, end, &value))) {
		bool last = p->column + 1 == p->width;

		if (*next != (last ? '\n' : p->separator) || value < p->min || value > p->max ||
			p->column >= p->width ||
			(p->height ? p->row >= p->height : p->row == INT32_MAX))
			break;
		p->run[p->n++] = value;
		p->column = last ? 0 : p->column + 1;
		p->row += last;
		s = next + 1;
		if (p->n == CSV_RUN)
			*ret = flush(p);
	}
	return s;
}

static int feed_chars(struct parser *p, const uint8_t *s, size_t n)
{
	const uint8_t *end = s + n;
	int r = 0;

	while (r == 0 && s < end) {
		s = take_plain(p, s, end, &r);
		if (r == 0 && s < end)
			r = feed_char(p, *s++);
	}
	return r;
}

static int feed_text(struct parser *p, const struct extent *in, uint8_t *text)
{
	static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
	uint64_t off = 0;

	if (in->size >= sizeof(mark)) {
		int r = extent_read(in, 0, text, sizeof(mark), p->e);

		if (r < 0)
			return r;
		off = memcmp(text, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
	}
	while (off < in->size) {
		size_t n = in->size - off < INPUT ? (size_t)(in->size - off) : INPUT;
		int r = extent_read(in, off, text, n, p->e);

		if (r < 0)
			return r;
		r = feed_chars(p, text, n);
		if (r < 0)
			return r;
		off += n;
	}
	return 0;
}

/* Is a line begun that no line feed ended? */
static bool unfinished(const struct parser *p)
{
	return p->column || p->digits || p->negative || p->quoted || p->state != BEFORE;
}

/* All of it, by a parser that knows the bounds of values and whatever else is to be known before.
 */
static int read_table(struct parser *p, const struct extent *in)
{
	CLEANUP(free) uint8_t *text = malloc(INPUT);
	int r = text ? feed_text(p, in, text)
		     : error_set(p->e, -ENOMEM, "no memory to read the table");

	if (r == 0 && unfinished(p))
		r = end_line(p);
	return r;
}

int csv_parse(const struct extent *in, const struct csv_shape *shape, int32_t min, int32_t max,
	csv_take_fn take, void *arg, struct error *e)
{
	CLEANUP(free) struct parser *p = malloc(sizeof(*p));
	int r;

	if (!p)
		return error_set(e, -ENOMEM, "no memory to read the table");
	*p = (struct parser){.width = shape->width,
		.height = shape->height,
		.min = min,
		.max = max,
		.take = take,
		.arg = arg,
		.e = e};
	r = read_table(p, in);
	if (r < 0)
		return r;
	if (p->row != shape->height)
		return error_set(e, -EINVAL,
			"the table has %" PRIu32 " lines (must be %" PRIu32 ")", p->row,
			shape->height);
	return flush(p);
}

int csv_measure(
	const struct extent *in, int32_t min, int32_t max, struct csv_shape *ret, struct error *e)
{
	CLEANUP(free) struct parser *p = malloc(sizeof(*p));
	int r;

	if (!p)
		return error_set(e, -ENOMEM, "no memory to read the table");
	*p = (struct parser){.min = min, .max = max, .e = e};
	r = read_table(p, in);
	if (r == 0 && !p->row)
		r = error_set(e, -EINVAL, "the table has no lines");
	if (r < 0)
		return r;
	*ret = (struct csv_shape){.width = p->width, .height = p->row};
	return 0;
}
