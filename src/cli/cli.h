/* SPDX-License-Identifier: Zlib */
/*
 * cli: the commands, as cli/line/command.h runs them: each prints what a person has to know and
 * returns the exit code, an enum outcome.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct command_line;
struct unmount_options;

/* mapfs FILE [MOUNTPOINT], mapfs -u, --help, --version; mapfs mount, and mapfs umount for -u. */
extern const struct command_line cli_mapfs;
extern const struct command_line cli_help, cli_recover, cli_status;
/* The same tree without a mount. */
extern const struct command_line cli_automap, cli_cat, cli_check, cli_convert, cli_diff, cli_du,
	cli_extract, cli_grep, cli_index, cli_ls, cli_merge, cli_mv, cli_pack, cli_preview, cli_put,
	cli_rm, cli_text, cli_tidy;

/* mapfs -u: unmount what each of n names means. Returns the exit code. */
int cli_umount(char *const *names, size_t n, const struct unmount_options *how);
/* What mount(8) and umount(8) call for the type fuse.mapfs: as main. */
int cli_mount_helper(int argc, char **argv);
int cli_umount_helper(int argc, char **argv);

/* The commands that have a name, in the order of the manual; ended by one without. */
struct cli_command {
	const char *name;
	const struct command_line *line;
	const char *arguments; /* "FILE [PATH...]" */
	const char *does;      /* for the --help page */
	const char *help;      /* for its own */
};
extern const struct cli_command cli_commands[];
/* NULL: there is none. */
const struct cli_command *cli_command_named(const char *name);
/* The one that is called so but for one slip: a letter more, less or another, or two that changed
 * places. NULL: none, or it is an option. */
const struct cli_command *cli_command_like(const char *word);
/* The --help page of a command. */
void cli_print_command_help(FILE *out, const char *name);

/* The --help page. */
void cli_print_help(FILE *out);

/* The command that runs: what cli_usage says leads to its page; NULL: to the first one. Borrowed.
 */
void cli_usage_of(const char *command);
/* A line on stderr about a wrong command line. Returns OUTCOME_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* ... about what getopt_long returned '?' or ':' for (letters begin with ':'; long options without
 * a letter are numbers from 256). command: its name, or NULL; word: the last argument that was
 * read. */
int cli_refuse_option(const char *command, int returned, const char *letters, const char *word);
