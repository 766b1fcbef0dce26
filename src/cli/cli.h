/* SPDX-License-Identifier: Zlib */
/*
 * cli: the commands. Each takes the arguments of its command (argv[0] is the program's name),
 * prints what a person has to know and returns the exit code, an enum outcome.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

/* mapfs FILE [MOUNTPOINT], mapfs -u, --help, --version. */
int cli_mapfs(int argc, char **argv);
/* mapfs recover: argv[1] is "recover". */
int cli_recover(int argc, char **argv);
/* mapfs status: argv[1] is "status". */
int cli_status(int argc, char **argv);
/* What mount(8) and umount(8) call for the type fuse.mapfs. */
int cli_mount_helper(int argc, char **argv);
int cli_umount_helper(int argc, char **argv);

/* The --help page, on stdout. */
void cli_print_help(void);

/* A line on stderr about a wrong command line. Returns OUTCOME_USAGE. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
