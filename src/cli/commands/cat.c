/* SPDX-License-Identifier: Zlib */
/* mapfs cat: the bytes of files. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/line/command.h"
#include "cli/offline/output.h"

/* Where nobody takes the output any more, it ends. */
static int write_out(void *arg, const void *data, size_t n)
{
	struct command *c = arg;

	return c->failed = output_write(data, n);
}

static int show(void *arg, const char *path, const struct seen *a)
{
	struct command *c = arg;
	int r = S_ISDIR(a->mode) ? -EISDIR : offline_read(&c->tree, a, write_out, c);

	if (r < 0)
		c->worst = r;
	if (r < 0 && !c->failed)
		command_fail(&c->tree, path, r);
	return c->failed;
}

static int run(struct command *c)
{
	int r = command_open(c, c->names[0], NULL, 0);

	if (r == 0)
		command_each(c, 1, show);
	return (int)command_outcome(r < 0 ? r : c->worst);
}

const struct command_line cli_cat = {
	.least = 2, .takes = "a file and paths in it", .prints = true, .run = run};
