/* SPDX-License-Identifier: Zlib */
#include "cli/unmounting.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/threads/clock.h"
#include "cli/holders.h"
#include "fuse/mount.h"

enum { HOLDERS_NAMED_MAX = 8, UNSEEN_MAX = 3 };
/* The daemons of a desktop look into each new mount for an instant. */
enum { TRIES = 20, PAUSE_MS = 100, STEP_MS = 20 };

bool unmounting_stands(const struct target *t)
{
	struct mount_entry now;

	return mountinfo_find(MOUNTINFO, t->point, &now) == 0 && now.mapfs &&
	       strcmp(now.dev, t->entry.dev) == 0;
}

int unmounting_wait(pid_t pid, int limit_ms)
{
	int64_t end = clock_ms() + limit_ms;
	int status = 0;
	pid_t r;

	while ((r = waitpid(pid, &status, limit_ms ? WNOHANG : 0)) == 0 && clock_ms() < end)
		usleep(STEP_MS * 1000);
	if (r == 0) {
		/* It may be past killing; then it is left behind. */
		kill(pid, SIGKILL);
		usleep(STEP_MS * 1000);
		(void)waitpid(pid, &status, WNOHANG);
		return ETIMEDOUT;
	}
	return r == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
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

static void name_holders(struct listener *l, const struct target *t)
{
	CLEANUP_NAMES struct names all = {0};

	if (t->inside)
		listener_say(l, "the current directory is in the mount: leave it first (cd ..)");
	holders_find(t->entry.dev, &all);
	for (size_t i = 0; i < all.n && i < HOLDERS_NAMED_MAX; i++)
		listener_say(l, "%s", all.at[i]);
	if (all.n > HOLDERS_NAMED_MAX)
		listener_say(l, "and %zu more processes", all.n - HOLDERS_NAMED_MAX);
}

/* Who holds the mount now, and by what. */
struct looks {
	struct names at;
	unsigned unseen; /* so often there was nobody whom we may see, one time after the other */
};

/* Is one of them still there, or nobody to be seen for too long? */
static bool looks_stay(struct looks *k, const struct target *t)
{
	struct names now = {0};
	bool stay = false;

	holders_find(t->entry.dev, &now);
	for (size_t i = 0; i < now.n; i++)
		stay |= names_has(&k->at, now.at[i]);
	k->unseen = now.n ? 0 : k->unseen + 1;
	names_finish(&k->at);
	k->at = now;
	return stay || k->unseen > UNSEEN_MAX;
}

/* 0, an errno, or what fusermount3 ended with; and its words. */
static int try_once(const struct target *t, bool lazy, char *text, size_t room)
{
	pid_t pid;

	text[0] = '\0';
	if (!lazy)
		return mount_end(t->point, false, text, room);
	pid = fork();
	if (pid == 0)
		_exit(mount_end(t->point, true, text, room));
	return pid < 0 ? errno : unmounting_wait(pid, UNMOUNTING_PATIENCE_MS);
}

int unmounting(struct listener *l, const struct target *t, bool lazy)
{
	struct looks looks = {0};
	bool busy = false;
	char text[400];
	int r;

	/* Perhaps somebody else was faster. */
	for (int i = 0; (r = try_once(t, lazy, text, sizeof(text))) && unmounting_stands(t); i++) {
		/* fusermount3 ends with a status and words, umount(2) with an errno. */
		busy = r == EBUSY || strstr(text, "busy");
		if (lazy || !busy || (i % TRIES == 0 && looks_stay(&looks, t)))
			break;
		usleep(PAUSE_MS * 1000);
	}
	names_finish(&looks.at);
	if (!r || !unmounting_stands(t))
		return OUTCOME_DONE;
	listener_say(l, "%scannot unmount: %s", wrote(l) ? "saved, but " : "",
		text[0] ? text : strerror(r));
	if (busy)
		name_holders(l, t);
	return busy ? OUTCOME_BUSY : OUTCOME_MOUNT;
}
