/* SPDX-License-Identifier: Zlib */
/*
 * cli: the commands. Each takes the arguments of its command (argv[0] is the program's name),
 * prints what a person has to know and returns the exit code, an enum outcome.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* mapfs FILE [MOUNTPOINT], mapfs -u, --help, --version. */
int cli_mapfs(int argc, char **argv);
/* The same: argv[1] is "mount", or "umount" for -u. */
int cli_mount(int argc, char **argv);
int cli_umount(int argc, char **argv);
/* mapfs help: argv[1] is "help". */
int cli_help(int argc, char **argv);
/* mapfs recover: argv[1] is "recover". */
int cli_recover(int argc, char **argv);
/* mapfs status: argv[1] is "status". */
int cli_status(int argc, char **argv);
/* What mount(8) and umount(8) call for the type fuse.mapfs. */
int cli_mount_helper(int argc, char **argv);
int cli_umount_helper(int argc, char **argv);

/* The same tree without a mount: argv[1] is the command's name. */
int cli_automap(int argc, char **argv);
int cli_tidy(int argc, char **argv);
int cli_du(int argc, char **argv);
int cli_cat(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_extract(int argc, char **argv);
int cli_grep(int argc, char **argv);
int cli_index(int argc, char **argv);
int cli_ls(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_mv(int argc, char **argv);
int cli_pack(int argc, char **argv);
int cli_preview(int argc, char **argv);
int cli_text(int argc, char **argv);
int cli_put(int argc, char **argv);
int cli_rm(int argc, char **argv);

/* The commands that have a name, in the order of the manual; ended by one without. */
struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv);
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
