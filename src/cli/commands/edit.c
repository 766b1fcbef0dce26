/* SPDX-License-Identifier: Zlib */
/* mapfs edit: change tiles and areas of a map. */
#include "tools/edit/run.h"

#include "cli/cli.h"
#include "cli/commands/whole_line.h"

struct edits {
	struct command command;
	struct edit_run run;
	const char **layers;
	const char *output;
};

static int run_edit(struct command *c)
{
	struct edits *x = (struct edits *)c;
	struct error e = ERROR_INIT;
	int code;

	x->run.how.layers = x->layers;
	if (edit_parse(&x->run.how, c->names + 1, c->n_names - 1, &e) < 0)
		code = cli_usage("edit: %s", error_text(&e));
	else
		code = whole_line_take_one(c, c->names[0], x->output, &x->run.whole);
	if (code == OUTCOME_DONE)
		code = edit_run(&x->run);
	edit_finish(&x->run.how);
	return code;
}

static const struct command_option options[] = {
	{"dry-run", 'n', COMMAND_FLAG, offsetof(struct edits, run.whole.dry)},
	{"front", '\0', COMMAND_FLAG, offsetof(struct edits, run.how.front)},
	{"json", '\0', COMMAND_FLAG, offsetof(struct edits, run.json)},
	{"layer", '\0', COMMAND_TEXTS, offsetof(struct edits, layers)},
	{"no-limit", '\0', COMMAND_FLAG, offsetof(struct edits, run.whole.no_limit)},
	{"output", '\0', COMMAND_TEXT, offsetof(struct edits, output)}, {0}};

const struct command_line cli_edit = {.options = options,
	.min_names = 2,
	.operands = "a map and operations",
	.takes_negative = true,
	.default_options = "raw=off",
	.size = sizeof(struct edits),
	.run = run_edit};
