/* SPDX-License-Identifier: Zlib */
/* mapfs tidy: make maps smaller. */
#include "tools/tidy/run.h"

#include "cli/cli.h"
#include "cli/commands/whole_line.h"

struct tidies {
	struct command command;
	struct tidy_run run;
};

static int run_tidy(struct command *c)
{
	struct tidy_run *x = &((struct tidies *)c)->run;
	int code;

	if (x->how.external && x->how.embed)
		return cli_usage("tidy: --external cannot be used with --embed");
	if (x->how.hash_names && !x->how.pixels)
		return cli_usage("tidy: --hash-names needs --pixels");
	if (x->how.pixels && c->n_names == 1 && !x->whole.in_place && !x->whole.dry)
		return cli_usage("tidy: --pixels loses data: name OUT or use --in-place");
	code = whole_line_take(c, &x->whole);
	return code == OUTCOME_DONE ? tidy_run(x) : code;
}

static const struct command_option options[] = {
	{"embed", '\0', COMMAND_FLAG, offsetof(struct tidies, run.how.embed)},
	{"external", '\0', COMMAND_FLAG, offsetof(struct tidies, run.how.external)},
	{"hash-names", '\0', COMMAND_FLAG, offsetof(struct tidies, run.how.hash_names)},
	{"keep", '\0', COMMAND_TEXTS, offsetof(struct tidies, run.how.keep)},
	{"layers", '\0', COMMAND_FLAG, offsetof(struct tidies, run.how.layers)},
	{"mapres", '\0', COMMAND_TEXT, offsetof(struct tidies, run.mapres)},
	{"no-limit", '\0', COMMAND_FLAG, offsetof(struct tidies, run.whole.no_limit)},
	{"pixels", '\0', COMMAND_FLAG, offsetof(struct tidies, run.how.pixels)},
	WHOLE_OPTIONS(struct tidies, run.whole), {0}};

const struct command_line cli_tidy = {.options = options,
	.min_names = 1,
	.operands = "a map and optionally OUT",
	.default_options = "raw=off",
	.size = sizeof(struct tidies),
	.run = run_tidy};
