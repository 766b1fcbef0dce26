/* SPDX-License-Identifier: Zlib */
/* mapfs rm: remove files and directories from a map. */
#include <errno.h>
#include <string.h>

#include "base/disk/io.h"
#include "cli/cli.h"
#include "cli/line/command.h"

struct rm {
	struct command command;
	bool is_recursive;
};

static int remove_match(void *arg, const char *path, const struct offline_file *a)
{
	struct rm *rm = arg;
	struct command *c = &rm->command;
	int r = !S_ISDIR(a->mode)  ? overlay_remove(c->tree.overlay, path, false)
		: rm->is_recursive ? change_remove_tree(&c->tree, path)
				   : -EISDIR;

	if (r < 0)
		c->last_error = offline_print_error(&c->tree, path, r);
	/* The next files would fail too. */
	if (io_is_full(r))
		c->failed = r;
	return c->failed;
}

static int run_rm(struct command *c)
{
	int r = command_open(c, c->names[0], NULL, 0);

	if (r == 0)
		command_each(c, 1, remove_match);
	/* Save only if all files were removed. */
	if (r < 0 || c->last_error < 0)
		return (int)offline_write_outcome(r < 0 ? r : c->last_error);
	return (int)change_save(&c->tree, &c->save);
}

static const struct command_option options[] = {
	{"recursive", 'r', COMMAND_FLAG, offsetof(struct rm, is_recursive)}, COMMAND_VERBOSE, {0}};

const struct command_line cli_rm = {.options = options,
	.min_names = 2,
	.operands = "a file and paths in it",
	.writes = true,
	.size = sizeof(struct rm),
	.run = run_rm};
