/* SPDX-License-Identifier: Zlib */
/* mapfs convert: convert maps for another game. */
#include "tools/convert/run.h"

#include "cli/cli.h"
#include "cli/commands/whole_line.h"

struct converts {
	struct command command;
	struct convert_run run;
	const char *to;
};

static int run_convert(struct command *c)
{
	struct converts *x = (struct converts *)c;
	struct error e = ERROR_INIT;
	int code;

	if (!x->to)
		return cli_usage("convert: name the game with --to");
	if (convert_find(x->to, &x->run.tools, &x->run.how.to, &e) < 0)
		return cli_usage("convert: --to: %s", error_text(&e));
	code = whole_line_take(c, &x->run.whole);
	return code == OUTCOME_DONE ? convert_run(&x->run) : code;
}

static const struct command_option options[] = {
	{"mapres", '\0', COMMAND_TEXT, offsetof(struct converts, run.mapres)},
	{"scale", '\0', COMMAND_FLAG, offsetof(struct converts, run.how.scale)},
	{"strip", '\0', COMMAND_FLAG, offsetof(struct converts, run.how.strip)},
	{"to", '\0', COMMAND_TEXT, offsetof(struct converts, to)},
	WHOLE_OPTIONS(struct converts, run.whole), {0}};

const struct command_line cli_convert = {.options = options,
	.min_names = 1,
	.operands = "a map or folder, and optionally OUT",
	.default_options = "raw=off",
	.size = sizeof(struct converts),
	.run = run_convert};
