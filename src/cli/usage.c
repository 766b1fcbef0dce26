/* SPDX-License-Identifier: Zlib */
#include "cli/cli.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/print.h"
#include "cli/line/command.h"
#include "cli/line/words.h"
#include "vfs/volume/outcome.h"

static const char start[] =
	"Usage: mapfs FILE|FOLDER [MOUNTPOINT]   mount a map, or a folder of maps\n"
	"       mapfs -u MOUNTPOINT|FILE...      save the changes and unmount\n"
	"       mapfs --new FILE [MOUNTPOINT]    create an empty map and mount it\n"
	"       mapfs COMMAND ...                work on a map without a mount\n"
	"\n"
	"In a mount, images are PNG, sounds are Opus, settings are text, and tile layers\n"
	"are tables. Any program can change them. Without MOUNTPOINT, they appear beside\n"
	"FILE.\n"
	"\n"
	"Commands:\n";

static const char more[] =
	"Also: rm, mv, pack, cp, edit (change a map); text, grep, du (read maps); merge,\n"
	"      convert, automap, index (whole maps); status, recover (unsaved changes)\n"
	"\n"
	"More: mapfs help commands, mapfs help COMMAND, mapfs help options, man mapfs\n";

static const char options[] =
	"Options:\n"
	"  -o OPTION[,OPTION...]    mount options, see below\n"
	"  -f, --foreground         stay in the foreground, messages on stderr\n"
	"  -d, --debug              trace the requests; implies -f\n"
	"      --new                make FILE; what a game needs is added at the save\n"
	"      --format=NAME        with --new, where the ending of FILE does not say:\n"
	"                           ";

static const char mount_options[] =
	"  -u, --unmount            save, report, unmount\n"
	"      --force              with -u: also if the save fails or files are in use\n"
	"      --discard            with -u: throw away the journal, and what is unsaved\n"
	"  -v, --verbose            with -u: progress also if stderr is no terminal\n"
	"  -h, --help               print the common commands\n"
	"  -V, --version            the version\n"
	"\n"
	"Mount options:\n"
	"  ro                       read-only\n"
	"  cache=SIZE               memory for unpacked data (1/16 of all, at most 256M)\n"
	"  uid=N,gid=N,umask=M      owner, group, and permissions that are taken away\n"
	"  fmask=M,dmask=M          ... from files, from directories\n"
	"  allow_other              let other users in\n"
	"  allow_root               let root in, and no other user\n"
	"  noexec                   nothing in the mount can be executed\n";

static const char codes[] =
	"\n"
	"Exit codes: 0 done, 1 usage, 2 not a map or refused, 3 mount failed, 4 save\n"
	"failed (map and journal kept), 5 saved but something was refused or\n"
	"rescued, 6 conflict, 7 busy.\n";

enum { COLUMNS = 24 }; /* width of the options above */

/* The commands that mapfs --help lists; it only names the others. */
static const char *const common[] = {
	"ls", "cat", "extract", "put", "check", "diff", "tidy", "preview", NULL};

/* All commands by purpose, for mapfs help commands. */
static const struct group {
	const char *heading, *names[11];
} groups[] = {
	{"Look", {"ls", "cat", "extract", "preview", "text", "grep", "du", "check"}},
	{"Change",
		{"put", "pack", "rm", "mv", "cp", "edit", "tidy", "convert", "automap", "index"}},
	{"Compare", {"diff", "merge"}},
	{"Mount", {"mount", "umount", "status", "recover", "help"}},
};

static void print_names(FILE *out, const char *const *names)
{
	for (; *names; names++)
		fprintf(out, "  %-9s %s\n", *names, cli_command_named(*names)->summary);
}

static void print_commands(void)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		printf("%s:\n", groups[i].heading);
		print_names(stdout, groups[i].names);
	}
}

void cli_print_help(FILE *out)
{
	fputs(start, out);
	print_names(out, common);
	fputs(more, out);
}

static void print_options(void)
{
	CLEANUP(free) char *known = words_formats();

	printf("%s%s\n%s", options, known ? known : "", mount_options);
	words_print_options(stdout, COLUMNS);
	fputs(codes, stdout);
}

static int run_help(struct command *c)
{
	const char *word = c->n_names ? c->names[0] : NULL;
	const struct cli_command *like;

	cli_set_usage_page("commands");
	if (!word)
		cli_print_help(stdout);
	else if (cli_command_named(word))
		cli_print_command_help(stdout, word);
	else if (strcmp(word, "commands") == 0)
		print_commands();
	else if (strcmp(word, "options") == 0)
		print_options();
	else if ((like = cli_command_like(word)))
		return cli_usage("help: unknown command %s; did you mean %s?", word, like->name);
	else
		return cli_usage("help: unknown command %s", word);
	return OUTCOME_DONE;
}

const struct command_line cli_help = {.max_names = 1,
	.operands = "one command",
	.n_may_be_empty = 1,
	.is_bare = true,
	.needs_no_arguments = true,
	.run = run_help};

static const char *usage_page;

void cli_set_usage_page(const char *command)
{
	usage_page = command;
}

int cli_usage(const char *fmt, ...)
{
	CLEANUP(free)
	char *see = usage_page ? text_printf(" (see mapfs help %s)", usage_page) : NULL;
	va_list ap;

	va_start(ap, fmt);
	print_line_around(stderr, "mapfs: ", fmt, ap, see ? see : " (see mapfs --help)");
	va_end(ap);
	return OUTCOME_USAGE;
}

int cli_refuse_option(const char *command, int returned, const char *letters, const char *word)
{
	const char *before = command ? command : "", *colon = command ? ": " : "";
	int named = (int)strcspn(word, "=");
	bool is_long = strncmp(word, "--", 2) == 0;

	/* getopt_long sets optopt to 0 for an unknown long option. */
	if (!optopt)
		return cli_usage("%s%sunknown option %s", before, colon, word);
	if (returned == ':' && !is_long)
		return cli_usage("%s%soption -%c needs an argument", before, colon, optopt);
	if (returned == ':')
		return cli_usage("%s%soption %s needs an argument", before, colon, word);
	/* A known option: it got a value but takes none. */
	if (optopt > UCHAR_MAX || strchr(letters, optopt))
		return cli_usage("%s%soption %.*s takes no value", before, colon, named, word);
	return cli_usage("%s%sunknown option -%c", before, colon, optopt);
}
