/* SPDX-License-Identifier: Zlib */
#include "cli/commands/whole_line.h"

#include <stdint.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/cli.h"
#include "vfs/offline/streams.h"

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
	if (out && streams_named(c->names[1]) && whole_is_folder(c->names[0]))
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

int whole_line_take_one(struct command *c, char *map, const char *output, struct whole *w)
{
	if (whole_is_folder(map)) {
		print_line(stderr, "mapfs: %s: is a folder", map);
		return OUTCOME_REFUSED;
	}
	w->single[0] = map;
	w->single[1] = (char *)(uintptr_t)output;
	c->names = w->single;
	c->n_names = output ? 2 : 1;
	return whole_line_take(c, w);
}
