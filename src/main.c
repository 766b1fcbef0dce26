/* SPDX-License-Identifier: Zlib */
/* Which command. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "vfs/volume/outcome.h"

/* A file that lands on descriptor 2 would receive our messages. What is closed has no content, not
 * even an empty one, and takes none: it can be neither read nor written. Where there is no /dev,
 * any descriptor of which that is true does. */
static int fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) < 0 &&
			open("/", O_PATH) < 0)
			return -1;
	return 0;
}

/* With --new a file that is not there is what is wanted. */
static bool makes_new(char **argv)
{
	while (*argv && strncmp(*argv, "--n", 3) != 0)
		argv++;
	return *argv;
}

/* What the first word was probably meant to be; NULL: what it is. */
static const struct cli_command *meant(char **argv)
{
	struct stat st;

	if (lstat(argv[1], &st) == 0 || errno != ENOENT || makes_new(argv))
		return NULL;
	return cli_command_like(argv[1]);
}

static int run(int argc, char **argv)
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
	command = argc > 1 ? meant(argv) : NULL;
	return command ? cli_usage("%s: No such file, folder or command; did you mean %s?", argv[1],
				 command->name)
		       : command_main(NULL, argc, argv, &cli_mapfs);
}

int main(int argc, char **argv)
{
	if (argc < 1 || fill_standard_descriptors() < 0)
		return OUTCOME_USAGE;
	return output_finish(run(argc, argv), OUTCOME_PARTIAL, OUTCOME_REFUSED);
}
