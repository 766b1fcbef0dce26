/* SPDX-License-Identifier: Zlib */
/* Which command. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "vfs/volume/outcome.h"

/* A file that lands on descriptor 2 would receive our messages. */
static int fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int run(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];

	if (strcmp(name, "mount.fuse.mapfs") == 0 || strcmp(name, "mount.mapfs") == 0)
		return cli_mount_helper(argc, argv);
	if (strcmp(name, "umount.fuse.mapfs") == 0)
		return cli_umount_helper(argc, argv);
	if (argc > 1 && strcmp(argv[1], "recover") == 0)
		return cli_recover(argc, argv);
	if (argc > 1 && strcmp(argv[1], "status") == 0)
		return cli_status(argc, argv);
	return cli_mapfs(argc, argv);
}

int main(int argc, char **argv)
{
	int r;

	if (argc < 1 || fill_standard_descriptors() < 0)
		return OUTCOME_USAGE;
	r = run(argc, argv);
	if (fflush(stdout) != 0) {
		perror("mapfs: standard output");
		return r ? r : OUTCOME_USAGE;
	}
	return r;
}
