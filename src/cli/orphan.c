/* SPDX-License-Identifier: Zlib */
#include "cli/orphan.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/threads/clock.h"
#include "cli/beside.h"
#include "cli/status.h"
#include "cli/unmounting.h"

/* How long one that does not answer may still save. */
enum { SAVE_MS = 1000, STEP_MS = 20 };

struct journals {
	struct listener *l; /* NULL: they are counted only */
	size_t n;
};

static void tell_one(void *arg, const char *map)
{
	struct journals *j = arg;
	char file[NAME_MAX + 1];

	if (!beside_journal(map, file))
		return;
	j->n++;
	if (j->l)
		listener_say(j->l,
			"what was closed and not saved is in the journal %s beside the map: mount "
			"%s again and it comes back (or see mapfs recover)",
			file, map);
}

size_t orphan_journals(struct listener *l, const char *source)
{
	struct journals j = {l, 0};
	struct stat st;

	if (stat(source, &st) == 0 && S_ISDIR(st.st_mode))
		(void)beside_each(source, tell_one, &j);
	else
		tell_one(&j, source);
	return j.n;
}

/* What there is to know of what was closed, and to do. */
static void tell_journal(struct listener *l, const struct target *t)
{
	if (orphan_journals(l, t->entry.source) == 0)
		listener_say(l, "no journal lies beside %s: nothing was closed that is not saved",
			t->entry.source);
}

static void discard_one(void *arg, const char *map)
{
	enum outcome *worst = arg;

	*worst = outcome_worse(*worst, beside_discard(map, map, true));
}

static int discard(const struct target *t)
{
	enum outcome worst = OUTCOME_DONE;
	struct stat st;

	if (stat(t->entry.source, &st) < 0 || !S_ISDIR(st.st_mode))
		return (int)beside_discard(t->entry.source, t->shown, false);
	(void)beside_each(t->entry.source, discard_one, &worst);
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

/* fsync of the mount's root is "save now" for a worker. In a child: it may never end. 0 or an
 * errno; ENOTCONN: nobody serves it.
 */
static int save_unheard(const struct target *t, bool hurry)
{
	pid_t pid = fork();
	int fd;

	if (pid < 0)
		return errno;
	if (pid == 0) {
		fd = open(t->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* The directory below a mount that is gone takes any sync. */
		if (fd >= 0 && !mountinfo_is(fd, t->entry.dev))
			_exit(ENOTCONN);
		_exit(fd < 0 || fsync(fd) < 0 ? status_error(errno) : 0);
	}
	return unmounting_wait(pid, hurry ? UNMOUNTING_PATIENCE_MS : 0);
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

int orphan_end_unheard(struct listener *l, const struct target *t, const struct ending *how)
{
	int saved = how->discard ? 0 : save_unheard(t, how->force);
	bool dead = saved == ENOTCONN, left = false;
	int r;
	CLEANUP_BUFFER struct buffer records = BUFFER_INIT;

	/* Whether it lives has to be known in any case. */
	if (how->discard && (status_of(t->point, &records) == -ENOTCONN || !unmounting_stands(t)))
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
		left = status_print_left(t->point);
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
