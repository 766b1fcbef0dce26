/* SPDX-License-Identifier: Zlib */
#include "codec/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { RUN = 1024 /* cells given out at a time */, INPUT = 64 << 10 };

/* What may come next in a line. */
enum state {
	BEFORE, /* blanks, a quote, a value */
	INSIDE, /* digits of a value */
	AFTER,  /* blanks, the closing quote, the end of the cell */
	RETURN, /* a carriage return: only a line feed */
};

struct parser {
	const struct csv_shape *shape;
	int32_t min, max;
	csv_take_fn take;
	void *arg;
	struct error *e;

	uint32_t row, column; /* of the cell at hand, from 0 */
	enum state state;
	bool quoted; /* the cell began with a quote */
	bool open;   /* which was not closed yet */
	bool negative, digits;
	int64_t value;

	uint64_t first; /* the cell that run[0] holds */
	size_t n;
	int32_t run[RUN];
};

static int refuse(const struct parser *p, const char *what)
{
	return error_set(p->e, -EINVAL, "line %" PRIu64 ", column %" PRIu64 ": %s",
		(uint64_t)p->row + 1, (uint64_t)p->column + 1, what);
}

static int flush(struct parser *p)
{
	int r = p->n ? p->take(p->arg, p->first, p->run, p->n, p->e) : 0;

	p->first += p->n;
	p->n = 0;
	return r;
}

static int end_cell(struct parser *p)
{
	int64_t value = p->negative ? -p->value : p->value;

	if (p->open)
		return refuse(p, "a quote is not closed");
	if (p->column >= p->shape->width || p->row >= p->shape->height)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 ", column %" PRIu64 ": the table has %" PRIu32
			" lines of %" PRIu32 " columns",
			(uint64_t)p->row + 1, (uint64_t)p->column + 1, p->shape->height,
			p->shape->width);
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
	p->quoted = p->negative = p->digits = false;
	p->value = 0;
	return p->n == RUN ? flush(p) : 0;
}

static int end_line(struct parser *p)
{
	int r = end_cell(p);

	if (r < 0)
		return r;
	if (p->column != p->shape->width)
		return error_set(p->e, -EINVAL,
			"line %" PRIu64 " has %" PRIu32 " columns (must be %" PRIu32 ")",
			(uint64_t)p->row + 1, p->column, p->shape->width);
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

static int feed_char(struct parser *p, uint8_t c)
{
	if (p->state == RETURN && c != '\n')
		return refuse(p, "a carriage return stands inside a line");
	if (c >= '0' && c <= '9')
		return digit(p, c);
	switch (c) {
	case ',':
		return end_cell(p);
	case '\n':
		return end_line(p);
	case '\r':
		p->state = RETURN;
		return 0;
	case ' ':
	case '\t':
		return blank(p);
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

static int feed_text(struct parser *p, const struct extent *in, uint8_t *text)
{
	for (uint64_t off = 0; off < in->size;) {
		size_t n = in->size - off < INPUT ? (size_t)(in->size - off) : INPUT;
		int r = extent_read(in, off, text, n, p->e);

		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++) {
			r = feed_char(p, text[i]);
			if (r < 0)
				return r;
		}
		off += n;
	}
	return 0;
}

/* Is a line begun that no line feed ended? */
static bool unfinished(const struct parser *p)
{
	return p->column || p->digits || p->negative || p->quoted || p->state != BEFORE;
}

int csv_parse(const struct extent *in, const struct csv_shape *shape, int32_t min, int32_t max,
	csv_take_fn take, void *arg, struct error *e)
{
	CLEANUP(free) uint8_t *text = malloc(INPUT);
	CLEANUP(free) struct parser *p = calloc(1, sizeof(*p));
	int r;

	if (!text || !p)
		return error_set(e, -ENOMEM, "no memory to read the table");
	p->shape = shape;
	p->min = min;
	p->max = max;
	p->take = take;
	p->arg = arg;
	p->e = e;
	r = feed_text(p, in, text);
	if (r == 0 && unfinished(p))
		r = end_line(p);
	if (r < 0)
		return r;
	if (p->row != shape->height)
		return error_set(e, -EINVAL,
			"the table has %" PRIu32 " lines (must be %" PRIu32 ")", p->row,
			shape->height);
	return flush(p);
}
