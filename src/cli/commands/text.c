/* SPDX-License-Identifier: Zlib */
/* mapfs text: print a map as one text, for git and other programs that compare lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

#include "base/output.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "vfs/offline/reader.h"

enum {
	CELLS = 16 /* of a line of text */,
	PIECE = 64 << 10,
	TEXT_MAX = 1 << 30 /* bytes of one file */
};

struct text {
	struct command command;
	struct buffer out;
};

/* Write the buffered output if it is larger than most. Returns 0, or -errno once a write failed. */
static int flush_output(struct text *x, size_t most)
{
	int *failed = &x->command.failed; /* the output cannot be written */

	if (!*failed && (x->out.size > most || x->out.error))
		*failed = output_text(&x->out);
	return *failed;
}

/* Print a text. Adds a newline if the last line has none. */
static int print_text(struct text *x, struct reader *from)
{
	const char *line;
	char last = '\n';
	size_t n;
	int r;

	while ((r = reader_next(from, PIECE, &line, &n)) > 0 && flush_output(x, PIECE) == 0) {
		buffer_append(&x->out, line, n);
		last = line[n - 1];
	}
	if (last != '\n')
		buffer_byte(&x->out, '\n');
	return r;
}

/* The length of a row without zeros at its end. A cell is `cell` wide, with its separator. */
static size_t trim_zeros(const char *cells, size_t n, size_t cell)
{
	while (n && cells[n - 2] == '0' && (cell < 3 || cells[n - 3] == ' '))
		n -= cell;
	return n;
}

/* Print a row in pieces, each with its position and without zeros at its end. So lines are short,
 * and unedited ones stay the same if the table is resized. */
static void print_row(struct text *x, size_t y, const char *row, size_t n, size_t cell)
{
	size_t piece = CELLS * cell, end = trim_zeros(row, n + 1, cell);

	for (size_t at = 0; at < end; at += piece) {
		size_t left = end - at < piece ? end - at : piece;
		size_t some = trim_zeros(row + at, left, cell);

		if (!some)
			continue;
		buffer_printf(&x->out, "line %zu, column %zu: ", y, at / cell + 1);
		buffer_append(&x->out, row + at, some - 1);
		buffer_byte(&x->out, '\n');
	}
}

static int print_table(struct text *x, struct reader *from, size_t cell)
{
	const char *row;
	size_t n;
	int r;

	for (size_t y = 1; (r = reader_line(from, &row, &n)) > 0 && flush_output(x, PIECE) == 0;
		y++) {
		if ((n + 1) % cell)
			return -EIO;
		print_row(x, y, row, n, cell);
	}
	return r;
}

static int print_sum(struct text *x, const char *path, struct reader *from)
{
	unsigned long sum = crc32_z(0, NULL, 0);
	unsigned char piece[PIECE];
	ssize_t n;

	while ((n = reader_read(from, piece, sizeof(piece))) > 0)
		sum = crc32_z(sum, piece, (size_t)n);
	if (n == 0)
		buffer_printf(
			&x->out, "# %s %" PRIu64 " bytes, CRC-32 %08lx\n", path, from->size, sum);
	return (int)n;
}

static int print_file(struct text *x, const char *path, struct reader *from)
{
	const char *dot = strrchr(path, '.');
	struct shape shape;
	int r = from->size > TEXT_MAX ? -EFBIG : reader_is_text(from);

	reader_rewind(from);
	if (r <= 0)
		return r < 0 ? r : print_sum(x, path, from);
	buffer_printf(&x->out, "# %s\n", path);
	/* In other formats a .csv file is plain text. */
	r = x->command.tree.vol->format->has_positions && dot && strcmp(dot, ".csv") == 0
		    ? reader_grid(from, &shape)
		    : 0;
	reader_rewind(from);
	return r < 0 ? r : r ? print_table(x, from, shape.cell) : print_text(x, from);
}

static int print_walked(void *arg, const char *path, const struct offline_file *a)
{
	struct text *x = arg;
	struct reader from;
	int r;

	if (S_ISDIR(a->mode))
		return 0;
	r = reader_open(&x->command.tree, path, &from);
	if (r == 0)
		r = print_file(x, path, &from);
	reader_close(&from);
	if (r < 0) {
		x->command.last_error = offline_print_error(&x->command.tree, path, r);
		buffer_printf(&x->out, "# cannot read %s\n", path);
	}
	return flush_output(x, PIECE);
}

static int print_match(void *arg, const char *path, const struct offline_file *)
{
	return offline_walk(&((struct command *)arg)->tree, path, print_walked, NULL, arg);
}

static int run_text(struct command *c)
{
	struct text *x = (struct text *)c;
	int r = command_open(c, c->names[0], NULL, 0);

	if (r == 0)
		command_each(c, 1, print_match);
	(void)flush_output(x, 0);
	buffer_finish_free(&x->out);
	return (int)offline_outcome(r < 0 ? r : c->failed ? c->failed : c->last_error);
}

/* raw=off: raw/ repeats the other files, with numbers that change from save to save. png=stored:
 * the checksums of images must not depend on -o png. */
const struct command_line cli_text = {.min_names = 1,
	.operands = "a file and paths in it",
	.always_prints = true,
	.default_options = "raw=off",
	.fixed_options = "png=stored",
	.size = sizeof(struct text),
	.run = run_text};
