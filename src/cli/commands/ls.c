/* SPDX-License-Identifier: Zlib */
/* mapfs ls: list files, as ls does if its output is no terminal, or as JSON. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/name.h"
#include "base/output.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "tools/common/json_line.h"
#include "vfs/offline/walk.h"

struct ls {
	struct command command;
	bool details, is_recursive, json;
	bool headings; /* print the name of each directory above its files */
	bool from_root;
	bool printed;
};

static void print_name(const char *name, const char *end)
{
	CLEANUP(free) char *shown = output_is_terminal() ? strdup(name) : NULL;

	printf("%s%s", shown ? replace_unprintable(shown) : name, end);
}

/* Print a JSON object on one line (docs/mapfs-ls.1). */
static int print_json(const char *dir, const char *name, const struct offline_file *a)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP(free) char *path = path_join(dir, name);

	if (!path)
		return -ENOMEM;
	json_line_text(&out, "{\"path\": ", path);
	if (S_ISDIR(a->mode))
		buffer_text(&out, ", \"kind\": \"directory\", \"size\": null");
	else
		buffer_printf(&out, ", \"kind\": \"file\", \"size\": %ju", (uintmax_t)a->size);
	printf("%.*s, \"mode\": \"%04o\", \"mtime\": %jd}\n", (int)out.size, (const char *)out.data,
		a->mode & 07777, (intmax_t)a->mtime.tv_sec);
	return out.error;
}

static int print_entry(
	const struct ls *ls, const char *dir, const char *name, const struct offline_file *a)
{
	char mode[] = "-rwxrwxrwx", when[32] = "";
	struct tm tm;

	if (ls->json)
		return print_json(dir, name, a);
	if (!ls->details) {
		print_name(name, "\n");
		return 0;
	}
	mode[0] = S_ISDIR(a->mode) ? 'd' : '-';
	for (int i = 0; i < 9; i++)
		if (!(a->mode & 0400 >> i))
			mode[i + 1] = '-';
	if (localtime_r(&a->mtime.tv_sec, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	printf("%s %10ju %s ", mode, S_ISDIR(a->mode) ? (uintmax_t)0 : (uintmax_t)a->size, when);
	print_name(name, "\n");
	return 0;
}

static int list_dir(struct ls *ls, const char *path, const struct offline_file *dir)
{
	CLEANUP_NAMES struct names names = {0};
	int r = offline_names(&ls->command.tree, dir, true, &names);

	if (r < 0)
		return r;
	if (ls->headings) {
		const char *way = !ls->is_recursive || !ls->from_root ? "" : path[0] ? "./" : ".";

		printf("%s%s", ls->printed ? "\n" : "", way);
		print_name(path, ":\n");
		ls->printed = true;
	}
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct offline_file a = {0};

		if (ls->details || ls->json)
			r = offline_lookup(&ls->command.tree, dir, names.items[i], &a);
		if (r == 0)
			r = print_entry(ls, path, names.items[i], &a);
	}
	return r;
}

static int list_walked(void *arg, const char *path, const struct offline_file *a)
{
	struct ls *ls = arg;

	return S_ISDIR(a->mode) ? list_dir(ls, path, a) : 0;
}

/* List a file by its name, and a directory by its files. */
static int list_match(void *arg, const char *path, const struct offline_file *a)
{
	struct ls *ls = arg;

	ls->from_root = !path[0];
	if (!S_ISDIR(a->mode))
		return print_entry(ls, "", path, a);
	return ls->is_recursive ? offline_walk(&ls->command.tree, path, list_walked, NULL, ls)
				: list_dir(ls, path, a);
}

static int run_ls(struct command *c)
{
	struct ls *ls = (struct ls *)c;
	int r;

	c->map_options.keep_modes = !c->options.rq.vfs_options.read_only;
	ls->headings = !ls->json && (ls->is_recursive || c->n_names > 2 ||
					    (c->n_names == 2 && strpbrk(c->names[1], "*?[")));
	r = command_open(c, c->names[0], NULL, 0);
	if (r == 0)
		command_each(c, 1, list_match);
	return (int)offline_outcome(r < 0 ? r : c->last_error);
}

static const struct command_option options[] = {
	{NULL, 'l', COMMAND_FLAG, offsetof(struct ls, details)},
	{"json", '\0', COMMAND_FLAG, offsetof(struct ls, json)},
	{NULL, 'R', COMMAND_FLAG, offsetof(struct ls, is_recursive)}, {0}};

const struct command_line cli_ls = {.options = options,
	.min_names = 1,
	.operands = "a file and paths in it",
	.size = sizeof(struct ls),
	.run = run_ls};
