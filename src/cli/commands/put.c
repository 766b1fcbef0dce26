/* SPDX-License-Identifier: Zlib */
/* mapfs put: write one file into a map. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"

/* Create the directories above a path, if they are missing and the format allows it. */
static int make_parent(struct offline *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(free) char *dir = slash ? strndup(path, (size_t)(slash - path)) : NULL;

	return slash ? dir ? overlay_mkdirs(t->overlay, dir) : -ENOMEM : 0;
}

/* Convert an error: SAVE_FAILED if the content was refused or could not be stored. */
static enum outcome outcome_of(int r)
{
	bool failed = r == -EINVAL || r == -EFBIG || r == -EIO || io_is_full(r);

	return r == 0 ? OUTCOME_DONE : failed ? OUTCOME_SAVE_FAILED : OUTCOME_REFUSED;
}

/* Does the path have no meaning in the map? A save would drop the file silently. */
static bool is_meaningless(struct offline *t, const char *path)
{
	struct offline_file a;

	return offline_find(t, path, &a) == 0 && change_classify(t, &a.dentry) > CHANGE_SCRATCH;
}

/* Write a file of the map from fd. source is the name of fd; NULL: standard input. */
static enum outcome put_file(struct offline *t, const char *path, int fd, const char *source)
{
	struct error e = ERROR_INIT;
	struct change_file from = {fd, 0};
	int r = make_parent(t, path);

	if (r < 0 && !change_refuses_name(t, path, &e))
		error_set(&e, r, "%s", strerror(-r));
	if (r == 0)
		r = change_put(t, path, change_from_file, &from, NULL, &e);
	if (from.failed) {
		print_line(stderr, "mapfs: %s: %s", source ? source : "standard input",
			strerror(-from.failed));
		return OUTCOME_REFUSED;
	}
	if (r == 0 && is_meaningless(t, path))
		r = error_set(&e, -EINVAL, "not part of a map");
	if (r < 0)
		offline_print(t, "%s: %s", path, error_text(&e));
	return outcome_of(r);
}

static int run_put(struct command *c)
{
	const char *source = c->n_names > 2 && strcmp(c->names[2], "-") != 0 ? c->names[2] : NULL;
	CLEANUP(close_fd) int fd = source ? open(source, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int r = fd < 0 ? -errno : 0, code;

	if (r < 0) {
		print_line(stderr, "mapfs: %s: %s", source, strerror(-r));
		return OUTCOME_REFUSED;
	}
	r = command_open(c, c->names[0], NULL, 0);
	code = (int)offline_write_outcome(r);
	if (r == 0)
		code = (int)put_file(&c->tree, c->names[1], fd, source);
	if (code == OUTCOME_DONE)
		code = (int)change_save(&c->tree, &c->save);
	return code;
}

static const struct command_option options[] = {COMMAND_VERBOSE, {0}};

const struct command_line cli_put = {.options = options,
	.min_names = 2,
	.max_names = 3,
	.operands = "a file, a path in it, and optionally a source",
	.writes = true,
	.run = run_put};
