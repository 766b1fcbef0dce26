/* SPDX-License-Identifier: Zlib */
#include "cli/umount.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/holders.h"
#include "fuse/keeper_door.h"

/* A keeper that has just mounted is on the way to its door; after that long nobody comes. */
enum { KNOCKS = 25, KNOCK_PAUSE_MS = 40 };
/* So often a client is sent away, once by each keeper of one device's number; a keeper that knows
 * the mount by another name, in a mount namespace of its own, always does. */
enum { VISITS = 50 };
enum { HOLDERS_NAMED_MAX = 8, UNSEEN_MAX = 3, LOOK_MAX = 5000 };

static void pause_before_knocking(void)
{
	nanosleep(&(struct timespec){.tv_nsec = KNOCK_PAUSE_MS * 1000000}, NULL);
}

/* Does the other end live in another mount namespace? */
static bool is_elsewhere(int sock)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);
	struct stat ours, theirs;
	char path[64];

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &n) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/ns/mnt", (long)cred.pid);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/mnt", &ours) == 0 &&
	       theirs.st_ino != ours.st_ino;
}

static bool still_there(const struct target *t)
{
	struct mount_entry now;

	return mountinfo_find(MOUNTINFO, t->point, &now) == 0 && now.mapfs &&
	       strcmp(now.dev, t->entry.dev) == 0;
}

/* Ask the keeper and listen until it is done. -EAGAIN: not a word, come again. */
static int ask(struct listener *l, int sock, const struct target *t, const struct ending *how)
{
	bool elsewhere = is_elsewhere(sock);
	struct control_msg m;
	int r = control_tell(sock, CONTROL_UNMOUNT,
		(how->force ? CONTROL_FORCE : 0) | (how->discard ? CONTROL_DISCARD : 0), t->point);

	if (r == 0)
		r = listener_next(l, sock, &m);
	if (r == 1 && m.type == CONTROL_ORPHAN)
		return orphan_end(l, sock, t, how, m.code);
	while (r == 1 && m.type != CONTROL_DONE)
		r = listener_next(l, sock, &m);
	if (r == -ETIMEDOUT)
		return r;
	if (r != 1 && !l->heard)
		return -EAGAIN;
	if (r != 1) {
		listener_say(l, "the process that keeps the mount went away without an answer");
		return OUTCOME_SAVE_FAILED;
	}
	/* Of one that is busy the last word is said once nobody tries again. */
	if (m.code == OUTCOME_BUSY)
		memcpy(l->end, m.text, sizeof(l->end));
	else if (m.text[0])
		listener_say(l, "%s", m.text);
	if (elsewhere && m.code != OUTCOME_BUSY && m.code != OUTCOME_MOUNT && still_there(t) &&
		(m.code != OUTCOME_SAVE_FAILED || how->force))
		orphan_unmount_here(t);
	return m.code;
}

/* At which doors it was already. */
struct turns {
	unsigned front, back;
};

/* A socket to the keeper, or to the worker whose keeper has died; or -errno. */
static int knock(const struct mount_entry *entry, struct turns *turns)
{
	int sock = -1;

	for (int i = 0; i < KNOCKS && sock < 0; i++) {
		if (i > 0)
			pause_before_knocking();
		sock = door_knock(entry->dev, entry->owner, &turns->front);
		if (sock < 0)
			sock = door_knock_back(entry->dev, entry->owner, &turns->back);
	}
	return sock;
}

/* One attempt: the exit code, -EAGAIN, or -ETIMEDOUT. */
static int visit(
	struct listener *l, struct target *t, const struct ending *how, struct turns *turns)
{
	CLEANUP(close_fd) int sock = -1;

	if (mountinfo_find(MOUNTINFO, t->point, &t->entry) < 0 || !t->entry.mapfs) {
		listener_say(l, "is not a mount of mapfs any more");
		return OUTCOME_USAGE;
	}
	if (geteuid() != 0 && geteuid() != t->entry.owner) {
		listener_say(l, "was mounted by another user");
		return OUTCOME_MOUNT;
	}
	sock = knock(&t->entry, turns);
	return sock < 0 ? orphan_end_unheard(l, t, how) : ask(l, sock, t, how);
}

