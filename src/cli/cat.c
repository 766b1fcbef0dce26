/* SPDX-License-Identifier: Zlib */
/* mapfs cat: the bytes of files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/walk.h"
#include "cli/offline/output.h"
#include "cli/offline/streams.h"

struct cat {
	struct offline tree;
	int worst;
	bool stopped; /* nobody takes the output any more */
};

static int write_out(void *arg, const void *data, size_t n)
{
	struct cat *cat = arg;
	int r = output_write(data, n);

	cat->stopped |= r < 0;
	return r;
}

static int show(void *arg, const char *path, const struct seen *a)
{
	struct cat *cat = arg;
	int r = S_ISDIR(a->mode) ? -EISDIR : offline_read(&cat->tree, a, write_out, cat);

	if (r < 0)
		cat->worst = r;
	if (r < 0 && !cat->stopped)
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
