/* SPDX-License-Identifier: Zlib */
/* mapfs cat: the bytes of files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/walk.h"
#include "cli/offline/output.h"
#include "cli/offline/streams.h"

struct cat {
	struct offline tree;
	int worst;
	bool stopped; /* nobody takes the output any more */
	bool terminal;
	bool unfit;     /* the file has what a terminal would obey */
	uint8_t before; /* the last byte of the text so far */
};

/* Is there a control character but tab and the ends of lines, also of those that are two bytes
 * (U+0080 to U+009F)? */
static bool is_obeyed(struct cat *cat, const uint8_t *text, size_t n)
{
	for (; n--; text++) {
		if ((*text < ' ' && *text != '\t' && *text != '\n' && *text != '\r') ||
			*text == 0x7f || (cat->before == 0xc2 && *text < 0xa0))
			return true;
		cat->before = *text;
	}
	return false;
}

static int write_out(void *arg, const void *data, size_t n)
{
	struct cat *cat = arg;
	int r;

	cat->unfit = cat->terminal && is_obeyed(cat, data, n);
	if (cat->unfit)
		return -EINVAL;
	r = output_write(data, n);
	cat->stopped |= r < 0;
	return r;
}

static int show(void *arg, const char *path, const struct seen *a)
{
	struct cat *cat = arg;
	int r;

	cat->unfit = false;
	cat->before = 0;
	r = S_ISDIR(a->mode) ? -EISDIR : offline_read(&cat->tree, a, write_out, cat);
	if (r < 0)
		cat->worst = r;
	if (cat->unfit)
		offline_say(&cat->tree, "%s: is no text, and standard output is a terminal", path);
	else if (r < 0 && !cat->stopped)
		command_fail(&cat->tree, path, r);
	return cat->stopped ? r : 0;
}

int cli_cat(int argc, char **argv)
{
	static const struct option long_options[] = {COMMAND_LONG_OPTIONS};
	struct cat cat = {0};
	struct command c;
	int option, r;

	command_begin(&c, "cat");
	option = command_option(&c, argc, argv, COMMAND_LETTERS, long_options);
	/* Where it goes in any case. */
	if (option == -1 && c.n_names > 2 && streams_named(c.names[c.n_names - 1]))
		c.n_names--;
	if (option == -1 && c.n_names < 2)
		c.code = cli_usage("cat takes a file and paths in it");
	if (option == -1 && c.n_names >= 2) {
		c.threads = 0;
		cat.terminal = isatty(STDOUT_FILENO);
		r = command_open(&c, c.names[0], NULL, 0, &cat.tree);
		for (int i = 1; r == 0 && i < c.n_names && !cat.stopped; i++) {
			int one = offline_match(&cat.tree, c.names[i], show, &cat);

			if (one < 0 && !cat.stopped)
				cat.worst = command_fail(&cat.tree, c.names[i], one);
		}
		c.code = (int)command_outcome(r < 0 ? r : cat.worst);
		command_close(&cat.tree);
	}
	command_finish(&c);
	return c.code;
}
