/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/unmount/states.h"
#include "vfs/volume/outcome.h"

/* The more serious of two exit codes. */
static int more_serious(int a, int b)
{
	static const int weight[] = {0, 1, 2, 3, 7, 4, 6, 5};

	return weight[b] > weight[a] ? b : a;
}

int cli_umount(char *const *names, size_t n, const struct unmount_options *how)
{
	struct targets t = {0};
	int code = OUTCOME_DONE;

	/* If standard output is a closed pipe, report on stderr and go on. */
	signal(SIGPIPE, SIG_IGN);
	/* Resolve all names before the first unmount: they may be relative to a mount, and the
	 * working directory of this process must not keep a mount in use. */
	for (size_t i = 0; i < n; i++) {
		int r = targets_add(&t, names[i]);

		if (r == -ENOENT && how->discard)
			r = targets_add_below(&t, names[i], false);
		if (r == 0)
			continue;
		print_line(stderr, "mapfs: %s: %s", names[i],
			r == -ENOENT ? "is not a mount of mapfs" : strerror(-r));
		code = more_serious(code, r == -ENOENT ? OUTCOME_USAGE : OUTCOME_REFUSED);
	}
	(void)!chdir("/");
	for (size_t i = 0; i < t.n; i++) {
		if (!t.all[i].argument)
			t.all[i].argument = t.all[i].entry.source;
		code = more_serious(code, unmount_target(&t.all[i], how, t.n > 1));
	}
	targets_finish(&t);
	return code;
}

/* For umount(8): umount.fuse.mapfs MOUNTPOINT [-n] [-l] [-f] [-r] [-v] [-N ns] [-t type] */
int cli_umount_helper(int argc, char **argv)
{
	struct unmount_options how = {0};
	int c;

	opterr = 0;
	while ((c = getopt(argc, argv, "nlfrvN:t:")) != -1) {
		switch (c) {
		case 'f':
		case 'l':
			how.force = true;
			break;
		case 'v':
			how.verbose = true;
			break;
		case 'N':
			return cli_usage("-N: cannot reach into another mount namespace");
		case '?':
			return cli_usage("unknown option -%c", optopt);
		default:
			break;
		}
	}
	if (argc - optind != 1)
		return cli_usage("%s takes one mount point", argv[0]);
	return cli_umount(argv + optind, 1, &how);
}