struct naming {
	struct listener *l;
	size_t n;
};

static void name_holder(void *arg, pid_t pid, const char *name, const char *what)
{
	struct naming *naming = arg;

	if (naming->n++ < HOLDERS_NAMED_MAX)
		listener_say(naming->l, "%s (process %ld) %s", name, (long)pid, what);
}

static void name_holders(struct listener *l, const struct target *t, bool inside)
{
	struct naming naming = {l, 0};

	if (inside)
		listener_say(l, "the current directory is in the mount: leave it first (cd ..)");
	(void)holders_find(t->entry.dev, name_holder, &naming);
	if (naming.n > HOLDERS_NAMED_MAX)
		listener_say(l, "and %zu more processes", naming.n - HOLDERS_NAMED_MAX);
}

/* Is this process in the mount? It leaves then. */
static bool step_out(const struct target *t)
{
	CLEANUP(free) char *cwd = getcwd(NULL, 0);
	size_t n = strlen(t->point);

	if (!cwd || strncmp(cwd, t->point, n) != 0 || (cwd[n] && cwd[n] != '/'))
		return false;
	return chdir("/") == 0;
}

static void add_look(void *arg, pid_t pid, const char *name, const char *what)
{
	char line[LOOK_MAX];

	(void)name;
	snprintf(line, sizeof(line), "%ld %s", (long)pid, what);
	lines_add(arg, line);
}

/* Who holds the mount now, and by what. */
struct looks {
	struct lines at;
	unsigned unseen; /* so often there was nobody whom we may see, one time after the other */
};

/* Is one of them still there, or nobody to be seen for too long? */
static bool looks_stay(struct looks *k, const struct target *t)
{
	struct lines now = {0};
	bool stay = false;

	(void)holders_find(t->entry.dev, add_look, &now);
	for (size_t i = 0; i < now.n; i++)
		stay |= lines_has(&k->at, now.at[i]);
	k->unseen = now.n ? 0 : k->unseen + 1;
	lines_clear(&k->at);
	k->at = now;
	return stay || k->unseen > UNSEEN_MAX;
}

static int try_end(struct listener *l, struct target *t, const struct ending *how)
{
	struct turns turns = {0};
	int r = -EAGAIN;

	l->end[0] = '\0';
	for (int i = 0; i < VISITS && r == -EAGAIN; i++) {
		if (i > 0)
			pause_before_knocking();
		r = visit(l, t, how, &turns);
	}
	if (r == -EAGAIN)
		r = orphan_end_unheard(l, t, how);
	return r == -ETIMEDOUT ? orphan_leave(l, t) : r;
}

/* Whoever looks in for a moment, and then another, is waited for. */
static int end_mount(struct target *t, const struct ending *how)
{
	bool inside = step_out(t);
	struct looks looks = {0};
	struct listener l;
	int r;

	listener_init(&l, t->shown, how->verbose, how->force);
	l.several = how->several;
	(void)looks_stay(&looks, t);
	do
		r = try_end(&l, t, how);
	while (r == OUTCOME_BUSY && l.end[0] && !looks_stay(&looks, t));
	if (l.end[0])
		listener_say(&l, "%s", l.end);
	if (r == OUTCOME_BUSY)
		name_holders(&l, t, inside);
	lines_clear(&looks.at);
	listener_finish(&l);
	return r;
}

static int end_target(struct target *t, const struct ending *how)
{
	if (t->point)
		return end_mount(t, how);
	if (how->discard)
		return (int)beside_discard(t->file, t->shown, how->several);
	say(stderr, "mapfs: %s: is not mounted", t->shown);
	return OUTCOME_USAGE;
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
	for (size_t i = 0; i < t.n; i++)
		code = heavier(code, end_target(&t.all[i], &how));
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
