/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/umount.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "base/threads/clock.h"
#include "cli/cli.h"
#include "cli/unmount/beside.h"
#include "cli/unmount/unmounting.h"
#include "fuse/door.h"
#include "fuse/lifecycle/note.h"

/* A launcher that has just mounted is about to open the door; after that long nobody comes. */
enum { KNOCKS = 25, KNOCK_PAUSE_MS = 40 };
/* So often a client is sent away, by workers that had the device's number and have not ended. */
enum { VISITS = 50 };

/* Until SAVED. 0, -ETIMEDOUT, or -EPIPE: the worker is gone. */
static int wait_for_save(struct listener *l, int sock, struct control_msg *ret)
{
	int r;

	while ((r = listener_next(l, sock, ret)) == 1 && ret->type != CONTROL_SAVED)
		;
	return r == 1 ? 0 : r == -ETIMEDOUT ? r : -EPIPE;
}

/* Of a map that is bound to a second place. */
static bool stands_elsewhere(struct listener *l, const struct target *t)
{
	struct mount_entry entry;

	if (mountinfo_find_device(MOUNTINFO, t->entry.dev, &entry) < 0 || !entry.mapfs ||
		strcmp(entry.source, t->entry.source) != 0)
		return false;
	listener_say(l, "unmounted, and still mounted on %s", entry.point);
	return true;
}

/* Have it saved, unmount, and wait for the worker's end. The exit code, -ETIMEDOUT, or -EAGAIN: not
 * a word, come again. */
static int ask(struct listener *l, int sock, const struct target *t, const struct ending *how)
{
	/* Root removes nothing where another could lead a path astray. */
	const int cleans = geteuid() == t->entry.owner ? CONTROL_CLEANS : 0;
	struct control_msg m;
	bool made;
	int r = control_tell(sock, CONTROL_SAVE,
		(how->force ? 0 : CONTROL_MAY_STAY) | (how->discard ? CONTROL_DISCARD : 0) | cleans,
		NULL);

	l->heard = false;
	/* While the worker saves. */
	if (geteuid() == 0)
		note_prepare();
	if (r == 0)
		r = wait_for_save(l, sock, &m);
	if (r < 0 && r != -ETIMEDOUT)
		return l->heard ? orphan_died(l, t) : -EAGAIN;
	if (r < 0)
		return r;
	made = cleans && m.flags & CONTROL_MADE;
	if (control_outcome(m.code) == OUTCOME_SAVE_FAILED && !how->force) {
		listener_say(l, "not everything could be saved; still mounted (mapfs -u --discard "
				"throws away what is not)");
		return OUTCOME_SAVE_FAILED;
	}
	r = unmounting(l, t, how->force);
	if (r != OUTCOME_DONE)
		return r;
	if (stands_elsewhere(l, t))
		return (int)control_outcome(m.code);
	if (made)
		(void)rmdir(t->entry.point);
	/* To unmount may have taken long. */
	l->heard_ms = l->moved_ms = clock_ms();
	(void)control_tell(sock, CONTROL_QUIT, 0, NULL);
	r = wait_for_save(l, sock, &m);
	if (r == -EPIPE)
		return orphan_died(l, t);
	/* Once it is gone the map is unlocked. */
	while (r == 0 && (r = listener_next(l, sock, &(struct control_msg){0})) == 1)
		r = 0;
	return r == -ETIMEDOUT ? r : (int)control_outcome(m.code);
}

/* A socket to the worker, or -errno. */
static int knock(const struct mount_entry *entry)
{
	int sock = -1;

	for (int i = 0; i < KNOCKS && sock < 0; i++) {
		if (i > 0)
			usleep(KNOCK_PAUSE_MS * 1000);
		sock = door_knock(entry->dev, entry->owner);
	}
	return sock;
}

/* What is to be said of a map that is not mounted. */
static int not_mounted(struct listener *l, const char *why, const char *source)
{
	listener_say(l, "%s", why);
	(void)orphan_journals(l, source);
	return OUTCOME_USAGE;
}

