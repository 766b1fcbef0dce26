/* SPDX-License-Identifier: Zlib */
/* mapfs text: all of a map as one text, for git and other programs that compare lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/reader.h"
#include "cli/offline/streams.h"
#include "cli/offline/walk.h"
#include "cli/offline/output.h"

enum { PIECE = 64 << 10, TEXT_MAX = 1 << 30 /* bytes of one file */ };

struct text {
	struct offline tree;
	int worst;
	int failed; /* nobody takes the output any more */
};

static int print(struct text *x, const void *data, size_t n)
{
	int r = output_write(data, n);

	if (r < 0)
		x->failed = r;
	return r;
}

static int print_buffer(struct text *x, const struct buffer *b)
{
	return b->error ? b->error : print(x, b->data, b->size);
}

/* All of it, and the end of its last line. */
static int print_text(struct text *x, struct reader *from)
{
	char piece[PIECE], last = '\n';
	ssize_t n;

	while ((n = reader_take(from, piece, sizeof(piece))) > 0) {
		int r = print(x, piece, (size_t)n);

		if (r < 0)
			return r;
		last = piece[n - 1];
	}
	return n < 0 ? (int)n : last == '\n' ? 0 : print(x, "\n", 1);
}

static int print_sum(struct text *x, const char *path, struct reader *from)
{
	unsigned long sum = crc32_z(0, NULL, 0);
	CLEANUP_BUFFER struct buffer line = BUFFER_INIT;
	unsigned char piece[PIECE];
	ssize_t n;

	while ((n = reader_take(from, piece, sizeof(piece))) > 0)
		sum = crc32_z(sum, piece, (size_t)n);
	buffer_printf(&line, "# %s %" PRIu64 " bytes, CRC-32 %08lx\n", path, from->size, sum);
	return n < 0 ? (int)n : print_buffer(x, &line);
}

static int print_file(struct text *x, const char *path, struct reader *from)
{
	CLEANUP_BUFFER struct buffer line = BUFFER_INIT;
	int r = from->size > TEXT_MAX ? -EFBIG : reader_is_text(from);

	reader_rewind(from);
	if (r <= 0)
		return r < 0 ? r : print_sum(x, path, from);
	buffer_printf(&line, "# %s\n", path);
	r = print_buffer(x, &line);
	return r < 0 ? r : print_text(x, from);
}

static int show(void *arg, const char *path, const struct attr *a)
{
	CLEANUP_BUFFER struct buffer line = BUFFER_INIT;
	struct text *x = arg;
	struct reader from;
	int r;

	if (S_ISDIR(a->mode))
		return 0;
	r = reader_open(&x->tree, path, &from);
	if (r == 0)
		r = print_file(x, path, &from);
	reader_close(&from);
	if (r < 0 && !x->failed) {
		x->worst = command_fail(&x->tree, path, r);
		buffer_printf(&line, "# %s cannot be read\n", path);
		(void)print_buffer(x, &line);
	}
	return x->failed;
}

static int match(void *arg, const char *path, const struct attr *a)
{
	(void)a;
	return offline_walk(&((struct text *)arg)->tree, path, show, NULL, arg);
}

static int run(struct command *c, struct text *x)
{
	char root[] = "", *all[] = {root}, **paths = c->n_names > 1 ? c->names + 1 : all;
	int n = c->n_names > 1 ? c->n_names - 1 : 1;
	int r = command_open(c, c->names[0], NULL, 0, &x->tree);

	for (int i = 0; r == 0 && i < n && !x->failed; i++) {
		int one = offline_match(&x->tree, paths[i], match, x);

		if (one < 0 && !x->failed)
			x->worst = command_fail(&x->tree, paths[i], one);
	}
	return (int)command_outcome(r < 0 ? r : x->failed ? x->failed : x->worst);
}

int cli_text(int argc, char **argv)
{
	static const struct option long_options[] = {COMMAND_LONG_OPTIONS};
	struct text x = {0};
	struct command c;
	int option;

	command_begin(&c, "text");
	/* What raw/ shows the other files say, and its numbers change from save to save. */
	(void)options_add(&c.options, "raw=off", NULL);
	/* A checksum is the same however images are shown. */
	c.fixed = "png=stored";
	option = command_option(&c, argc, argv, COMMAND_LETTERS, long_options);
	/* Where it goes in any case. */
	if (option == -1 && c.n_names > 1 && streams_named(c.names[c.n_names - 1]))
		c.n_names--;
	if (option == -1 && c.n_names < 1)
		c.code = cli_usage("text: no file was named");
	if (option == -1 && c.n_names >= 1) {
		c.code = run(&c, &x);
		command_close(&x.tree);
	}
	command_finish(&c);
	return c.code;
}
