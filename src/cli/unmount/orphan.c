/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/orphan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/threads/clock.h"
#include "cli/status.h"
#include "cli/unmount/apart.h"
#include "cli/unmount/beside.h"
#include "cli/unmount/unmounting.h"

/* How long one that does not answer may still save. */
enum { SAVE_MS = 1000, STEP_MS = 20 };

size_t orphan_journals(struct listener *l, const char *source)
{
	CLEANUP_NAMES struct names maps = {0};
	char file[NAME_MAX + 1];

	beside_maps(source, &maps);
	for (size_t i = 0; l && i < maps.n; i++)
		if (beside_journal(maps.at[i], file))
			listener_say(l,
				"what was closed and not saved is in the journal %s beside the "
				"map: "
				"mount %s again and it comes back (or see mapfs recover)",
				file, maps.at[i]);
	return maps.n;
}

/* What there is to know of what was closed, and to do. */
static void tell_journal(struct listener *l, const struct target *t)
{
	if (orphan_journals(l, t->entry.source) == 0)
		listener_say(l, "no journal lies beside %s: nothing was closed that is not saved",
			t->entry.source);
}

static int discard(const struct target *t)
{
	CLEANUP_NAMES struct names maps = {0};
	enum outcome worst = OUTCOME_DONE;
	struct stat st;

	if (stat(t->entry.source, &st) < 0 || !S_ISDIR(st.st_mode))
		return (int)beside_discard(t->entry.source, t->shown, false);
	beside_maps(t->entry.source, &maps);
	for (size_t i = 0; i < maps.n; i++)
		worst = outcome_worse(worst, beside_discard(maps.at[i], maps.at[i], true));
	return (int)worst;
}

int orphan_died(struct listener *l, const struct target *t)
{
	/* If nobody else does. */
	if (unmounting_stands(t))
		(void)unmounting(l, t, true);
	listener_say(l, "the worker died");
	tell_journal(l, t);
	return OUTCOME_SAVE_FAILED;
}

/* fsync of the mount's root is "save now" for a worker. ENOTCONN: nobody serves it. */
static int save_unheard(void *arg)
{
	const struct target *t = arg;
	int fd = open(t->entry.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* The directory below a mount that is gone takes any sync. */
	if (fd >= 0 && !mountinfo_is(fd, t->entry.dev))
		return ENOTCONN;
	return fd < 0 || fsync(fd) < 0 ? status_error(errno) : 0;
}

static int killed(struct listener *l, const struct target *t, bool thrown_away)
{
	listener_say(l, "the processes of the mount were killed; it is unmounted");
	if (thrown_away)
		return discard(t);
	tell_journal(l, t);
	return OUTCOME_SAVE_FAILED;
}

int orphan_leave(struct listener *l, const struct target *t)
{
	const char *source = t->entry.source;

	if (unmounting(l, t, true) != OUTCOME_DONE) {
		listener_say(
			l, "the processes of the mount do not answer, and it cannot be unmounted");
		return OUTCOME_BUSY;
	}
	listener_say(l, "the processes of the mount do not answer (stopped, or waiting for the "
			"disk); it is unmounted");
	/* It may be but slow, and saves now. */
	for (int64_t end = clock_ms() + SAVE_MS; clock_ms() < end && orphan_journals(NULL, source);)
		usleep(STEP_MS * 1000);
	tell_journal(l, t);
	return orphan_journals(NULL, source) ? OUTCOME_SAVE_FAILED : OUTCOME_DONE;
}

int orphan_end_unheard(struct listener *l, struct target *t, const struct ending *how)
{
	int patience = how->force ? APART_PATIENCE_MS : -1;
	int saved = how->discard ? 0 : apart(save_unheard, t, patience);
	bool dead = saved == ENOTCONN, left = false;
	int r;
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT;

	/* Whether it lives has to be known in any case. */
	if (how->discard &&
		(status_of(t->entry.point, &records) == -ENOTCONN || !unmounting_stands(t)))
		dead = true;
	if (how->discard && !dead) {
		listener_say(l, "the process that keeps the mount cannot be reached: nothing can "
				"be discarded");
		return OUTCOME_BUSY;
	}
	if (saved == ETIMEDOUT)
		return orphan_leave(l, t);
	if (saved && !dead) {
		listener_say(l,
			"the process that keeps the mount cannot be reached, and the save "
			"failed: %s%s",
			strerror(saved), how->force ? "" : "; still mounted");
		if (!how->force)
			return OUTCOME_SAVE_FAILED;
	}
	if (!dead)
		left = status_print_left(t->entry.point);
	r = unmounting(l, t, how->force || dead);
	if (r != OUTCOME_DONE)
		return r;
	if (dead)
		return killed(l, t, how->discard);
	if (saved)
		return OUTCOME_SAVE_FAILED;
	listener_say(l, "the process that keeps the mount could not be reached (is it another "
			"namespace's?): saved through the mount, and unmounted here");
	return left ? OUTCOME_LEFT : OUTCOME_DONE;
}
