/* SPDX-License-Identifier: Zlib */
#include "cli/cli.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "cli/words.h"
#include "vfs/volume/outcome.h"

static const char help_start[] =
	"Usage: mapfs [OPTIONS] FILE|FOLDER [MOUNTPOINT]   mount a map, or a folder of maps\n"
	"       mapfs --new [--format=NAME] FILE [MOUNTPOINT]  make and mount a new map\n"
	"       mapfs -u [--force] [--discard] MOUNTPOINT|FILE|FOLDER...  save, report,\n"
	"                                                  unmount\n"
	"       mapfs COMMAND ...                          see below; mapfs COMMAND --help\n"
	"\n"
	"A game's map file becomes a directory: images are PNG, sounds are Opus, settings are\n"
	"text, tile layers are tables. Programs change them there, and the map is written anew,\n"
	"safely, at unmount and at `sync MOUNTPOINT`. Without MOUNTPOINT a directory is made\n"
	"beside FILE, named after it without the ending, and removed at unmount. Of a FOLDER each\n"
	"map is a directory of the file's own name, and the mount is FOLDER.mapfs.\n"
	"\n"
	"Options:\n"
	"  -o OPTION[,OPTION...]     mount options, see below\n"
	"  -f, --foreground          stay in the foreground, messages on stderr\n"
	"  -d, --debug               trace the requests; implies -f\n"
	"      --new                 make FILE; what a game needs is added at the save\n"
	"      --format=NAME         with --new, where the ending of FILE does not say:\n"
	"                            ";

static const char help_options[] =
	"  -u, --unmount             unmount\n"
	"      --force               with -u: also if the save fails or files are in use\n"
	"      --discard             with -u: throw away what is not saved, and the journal\n"
	"  -v, --verbose             with -u: show progress also if stderr is no terminal\n"
	"  -h, --help                this page\n"
	"  -V, --version             the version\n"
	"\n"
	"Mount options:\n"
	"  ro                        read-only\n"
	"  cache=SIZE                memory for unpacked data (1/16 of all, at most 256M)\n"
	"  uid=N,gid=N,umask=M       owner, group, and permissions taken away from what is shown\n"
	"  fmask=M,dmask=M           permissions taken away from files, from directories\n"
	"  allow_other               let other users in\n"
	"  noexec                    nothing in the mount can be executed\n";

static void print_commands(void)
{
	printf("\nCommands:\n");
	for (const struct cli_command *c = cli_commands; c->name; c++)
		printf("  %-7s %-37s %s\n", c->name, c->arguments, c->does);
}

static const char help_end[] =
	"\n"
	"Exit codes: 0 done, 1 usage, 2 not a map or refused, 3 mount failed, 4 save failed (old\n"
	"map and journal kept), 5 saved but something was left or refused, 6 conflict, 7 busy.\n";

enum { COLUMNS = 25 }; /* of the options above */

void cli_print_help(void)
{
	CLEANUP(free) char *formats_known = words_formats();

	printf("%s%s\n%s", help_start, formats_known ? formats_known : "", help_options);
	words_print_options(stdout, COLUMNS);
	print_commands();
	fputs(help_end, stdout);
}

int cli_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_more(stderr, "mapfs: ", fmt, ap, " (see mapfs --help)");
	va_end(ap);
	return OUTCOME_USAGE;
}

int cli_refuse_option(const char *command, int returned, const char *letters, const char *word)
{
	const char *before = command ? command : "", *colon = command ? ": " : "";
	int named = (int)strcspn(word, "=");
	bool is_long = strncmp(word, "--", 2) == 0;

	/* 0: a long option that is none. */
	if (!optopt)
		return cli_usage("%s%sunknown option %s", before, colon, word);
	if (returned == ':' && !is_long)
		return cli_usage("%s%soption -%c needs an argument", before, colon, optopt);
	if (returned == ':')
		return cli_usage("%s%soption %s needs an argument", before, colon, word);
	/* One of ours: a value was given to one that takes none. */
	if (optopt > UCHAR_MAX || strchr(letters, optopt))
		return cli_usage("%s%soption %.*s takes no value", before, colon, named, word);
	return cli_usage("%s%sunknown option -%c", before, colon, optopt);
}
