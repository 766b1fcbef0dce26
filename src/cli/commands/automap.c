/* SPDX-License-Identifier: Zlib */
/* mapfs automap: draw layers by rules, in maps or in the directory of a layer in a mount. */
#include "tools/automap/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands/whole_line.h"

struct automaps {
	struct command command;
	struct automap_run run;
	const char **layers;
	const char *seed;
	int32_t seed_number;
	bool check;
};

static bool parse_seed(struct automaps *a)
{
	char *end;
	long n;

	if (!a->seed)
		return true;
	errno = 0;
	n = strtol(a->seed, &end, 10);
	a->seed_number = (int32_t)n;
	a->run.how.seed = &a->seed_number;
	return !errno && *a->seed && !*end && n == a->seed_number;
}

static bool check_reference(const struct automaps *a)
{
	const char *const *known = automap_find_tool()->references;
	const char *reference = a->run.how.reference;

	while (reference && *known && strcmp(*known, reference) != 0)
		known++;
	return *known;
}

static bool are_rules(const struct command *c)
{
	bool all = true;

	for (int i = 0; i < c->n_names; i++) {
		size_t n = strlen(c->names[i]);

		all &= n > 6 && strcmp(c->names[i] + n - 6, ".rules") == 0;
	}
	return all;
}

static int run_layers(struct automaps *a)
{
	struct command *c = &a->command;
	int code;

	a->run.how.layers = a->layers;
	if (automap_is_layer(c->names[0])) {
		if (c->n_names > 1 || a->layers || a->run.whole.in_place)
			return cli_usage(
				"automap: a layer (%s) takes no other names, --layer or --in-place",
				c->names[0]);
		a->run.whole.names = c->names;
		a->run.whole.debug = c->debug;
		return automap_run(&a->run);
	}
	code = whole_line_take(c, &a->run.whole);
	return code == OUTCOME_DONE ? automap_run(&a->run) : code;
}

static int run_automap(struct command *c)
{
	struct automaps *a = (struct automaps *)c;

	if (a->check)
		return automap_check(c->names, c->n_names, c->debug, a->run.whole.no_limit);
	if (a->run.how.list && are_rules(c))
		return automap_list(c->names, c->n_names, c->debug);
	a->run.whole.dry |= a->run.how.list;
	if (!parse_seed(a))
		return cli_usage("automap: --seed must be an integer of 32 bits");
	if (!check_reference(a))
		return cli_usage("automap: --reference must be game, hookable, death, unhookable, "
				 "freeze, unfreeze, deep-freeze, deep-unfreeze, live-freeze or "
				 "live-unfreeze");
	return run_layers(a);
}

static const struct command_option options[] = {
	{"automatic", '\0', COMMAND_FLAG, offsetof(struct automaps, run.how.automatic)},
	{"check", '\0', COMMAND_FLAG, offsetof(struct automaps, check)},
	{"config", '\0', COMMAND_TEXT, offsetof(struct automaps, run.how.config)},
	{"layer", '\0', COMMAND_TEXTS, offsetof(struct automaps, layers)},
	{"list", '\0', COMMAND_FLAG, offsetof(struct automaps, run.how.list)},
	{"no-limit", '\0', COMMAND_FLAG, offsetof(struct automaps, run.whole.no_limit)},
	{"reference", '\0', COMMAND_TEXT, offsetof(struct automaps, run.how.reference)},
	{"rules", '\0', COMMAND_TEXT, offsetof(struct automaps, run.rules)},
	{"seed", '\0', COMMAND_TEXT, offsetof(struct automaps, seed)},
	WHOLE_OPTIONS(struct automaps, run.whole), {0}};

const struct command_line cli_automap = {.options = options,
	.min_names = 1,
	.operands = "a map and optionally OUT, or a layer of a mount",
	.default_options = "raw=off",
	.size = sizeof(struct automaps),
	.run = run_automap};
