/* SPDX-License-Identifier: Zlib */
#include "cli/umount.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/say.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/holders.h"
#include "fuse/door.h"

/* A launcher that has just mounted is about to open the door; after that long nobody comes. */
enum { KNOCKS = 25, KNOCK_PAUSE_MS = 40 };
/* So often a client is sent away, by each worker that had one device's number and has not ended. */
enum { VISITS = 50 };
enum { HOLDERS_NAMED_MAX = 8, UNSEEN_MAX = 3, LOOK_MAX = 5000 };

static void pause_before_knocking(void)
{
	nanosleep(&(struct timespec){.tv_nsec = KNOCK_PAUSE_MS * 1000000}, NULL);
}

static bool still_there(const struct target *t)
{
	struct mount_entry now;

	return mountinfo_find(MOUNTINFO, t->point, &now) == 0 && now.mapfs &&
	       strcmp(now.dev, t->entry.dev) == 0;
}

/* Until SAVED. 0, -ETIMEDOUT, or -EPIPE: the worker is gone. */
static int wait_for_save(struct listener *l, int sock, struct control_msg *ret)
{
	int r;

	while ((r = listener_next(l, sock, ret)) == 1 && ret->type != CONTROL_SAVED)
		;
	return r == 1 ? 0 : r == -ETIMEDOUT ? r : -EPIPE;
}

/* Did a save write anything? */
static bool wrote(const struct listener *l)
{
	for (size_t i = 0; i < l->printed.n; i++) {
		if (strncmp(l->printed.at[i], "saved: ", 7) == 0 ||
			strncmp(l->printed.at[i], "removed: ", 9) == 0)
			return true;
	}
	return false;
}

/* OUTCOME_DONE, or why it stays. */
static int unmount(struct listener *l, const struct target *t, bool lazy)
{
	char text[400], line[CONTROL_TEXT_MAX];
	int r = orphan_unmount(t->point, lazy, text, sizeof(text));

	/* Perhaps somebody else was faster. */
	if (r == 0 || !still_there(t))
		return OUTCOME_DONE;
	snprintf(line, sizeof(line), "%scannot unmount: %s", wrote(l) ? "saved, but " : "",
		text[0] ? text : strerror(r));
	/* fusermount3 ends with a status and words, umount(2) with an errno. */
	if (r == EBUSY || strstr(text, "busy")) {
		/* The last word is said once nobody tries again. */
		memcpy(l->end, line, sizeof(l->end));
		return OUTCOME_BUSY;
	}
	listener_say(l, "%s", line);
	return OUTCOME_MOUNT;
}

/* Of a map that is bound to a second place. */
static bool stands_elsewhere(struct listener *l, const struct target *t)
{
	CLEANUP(free) char *point = NULL;
	struct mount_entry entry;

	if (mountinfo_find_device(MOUNTINFO, t->entry.dev, &point) < 0 ||
		mountinfo_find(MOUNTINFO, point, &entry) < 0 || !entry.mapfs ||
		strcmp(entry.source, t->entry.source) != 0)
		return false;
	listener_say(l, "unmounted, and still mounted on %s", point);
	return true;
}

/* Have it saved, unmount, and wait for the worker's end. The exit code, -ETIMEDOUT, or -EAGAIN: not
 * a word, come again. */
static int ask(struct listener *l, int sock, const struct target *t, const struct ending *how)
{
	struct control_msg m;
	bool made;
	int r = control_tell(sock, CONTROL_SAVE,
		(how->force ? 0 : CONTROL_MAY_STAY) | (how->discard ? CONTROL_DISCARD : 0), NULL);

	l->heard = false;
	if (r == 0)
		r = wait_for_save(l, sock, &m);
	if (r < 0 && r != -ETIMEDOUT)
		return l->heard ? orphan_died(l, t) : -EAGAIN;
	if (r < 0)
		return r;
	made = m.flags & CONTROL_MADE;
	if (control_outcome(m.code) == OUTCOME_SAVE_FAILED && !how->force) {
		listener_say(l, "not everything could be saved; still mounted (mapfs -u --discard "
				"throws away what is not)");
		return OUTCOME_SAVE_FAILED;
	}
	r = unmount(l, t, how->force);
	if (r != OUTCOME_DONE)
		return r;
	if (stands_elsewhere(l, t))
		return (int)control_outcome(m.code);
	if (made)
		(void)rmdir(t->point);
	(void)control_tell(sock, CONTROL_QUIT, 0, NULL);
	r = wait_for_save(l, sock, &m);
	if (r == -EPIPE)
		return orphan_died(l, t);
	/* Once it is gone the map is unlocked. */
	while (r == 0 && (r = listener_next(l, sock, &(struct control_msg){0})) == 1)
		r = 0;
	return r == -ETIMEDOUT ? r : (int)control_outcome(m.code);
}

/* A socket to the worker, or -errno. *turn: at whose door it was already. */
static int knock(const struct mount_entry *entry, unsigned *turn)
{
	int sock = -1;

	for (int i = 0; i < KNOCKS && sock < 0; i++) {
		if (i > 0)
			pause_before_knocking();
		sock = door_knock(entry->dev, entry->owner, turn);
	}
	return sock;
}

/* What is to be said of a map that is not mounted. */
static int not_mounted(struct listener *l, const char *why, const char *source)
{
	listener_say(l, "%s", why);
	(void)orphan_tell_journals(l, source);
	return OUTCOME_USAGE;
}

/* One attempt: the exit code, -EAGAIN, or -ETIMEDOUT. */
static int visit(struct listener *l, struct target *t, const struct ending *how, unsigned *turn)
{
	CLEANUP(close_fd) int sock = -1;

	struct mount_entry entry;

	if (mountinfo_find(MOUNTINFO, t->point, &entry) < 0 || !entry.mapfs)
		return not_mounted(l, "is not a mount of mapfs any more", t->entry.source);
	t->entry = entry;
	if (geteuid() != 0 && geteuid() != t->entry.owner) {
		listener_say(l, "was mounted by another user");
		return OUTCOME_MOUNT;
	}
	sock = knock(&t->entry, turn);
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
	unsigned turn = 0;
	int r = -EAGAIN;

	l->end[0] = '\0';
	for (int i = 0; i < VISITS && r == -EAGAIN; i++) {
		if (i > 0)
			pause_before_knocking();
		r = visit(l, t, how, &turn);
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
	struct listener l;
	int r;

	if (t->point)
		return end_mount(t, how);
	if (how->discard)
		return (int)beside_discard(t->file, t->shown, how->several);
	listener_init(&l, t->shown, false, false);
	r = not_mounted(&l, "is not mounted", t->file);
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
