/* SPDX-License-Identifier: Zlib */
/* mapfs index: the files of an archive that list its other files are made anew. */
#include <errno.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/indexing.h"

static int run(struct command *c, struct indexing *x, struct offline *t)
{
	const struct change_save how = {.verbose = x->verbose};
	struct error e = ERROR_INIT;
	int r = command_open(c, c->names[0], NULL, 0, t), code = OUTCOME_DONE;

	if (r < 0)
		return (int)command_outcome_of_writing(r);
	r = indexing_put(x, t->vol->now, &e);
	if (r < 0) {
		offline_say(t, "%s", error_text(&e));
		return r == -EOPNOTSUPP ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
	}
	if (x->n_put)
		code = (int)change_save(t, &how);
	return code == OUTCOME_DONE && x->unread ? OUTCOME_LEFT : code;
}

int cli_index(int argc, char **argv)
{
	static const struct option long_options[] = {{"dry-run", no_argument, NULL, 'n'},
		{"exact", no_argument, NULL, 'e' + 256}, {"verbose", no_argument, NULL, 'v'},
		COMMAND_LONG_OPTIONS};
	struct offline t = {0};
	struct indexing x = {.tree = &t};
	struct command c;
	int option;

	command_begin(&c, "index");
	while ((option = command_option(&c, argc, argv, COMMAND_LETTERS "nv", long_options)) > 0 &&
		option != '?') {
		x.dry |= option == 'n';
		x.verbose |= option == 'v';
		x.exact |= option == 'e' + 256;
	}
	if (option == -1 && c.n_names != 1)
		c.code = cli_usage("index takes a file");
	else if (option == -1 && (x.dry || command_writes(&c))) {
		c.code = run(&c, &x, &t);
		command_close(&t);
	}
	command_finish(&c);
	return c.code;
}
