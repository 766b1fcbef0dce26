/* SPDX-License-Identifier: Zlib */
/* mapfs cat: print files of a map. */
#include <errno.h>
#include <string.h>

#include "base/output.h"
#include "cli/cli.h"
#include "cli/line/command.h"

enum { PIECE = 256 << 10 };

static int print_file(struct command *c, const struct offline_file *a)
{
	static char piece[PIECE];
	uint64_t off = 0;
	ssize_t n;

	do {
		n = offline_read_at(&c->tree, a, off, piece, PIECE);
		/* Stop when the output cannot be written. */
		if (n > 0)
			c->failed = output_write(piece, (size_t)n);
		off += PIECE;
	} while (n > 0 && !c->failed && off < a->size);
	return n < 0 ? (int)n : c->failed;
}

static int print_match(void *arg, const char *path, const struct offline_file *a)
{
	struct command *c = arg;
	int r = S_ISDIR(a->mode) ? -EISDIR : print_file(c, a);

	if (r < 0)
		c->last_error = r;
	if (r < 0 && !c->failed)
		offline_print_error(&c->tree, path, r);
	return c->failed;
}

static int run_cat(struct command *c)
{
	int r = command_open(c, c->names[0], NULL, 0);

	if (r == 0)
		command_each(c, 1, print_match);
	return (int)offline_outcome(r < 0 ? r : c->last_error);
}

const struct command_line cli_cat = {.min_names = 2,
	.operands = "a file and paths in it",
	.always_prints = true,
	.run = run_cat};
