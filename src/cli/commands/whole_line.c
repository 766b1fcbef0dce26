/* SPDX-License-Identifier: Zlib */
#include "cli/commands/whole_line.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "vfs/offline/streams.h"

static bool is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int check_names(const struct command *c, const struct whole *w)
{
	bool out = !w->in_place && c->n_names == 2;

	if (!w->in_place && c->n_names > 2)
		return cli_usage("%s: use --in-place to write several maps", c->name);
	if (!out && !w->dry)
		for (int i = 0; i < c->n_names; i++)
			if (streams_named(c->names[i]))
				return cli_usage(
					"%s: cannot write to standard input; name an output, or -",
					c->name);
	if (out && streams_named(c->names[1]) && is_folder(c->names[0]))
		return cli_usage(
			"%s: cannot write a folder to standard output; name a folder as OUT",
			c->name);
	if (out && !w->dry && streams_named(c->names[1]) && isatty(STDOUT_FILENO))
		return cli_usage("%s: refusing to write a map to a terminal; name a file", c->name);
	return OUTCOME_DONE;
}

int whole_line_take(struct command *c, struct whole *w)
{
	int code = check_names(c, w);

	if (code == OUTCOME_DONE && !w->dry && !command_writes(c))
		code = OUTCOME_USAGE;
	w->names = c->names;
	w->n_names = c->n_names;
	w->options = c->map_options;
	w->debug = c->debug;
	return code;
}
