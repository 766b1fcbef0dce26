/* SPDX-License-Identifier: Zlib */
/* Which command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "vfs/volume/outcome.h"

/* Open a closed standard descriptor on something that can be neither read nor written. Otherwise a
 * file could get descriptor 2, and receive our messages. */
static int fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) < 0 &&
			open("/", O_PATH) < 0)
			return -1;
	return 0;
}

/* Is there an option --new? Then the file need not exist. */
static bool has_option_new(char **argv)
{
	while (*argv && strncmp(*argv, "--n", 3) != 0)
		argv++;
	return *argv;
}

/* The command that a mistyped first word probably means, or NULL. */
static const struct cli_command *guess_command(char **argv)
{
	struct stat st;

	if (lstat(argv[1], &st) == 0 || errno != ENOENT || has_option_new(argv))
		return NULL;
	return cli_command_like(argv[1]);
}

static int run_command(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	const struct cli_command *command;

	if (strcmp(name, "mount.fuse.mapfs") == 0 || strcmp(name, "mount.mapfs") == 0)
		return cli_mount_helper(argc, argv);
	if (strcmp(name, "umount.fuse.mapfs") == 0)
		return cli_umount_helper(argc, argv);
	command = argc > 1 ? cli_command_named(argv[1]) : NULL;
	if (command)
		return command_main(command->name, argc - 1, argv + 1, command->line);
	command = argc > 1 ? guess_command(argv) : NULL;
	return command ? cli_usage("%s: No such file, folder or command; did you mean %s?", argv[1],
				 command->name)
		       : command_main(NULL, argc, argv, &cli_mapfs);
}

int main(int argc, char **argv)
{
	if (argc < 1 || fill_standard_descriptors() < 0)
		return OUTCOME_USAGE;
	/* The parent may ignore SIGCHLD. Then children would have no exit status. */
	signal(SIGCHLD, SIG_DFL);
	return output_finish(run_command(argc, argv), OUTCOME_PARTIAL, OUTCOME_REFUSED);
}
