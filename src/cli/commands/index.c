/* SPDX-License-Identifier: Zlib */
/* mapfs index: update the files of an archive that list its other files. */
#include <errno.h>

#include "cli/cli.h"
#include "cli/line/command.h"
#include "tools/index/update.h"

struct indexes {
	struct command command;
	struct index_update x;
};

static int run_index(struct command *c)
{
	struct index_update *x = &((struct indexes *)c)->x;
	struct error e = ERROR_INIT;
	int r, code = OUTCOME_DONE;

	if (!x->dry && !command_writes(c))
		return OUTCOME_USAGE;
	r = command_open(c, c->names[0], NULL, 0);
	if (r < 0)
		return (int)offline_write_outcome(r);
	x->tree = &c->tree;
	x->verbose = c->save.verbose;
	r = index_update_run(x, c->tree.vol->base, &e);
	if (r < 0) {
		offline_print(&c->tree, "%s", error_text(&e));
		return r == -EOPNOTSUPP ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
	}
	if (x->n_put)
		code = (int)change_save(&c->tree, &c->save);
	return code == OUTCOME_DONE && x->unread ? OUTCOME_PARTIAL : code;
}

static const struct command_option options[] = {
	{"dry-run", 'n', COMMAND_FLAG, offsetof(struct indexes, x.dry)},
	{"exact", '\0', COMMAND_FLAG, offsetof(struct indexes, x.exact)}, COMMAND_VERBOSE, {0}};

const struct command_line cli_index = {.options = options,
	.min_names = 1,
	.max_names = 1,
	.operands = "a file",
	.size = sizeof(struct indexes),
	.run = run_index};
