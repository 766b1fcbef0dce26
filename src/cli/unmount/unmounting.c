/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/unmounting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/unmount/apart.h"
#include "cli/unmount/holders.h"
#include "fuse/lifecycle/mount.h"

enum { HOLDERS_NAMED_MAX = 8, UNSEEN_MAX = 3, TEXT_MAX = 400 };
/* The daemons of a desktop look into each new mount for an instant. */
enum { TRIES = 20, PAUSE_MS = 100 };

bool unmounting_stands(const struct target *t)
{
	struct mount_entry now;

	return mountinfo_find(MOUNTINFO, t->entry.point, &now) == 0 && now.mapfs &&
	       strcmp(now.dev, t->entry.dev) == 0;
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

static int end_lazily(void *point)
{
	char text[TEXT_MAX];

	return mount_end(point, true, text, sizeof(text));
}

/* 0, an errno, or what fusermount3 ended with; and its words. */
static int try_once(const struct target *t, bool lazy, char text[TEXT_MAX])
{
	text[0] = '\0';
	return lazy ? apart(end_lazily, (char *)t->entry.point, APART_PATIENCE_MS)
		    : mount_end(t->entry.point, false, text, TEXT_MAX);
}

int unmounting(struct listener *l, const struct target *t, bool lazy)
{
	struct looks looks = {0};
	bool busy = false;
	char text[TEXT_MAX];
	int r;

	/* Perhaps somebody else was faster. */
	for (int i = 0; (r = try_once(t, lazy, text)) && unmounting_stands(t); i++) {
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
