/* SPDX-License-Identifier: Zlib */
/* mapfs ls: names, as ls prints them where its output is no terminal. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/output.h"
#include "cli/offline/walk.h"

struct ls {
	struct offline tree;
	bool details, below;
	bool headings; /* each directory has a line of its own above it */
	bool from_root;
	bool printed;
	int worst; /* what could not be listed */
};

static void print_name(const char *name, const char *end)
{
	CLEANUP(free) char *shown = output_is_terminal() ? strdup(name) : NULL;

	printf("%s%s", shown ? printable(shown) : name, end);
}

static void print_entry(const struct ls *ls, const char *name, const struct seen *a)
{
	char mode[] = "-rwxrwxrwx", when[32] = "";
	struct tm tm;

	if (!ls->details) {
		print_name(name, "\n");
		return;
	}
	mode[0] = S_ISDIR(a->mode) ? 'd' : '-';
	for (int i = 0; i < 9; i++)
		if (!(a->mode & 0400 >> i))
			mode[i + 1] = '-';
	if (localtime_r(&a->mtime.tv_sec, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	printf("%s %10ju %s ", mode, S_ISDIR(a->mode) ? (uintmax_t)0 : (uintmax_t)a->size, when);
	print_name(name, "\n");
}

static int list_one(struct ls *ls, const struct seen *dir, const char *name)
{
	struct seen a = {0};
	int r;

	if (!ls->details) {
		print_entry(ls, name, &a);
		return 0;
	}
	r = offline_lookup(&ls->tree, dir, name, &a);
	if (r < 0)
		return r;
	print_entry(ls, name, &a);
	return 0;
}

static int list_dir(struct ls *ls, const char *path, const struct seen *dir)
{
	struct names names;
	int r = offline_names(&ls->tree, dir, true, &names);

	if (r < 0)
		return r;
	if (ls->headings) {
		const char *way = !ls->below || !ls->from_root ? "" : path[0] ? "./" : ".";

		printf("%s%s", ls->printed ? "\n" : "", way);
		print_name(path, ":\n");
		ls->printed = true;
	}
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = list_one(ls, dir, names.at[i]);
	names_finish(&names);
	return r;
}

static int visit(void *arg, const char *path, const struct seen *a)
{
	struct ls *ls = arg;

	return S_ISDIR(a->mode) ? list_dir(ls, path, a) : 0;
}

/* What a path or a pattern means: files by their names, directories by what is in them. */
static int show(void *arg, const char *path, const struct seen *a)
{
	struct ls *ls = arg;

	ls->from_root = !path[0];
	if (!S_ISDIR(a->mode))
		print_entry(ls, path, a);
	else if (ls->below)
		return offline_walk(&ls->tree, path, visit, NULL, ls);
	else
		return list_dir(ls, path, a);
	return 0;
}

static void list_paths(struct ls *ls, char **paths, int n)
{
	char root[] = "", *all[] = {root};

	if (n == 0) {
		paths = all;
		n = 1;
	}
	ls->headings = ls->below || n > 1 || strpbrk(paths[0], "*?[");
	for (int i = 0; i < n; i++) {
		int r = offline_match(&ls->tree, paths[i], show, ls);

		if (r < 0)
			ls->worst = command_fail(&ls->tree, paths[i], r);
	}
}

int cli_ls(int argc, char **argv)
{
	static const struct option long_options[] = {COMMAND_LONG_OPTIONS};
	struct ls ls = {0};
	struct command c;
	int option, r;

	command_begin(&c, "ls");
	while ((option = command_option(&c, argc, argv, COMMAND_LETTERS "lR", long_options)) > 0) {
		if (option == '?')
			break;
		ls.details |= option == 'l';
		ls.below |= option == 'R';
	}
	if (option == -1 && c.n_names < 1)
		c.code = cli_usage("ls: no file was named");
	if (option == -1 && c.n_names >= 1) {
		c.threads = 0;
		c.how.keep_modes = !c.options.rq.how.read_only;
		r = command_open(&c, c.names[0], NULL, 0, &ls.tree);
		if (r == 0)
			list_paths(&ls, c.names + 1, c.n_names - 1);
		c.code = (int)command_outcome(r < 0 ? r : ls.worst);
		command_close(&ls.tree);
	}
	command_finish(&c);
	return c.code;
}
