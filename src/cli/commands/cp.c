/* SPDX-License-Identifier: Zlib */
/* mapfs cp: copy parts of a map into another one. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/commands/whole_line.h"
#include "tools/cp/run.h"
#include "vfs/offline/streams.h"

struct cps {
	struct command command;
	struct cp_run run;
	const char *at, *output;
};

static bool parse_tiles(const char *text, struct cp *ret)
{
	int x, y, n = 0;

	if (sscanf(text, "%8d,%8d%n", &x, &y, &n) != 2 || text[n] || abs(x) > CP_TILES_MAX ||
		abs(y) > CP_TILES_MAX)
		return false;
	ret->x = x;
	ret->y = y;
	return true;
}

static int run_cp(struct command *c)
{
	struct cps *x = (struct cps *)c;
	struct cp_run *run = &x->run;
	int code;

	run->from = c->names[0];
	run->paths = c->names + 1;
	run->n_paths = c->n_names - 2;
	if (!run->n_paths && !run->how.settings)
		return cli_usage("cp takes %s", c->line->operands);
	if (streams_named(run->from))
		return cli_usage("cp: cannot read standard input");
	if (x->at && !parse_tiles(x->at, &run->how))
		return cli_usage("cp: --at takes X,Y (-%d to %d)", CP_TILES_MAX, CP_TILES_MAX);
	code = whole_line_take_one(c, c->names[c->n_names - 1], x->output, &run->whole);
	return code == OUTCOME_DONE ? cp_run(run) : code;
}

static const struct command_option options[] = {
	{"at", '\0', COMMAND_TEXT, offsetof(struct cps, at)},
	{"dry-run", 'n', COMMAND_FLAG, offsetof(struct cps, run.whole.dry)},
	{.name = "json", .offset = offsetof(struct cps, run.json)},
	{"no-references", '\0', COMMAND_FLAG, offsetof(struct cps, run.how.no_references)},
	{"output", '\0', COMMAND_TEXT, offsetof(struct cps, output)},
	{"settings", '\0', COMMAND_FLAG, offsetof(struct cps, run.how.settings)},
	{"target", 't', COMMAND_TEXT, offsetof(struct cps, run.target)}, {0}};

const struct command_line cli_cp = {.options = options,
	.min_names = 2,
	.operands = "a map, paths in it, and the map to change",
	.default_options = "raw=off",
	.size = sizeof(struct cps),
	.run = run_cp};