/* One attempt: the exit code, -EAGAIN, or -ETIMEDOUT. */
static int visit(struct listener *l, struct target *t, const struct ending *how)
{
	CLEANUP(close_fd) int sock = -1;
	struct mount_entry entry;

	if (mountinfo_find(MOUNTINFO, t->entry.point, &entry) < 0 || !entry.mapfs)
		return not_mounted(l, "is not a mount of mapfs any more", t->entry.source);
	t->entry = entry;
	if (geteuid() != 0 && geteuid() != t->entry.owner) {
		listener_say(l, "was mounted by another user");
		return OUTCOME_MOUNT;
	}
	sock = knock(&t->entry);
	/* While we knocked the device's number may have come to another mount, whose worker this is
	 * then. */
	if (sock >= 0 && !unmounting_stands(t))
		return -EAGAIN;
	return sock < 0 ? orphan_end_unheard(l, t, how) : ask(l, sock, t, how);
}

/* Is this process in the mount? It leaves then. */
static bool step_out(const struct target *t)
{
	CLEANUP(free) char *cwd = getcwd(NULL, 0);
	size_t n = strlen(t->entry.point);

	if (!cwd || strncmp(cwd, t->entry.point, n) != 0 || (cwd[n] && cwd[n] != '/'))
		return false;
	return chdir("/") == 0;
}

static int try_end(struct listener *l, struct target *t, const struct ending *how)
{
	int r = -EAGAIN;

	for (int i = 0; i < VISITS && r == -EAGAIN; i++) {
		if (i > 0)
			usleep(KNOCK_PAUSE_MS * 1000);
		r = visit(l, t, how);
	}
	if (r == -EAGAIN)
		r = orphan_end_unheard(l, t, how);
	return r == -ETIMEDOUT ? orphan_leave(l, t) : r;
}

static int end_target(struct target *t, const struct ending *how)
{
	struct listener l;
	int r;

	if (!t->entry.mapfs && how->discard)
		return (int)beside_discard(t->entry.source, t->shown, how->several);
	listener_init(&l, t->shown, how);
	t->inside = t->entry.mapfs && step_out(t);
	r = t->entry.mapfs ? try_end(&l, t, how)
			   : not_mounted(&l, "is not mounted", t->entry.source);
	listener_finish(&l);
	return r;
}

/* Of several the first of 4, 6, 7, 5 that occurred. */
static int heavier(int a, int b)
{
	static const int order[] = {OUTCOME_SAVE_FAILED, OUTCOME_CONFLICT, OUTCOME_BUSY,
		OUTCOME_LEFT, OUTCOME_MOUNT, OUTCOME_REFUSED, OUTCOME_USAGE};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (a == order[i] || b == order[i])
			return order[i];
	}
	return OUTCOME_DONE;
}

int umount_run(char *const *names, size_t n, const struct ending *wanted)
{
	struct ending how = *wanted;
	struct targets t = {0};
	int code = OUTCOME_DONE;

	/* Who reads no further hears of the report on stderr, and the end is waited for. */
	signal(SIGPIPE, SIG_IGN);
	/* All are looked up before a first one ends: names may be relative to a mount. */
	for (size_t i = 0; i < n; i++) {
		if (targets_add(&t, names[i]) == 0 ||
			(how.discard && targets_add_below(&t, names[i]) == 0))
			continue;
		say(stderr, "mapfs: %s: is not a mount of mapfs", names[i]);
		code = heavier(code, OUTCOME_USAGE);
	}
	how.several = t.n > 1;
	for (size_t i = 0; i < t.n; i++) {
		if (!t.all[i].shown)
			t.all[i].shown = t.all[i].entry.source;
		code = heavier(code, end_target(&t.all[i], &how));
	}
	targets_finish(&t);
	return code;
}

/* umount(8): umount.fuse.mapfs MOUNTPOINT [-n] [-l] [-f] [-r] [-v] [-N namespace] [-t type] */
int cli_umount_helper(int argc, char **argv)
{
	struct ending how = {0};
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
	return umount_run(argv + optind, 1, &how);
}
