/* SPDX-License-Identifier: Zlib */
/* mapfs rm: files and directories out of a map. */
#include <errno.h>
#include <string.h>

#include "base/io.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/change.h"
#include "cli/offline/walk.h"

struct rm {
	struct offline tree;
	bool below;
	bool full; /* the disk: so it would be with each that follows */
	int worst;
};

static int visit(void *arg, const char *path, const struct seen *a)
{
	struct rm *rm = arg;
	int r = !S_ISDIR(a->mode) ? change_remove(&rm->tree, path, false)
		: rm->below       ? change_remove_tree(&rm->tree, path)
				  : -EISDIR;

	if (r < 0)
		rm->worst = command_fail(&rm->tree, path, r);
	rm->full = io_is_full(r);
	return rm->full ? r : 0;
}

int cli_rm(int argc, char **argv)
{
	static const struct option long_options[] = {{"recursive", no_argument, NULL, 'r'},
		{"verbose", no_argument, NULL, 'v'}, COMMAND_LONG_OPTIONS};
	struct rm rm = {0};
	struct change_save how = {0};
	struct command c;
	int option, r;

	command_begin(&c, "rm");
	while ((option = command_option(&c, argc, argv, COMMAND_LETTERS "rv", long_options)) > 0 &&
		option != '?') {
		rm.below |= option == 'r';
		how.verbose |= option == 'v';
	}
	if (option == -1 && c.n_names < 2)
		c.code = cli_usage("rm takes a file and paths in it");
	if (option == -1 && c.n_names >= 2 && command_writes(&c)) {
		r = command_open(&c, c.names[0], NULL, 0, &rm.tree);
		for (int i = 1; r == 0 && i < c.n_names && !rm.full; i++) {
			int one = offline_match(&rm.tree, c.names[i], visit, &rm);

			if (one < 0 && !rm.full)
				rm.worst = command_fail(&rm.tree, c.names[i], one);
		}
		/* All or nothing. */
		c.code = r < 0 || rm.worst < 0
				 ? (int)command_outcome_of_writing(r < 0 ? r : rm.worst)
				 : (int)change_save(&rm.tree, &how);
		command_close(&rm.tree);
	}
	command_finish(&c);
	return c.code;
}
