/* SPDX-License-Identifier: Zlib */
/* mapfs mv: rename files and directories of a map. */
#include <errno.h>
#include <string.h>

#include "base/name.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "vfs/offline/change.h"

/* Find a file of the map. Returns at, or NULL if there is none. */
static const struct offline_file *find_file(
	struct offline *t, const char *path, struct offline_file *at)
{
	return offline_find(t, path, at) < 0 ? NULL : at;
}

static bool is_below(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return strncmp(dir, path, n) == 0 && path[n] == '/';
}

static int move_file(struct offline *t, const char *from, const char *to, bool into)
{
	CLEANUP(free) char *plain = strdup(from), *below = NULL;
	const char *name;
	struct error e = ERROR_INIT;
	struct offline_file a;
	int r;

	for (size_t n = plain ? strlen(plain) : 0; n > 1 && plain[n - 1] == '/'; n--)
		plain[n - 1] = '\0';
	name = plain ? strrchr(plain, '/') : NULL;
	below = plain && into ? path_join(to, name ? name + 1 : plain) : NULL;
	if (!plain || (into && !below))
		return offline_print_error(t, from, -ENOMEM);
	r = overlay_rename(t->overlay, plain, into ? below : to);
	if (r == -EINVAL && is_below(plain, into ? below : to)) {
		offline_print(t, "%s: cannot move it into itself", from);
		return r;
	}
	if (r == -EPERM && change_refuses_name(t, into ? below : to, &e)) {
		offline_print(t, "%s: %s", into ? below : to, error_text(&e));
		return r;
	}
	if (r == -EPERM && into) {
		offline_print(t, "%s: cannot move to %s: %s", from, below, strerror(EPERM));
		return r;
	}
	if ((r == -ENOENT || r == -ENOTDIR || r == -ENAMETOOLONG) && find_file(t, plain, &a))
		return offline_print_error(t, to, r);
	return r < 0 ? offline_print_error(t, from, r) : 0;
}

static int run_mv(struct command *c)
{
	struct offline *t = &c->tree;
	const char *to = c->names[c->n_names - 1];
	int r = command_open(c, c->names[0], NULL, 0);
	struct offline_file a;
	bool into = r == 0 && find_file(t, to, &a) && a.dentry.is_dir;

	if (r == 0 && !into && c->n_names > 3)
		r = offline_print_error(t, to, find_file(t, to, &a) ? -ENOTDIR : -ENOENT);
	for (int i = 1; r == 0 && i < c->n_names - 1; i++)
		r = move_file(t, c->names[i], to, into);
	return r < 0 ? (int)offline_write_outcome(r) : (int)change_save(t, &c->save);
}

static const struct command_option options[] = {COMMAND_VERBOSE, {0}};

const struct command_line cli_mv = {.options = options,
	.min_names = 3,
	.operands = "a file, paths in it, and the new path",
	.writes = true,
	.run = run_mv};
