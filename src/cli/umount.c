/* SPDX-License-Identifier: Zlib */
#include "cli/umount.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/listener.h"
#include "cli/orphan.h"
#include "fuse/control.h"
#include "fuse/keeper_door.h"
#include "fuse/keeper_mountinfo.h"

/* A keeper that has just mounted may have to wait for the name of its door; after that long nobody
 * stands behind it. */
enum { KNOCKS = 25, KNOCK_PAUSE_MS = 40 };
/* So often a client is sent away, at most once by each keeper of one device's number. */
enum { VISITS = 250 };

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

static void pause_before_knocking(void)
{
	nanosleep(&(struct timespec){.tv_nsec = KNOCK_PAUSE_MS * 1000000}, NULL);
}

/* Ask the keeper and listen until it is done. -EAGAIN: not a word, come again. */
static int ask(struct listener *l, int sock, const char *point, const struct mount_entry *entry,
	bool force)
{
	struct control_msg m;
	int r = control_tell(sock, CONTROL_UNMOUNT, force ? CONTROL_FORCE : 0, point);

	if (r == 0)
		r = listener_next(l, sock, &m);
	if (r == 1 && m.type == CONTROL_ORPHAN)
		return orphan_end(l, sock, point, entry, force, m.code);
	while (r == 1 && m.type != CONTROL_DONE)
		r = listener_next(l, sock, &m);
	if (r != 1 && !l->heard)
		return -EAGAIN;
	if (r != 1) {
		listener_say(l, "the process that keeps the mount went away without an answer");
		return OUTCOME_SAVE_FAILED;
	}
	if (m.text[0])
		listener_say(l, m.text);
	return m.code;
}

/* A socket to the keeper, or to the worker whose keeper has died; or -errno. */
static int knock(const struct mount_entry *entry)
{
	int sock = -1;

	for (int i = 0; i < KNOCKS && sock < 0; i++) {
		if (i > 0)
			pause_before_knocking();
		sock = door_knock(entry->dev, entry->owner);
		if (sock < 0)
			sock = door_knock_back(entry->dev, entry->owner);
	}
	return sock;
}

/* One attempt: the exit code, or -EAGAIN. */
static int visit(struct listener *l, bool force)
{
	CLEANUP(free) char *point = NULL;
	CLEANUP(close_fd) int sock = -1;
	struct mount_entry entry;

	if (find(l->mountpoint, &point, &entry) < 0) {
		listener_say(l, "is not a mount of mapfs");
		return OUTCOME_USAGE;
	}
	if (geteuid() != 0 && geteuid() != entry.owner) {
		listener_say(l, "was mounted by another user");
		return OUTCOME_MOUNT;
	}
	sock = knock(&entry);
	if (sock < 0)
		return orphan_end_unheard(l, point, force);
	return ask(l, sock, point, &entry, force);
}

int umount_run(const char *mountpoint, bool force, bool verbose)
{
	struct listener l;
	int r = -EAGAIN;

	listener_init(&l, mountpoint, verbose);
	for (int i = 0; i < VISITS && r == -EAGAIN; i++) {
		if (i > 0)
			pause_before_knocking();
		r = visit(&l, force);
	}
	if (r == -EAGAIN) {
		listener_say(&l, "the process that keeps the mount does not answer");
		r = OUTCOME_BUSY;
	}
	listener_finish(&l);
	return r;
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
