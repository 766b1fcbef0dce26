/* SPDX-License-Identifier: Zlib */
/* cli: the commands. cli/line/command.h runs them; each prints its messages and returns the exit
 * code, an enum outcome. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct command_line;
struct unmount_options;

/* mapfs FILE [MOUNTPOINT], mapfs -u, --help, --version; mapfs mount, and mapfs umount for -u. */
extern const struct command_line cli_mapfs;
extern const struct command_line cli_help, cli_recover, cli_status;
/* Commands on maps that are not mounted. */
extern const struct command_line cli_automap, cli_cat, cli_check, cli_convert, cli_cp, cli_diff,
	cli_du, cli_edit, cli_extract, cli_grep, cli_index, cli_ls, cli_merge, cli_mv, cli_pack,
	cli_preview, cli_put, cli_rm, cli_text, cli_tidy;

/* mapfs -u: unmount the targets (target.h) of n names. Changes to "/". Returns the exit code. */
int cli_umount(char *const *names, size_t n, const struct unmount_options *how);
/* The helpers of mount(8) and umount(8) for the type fuse.mapfs. Called as main. */
int cli_mount_helper(int argc, char **argv);
int cli_umount_helper(int argc, char **argv);

/* The named commands, in the order of the manual; ended by one without a name. */
struct cli_command {
	const char *name;
	const struct command_line *line;
	const char *arguments; /* "FILE [PATH...]" */
	const char *summary;   /* for the list in mapfs --help */
	const char *help;      /* for mapfs help COMMAND; or NULL */
};
extern const struct cli_command cli_commands[];
/* Find a command by its name. Returns NULL if there is none. */
const struct cli_command *cli_command_named(const char *name);
/* Find a command whose name differs from word by one typing error: one letter added, missing or
 * replaced, or two swapped. Returns NULL if there is none, or if word is an option. */
const struct cli_command *cli_command_like(const char *word);
/* Print the --help page of a command, whose name must be in cli_commands, or of mapfs. */
void cli_print_command_help(FILE *out, const char *name);
void cli_print_help(FILE *out);

/* Set the help page for cli_usage: a command, or NULL for mapfs --help. Borrows the string. */
void cli_set_usage_page(const char *command);
/* Print "mapfs: MESSAGE (see mapfs help PAGE)" and a newline on stderr. Returns OUTCOME_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print a message about an option for which getopt_long returned '?' or ':'. letters begin with
 * ':'; long options without a letter have values from 256. command is NULL for mapfs itself; word
 * is the last argument that was read. Returns OUTCOME_USAGE. */
int cli_refuse_option(const char *command, int returned, const char *letters, const char *word);
