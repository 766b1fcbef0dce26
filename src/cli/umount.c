/* SPDX-License-Identifier: Zlib */
#include "cli/umount.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/cli.h"
#include "fuse/control.h"
#include "fuse/keeper_door.h"
#include "fuse/keeper_mount.h"
#include "fuse/keeper_mountinfo.h"

/* Saving is shown once it has taken this long. */
enum { PROGRESS_AFTER_MS = 1000 };

static void say(const char *mountpoint, const char *text)
{
	fprintf(stderr, "mapfs: %s: %s\n", mountpoint, text);
}

/* path with its last name unresolved: to resolve a mount point is to touch the mount. NULL where
 * the last name is no plain name, or something before it is missing. */
static char *resolve_parent(const char *path)
{
	CLEANUP(free) char *copy = strdup(path);
	CLEANUP(free) char *parent = NULL;
	char *whole, *name;
	size_t n = copy ? strlen(copy) : 0;

	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	if (!n)
		return NULL;
	name = strrchr(copy, '/');
	if (name)
		*name++ = '\0';
	else
		name = copy;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return NULL;
	parent = realpath(name == copy ? "." : *copy ? copy : "/", NULL);
	if (!parent || asprintf(&whole, "%s/%s", strcmp(parent, "/") ? parent : "", name) < 0)
		return NULL;
	return whole;
}

static int find(const char *mountpoint, char **ret_point, struct mount_entry *ret)
{
	CLEANUP(free) char *point = resolve_parent(mountpoint);

	if (!point || mountinfo_find(MOUNTINFO, point, ret) < 0) {
		free(point);
		point = realpath(mountpoint, NULL);
		if (!point || mountinfo_find(MOUNTINFO, point, ret) < 0)
			return -ENOENT;
	}
	if (!ret->mapfs)
		return -ENOENT;
	*ret_point = TAKE(point);
	return 0;
}

struct progress {
	const char *mountpoint;
	struct timespec start;
	bool wanted;
	bool shown;
};

static void progress_show(struct progress *p, uint64_t done, uint64_t total)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(now.tv_sec - p->start.tv_sec) * 1000 +
	     (now.tv_nsec - p->start.tv_nsec) / 1000000;
	if (!p->wanted || ms < PROGRESS_AFTER_MS || !total)
		return;
	fprintf(stderr, "\rmapfs: %s: saving, %3.0f %%", p->mountpoint,
		100.0 * (double)(done < total ? done : total) / (double)total);
	p->shown = true;
}

static void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

/* Ask the keeper and listen until it is done. */
static int ask(int sock, const char *mountpoint, const char *point, bool force, bool verbose)
{
	struct progress progress = {
		.mountpoint = mountpoint, .wanted = verbose || isatty(STDERR_FILENO)};
	struct control_msg m;
	int r;

	clock_gettime(CLOCK_MONOTONIC, &progress.start);
	r = control_tell(sock, CONTROL_UNMOUNT, force ? CONTROL_FORCE : 0, point);
	while (r >= 0 && (r = control_recv(sock, &m)) == 1 && m.type != CONTROL_DONE) {
		if (m.type == CONTROL_PROGRESS) {
			progress_show(&progress, m.done, m.total);
		} else if (m.type == CONTROL_REPORT) {
			progress_clear(&progress);
			puts(m.text);
			fflush(stdout);
		}
	}
	progress_clear(&progress);
	if (r != 1) {
		say(mountpoint, "the process that keeps the mount went away without an answer");
		return OUTCOME_SAVE_FAILED;
	}
	if (m.text[0])
		say(mountpoint, m.text);
	return m.code;
}

/* The keeper is gone: fsync of the mount's root is "save now" for the worker. 0, or -errno. */
static int save_directly(const char *point)
{
	CLEANUP(close_fd) int fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

/* The reason of a failure has been printed. */
static bool unmount_directly(const char *point, bool lazy)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		keeper_unmount_and_exit(point, lazy);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static int without_keeper(const char *mountpoint, const char *point, bool force)
{
	int saved = save_directly(point);
	char line[200];
	bool dead = saved == -ENOTCONN;

	/* Root may not look into a user's mount; the worker saves at the end of the session. */
	if (saved == -EACCES)
		saved = 0;
	if (saved < 0 && !dead) {
		snprintf(line, sizeof(line), "the save failed: %s%s", strerror(-saved),
			force ? "" : "; still mounted");
		say(mountpoint, line);
		if (!force)
			return OUTCOME_SAVE_FAILED;
	}
	if (!unmount_directly(point, force || dead)) {
		say(mountpoint, "cannot unmount");
		return OUTCOME_BUSY;
	}
	if (dead)
		say(mountpoint, "the worker was dead; the journal is kept");
	return saved < 0 ? OUTCOME_SAVE_FAILED : OUTCOME_DONE;
}

int umount_run(const char *mountpoint, bool force, bool verbose)
{
	CLEANUP(free) char *point = NULL;
	CLEANUP(close_fd) int sock = -1;
	struct mount_entry entry;

	if (find(mountpoint, &point, &entry) < 0) {
		say(mountpoint, "is not a mount of mapfs");
		return OUTCOME_USAGE;
	}
	if (geteuid() != 0 && geteuid() != entry.owner) {
		say(mountpoint, "was mounted by another user");
		return OUTCOME_MOUNT;
	}
	sock = door_knock(entry.dev, entry.owner);
	if (sock < 0)
		return without_keeper(mountpoint, point, force);
	return ask(sock, mountpoint, point, force, verbose);
}

/* umount(8): umount.fuse.mapfs MOUNTPOINT [-n] [-l] [-f] [-r] [-v] [-N namespace] [-t type] */
int cli_umount_helper(int argc, char **argv)
{
	bool force = false, verbose = false;
	int c;

	opterr = 0;
	while ((c = getopt(argc, argv, "nlfrvN:t:")) != -1) {
		switch (c) {
		case 'f':
		case 'l':
			force = true;
			break;
		case 'v':
			verbose = true;
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
	return umount_run(argv[optind], force, verbose);
}
