/* SPDX-License-Identifier: Zlib */
#include "fuse/keeper_end.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "fuse/keeper_mountinfo.h"
#include "fuse/keeper_watch.h"
#include "vfs/files/sidecar.h"
#include "vfs/journal/read.h"

void keeper_close_control(struct keeper *k)
{
	if (k->control >= 0)
		close(k->control);
	k->control = -1;
}

void keeper_tell_invoker(struct keeper *k, enum outcome code, const char *text)
{
	if (k->invoker < 0)
		return;
	/* Nobody would ever unmount what nobody was told of. */
	if (control_tell(k->invoker, CONTROL_DONE, (int)code, text) < 0)
		k->wish = WISH_SIGNAL;
	close(k->invoker);
	k->invoker = -1;
}

static void tell_clients(struct keeper *k, enum outcome code, const char *text)
{
	struct control_msg m = {.type = CONTROL_DONE, .code = (int)code, .fd = -1};

	snprintf(m.text, sizeof(m.text), "%s", text);
	door_tell(&k->door, &m);
}

/* Asked after a look at the mount table: see keeper_watch.h. */
static bool is_gone(struct keeper *k)
{
	k->gone = watch_ended(k->watch) || k->gone;
	return k->gone;
}

bool keeper_mounted_at(struct keeper *k, const char *point)
{
	struct mount_entry entry;

	return mountinfo_find(MOUNTINFO, point, &entry) == 0 && strcmp(entry.dev, k->dev) == 0 &&
	       !is_gone(k);
}

void keeper_set_point(struct keeper *k, char *point)
{
	free(k->point);
	k->point = point;
}

bool keeper_still_mounted(struct keeper *k)
{
	char *elsewhere;

	if (!k->mounted || keeper_mounted_at(k, k->point))
		return k->mounted;
	/* Without a watch, whatever has our number at another place may be anybody's. */
	if (!k->watched || mountinfo_find_device(MOUNTINFO, k->dev, &elsewhere) < 0)
		return false;
	if (is_gone(k)) {
		free(elsewhere);
		return false;
	}
	keeper_set_point(k, elsewhere);
	return true;
}

static void over(struct keeper *k)
{
	k->state = KEEPER_OVER;
	if (k->made_point && rmdir(k->made_point) < 0 && errno != ENOENT)
		keeper_say(k, LOG_WARNING, "cannot remove the mount point %s: %s", k->made_point,
			strerror(errno));
	keeper_tell_invoker(k, k->result, k->why);
	tell_clients(k, k->result, k->why);
}

static bool has_stale_note(const struct keeper *k)
{
	struct mount_entry entry;

	return k->noted && mountinfo_find(MOUNTINFO, k->point, &entry) == -ENOENT;
}

void keeper_clean(struct keeper *k)
{
	struct error e = ERROR_INIT;
	enum errand_kind kind = ERRAND_NONE;

	k->state = KEEPER_CLEANING;
	if (k->runner.out)
		return; /* its end brings us back */
	if (keeper_still_mounted(k))
		kind = ERRAND_UNMOUNT_LAZILY;
	else if (has_stale_note(k))
		kind = ERRAND_FORGET;
	/* Once only. */
	k->noted = false;
	if (!kind || runner_send(&k->runner, kind, k->point, &e) < 0)
		over(k);
}

void keeper_set_result(struct keeper *k, enum outcome code, const char *text)
{
	if (k->result)
		return;
	k->result = code;
	snprintf(k->why, sizeof(k->why), "%s", text);
	if (k->invoker < 0)
		keeper_say(k, LOG_ERR, "%s", text);
}

void keeper_fail(struct keeper *k, enum outcome code, const char *text)
{
	keeper_set_result(k, code, text);
	keeper_close_control(k);
	if (k->worker <= 0)
		keeper_clean(k);
	/* Without us it ends by itself while it has no descriptor, and takes away what --new made.
	 */
	else if (!k->rq->create || k->state > KEEPER_OPENING)
		kill(k->worker, SIGKILL);
}

static void start_ending(struct keeper *k)
{
	k->state = KEEPER_ENDING;
	k->ending_ms = clock_ms();
	door_shut(&k->door);
	if (k->wish >= WISH_FORCED)
		control_tell(k->control, CONTROL_QUIT, 0, NULL);
}

void keeper_end_session(struct keeper *k)
{
	/* Another mount namespace has a copy of the mount, so it does not end by itself. One that
	 * has ended does not listen. */
	if (k->ending_ms && clock_ms() - k->ending_ms >= KEEPER_ENDING_MS) {
		control_tell(k->control, CONTROL_QUIT, 0, NULL);
		k->ending_ms = 0;
	}
}

void keeper_refuse_end(struct keeper *k, enum outcome code, const char *text)
{
	k->state = KEEPER_SERVING;
	k->wish = WISH_NONE;
	if (k->discard)
		control_tell(k->control, CONTROL_KEEP, 0, NULL);
	k->discard = false;
	tell_clients(k, code, text);
}

void keeper_start_unmount(struct keeper *k)
{
	bool lazy = k->wish >= WISH_FORCED;
	struct error e = ERROR_INIT;

	k->state = KEEPER_UNMOUNTING;
	if (k->runner.out)
		return; /* its end brings us back */
	if (!keeper_still_mounted(k)) {
		k->mounted = false;
		start_ending(k);
	} else if (runner_send(&k->runner, lazy ? ERRAND_UNMOUNT_LAZILY : ERRAND_UNMOUNT, k->point,
			   &e) < 0) {
		keeper_refuse_end(k, OUTCOME_MOUNT, e.text);
	}
}

/* Did the last save write anything? */
static bool wrote(const struct keeper *k)
{
	for (size_t i = 0; i < k->reported.n; i++) {
		if (strncmp(k->reported.at[i], "saved: ", 7) == 0 ||
			strncmp(k->reported.at[i], "removed: ", 9) == 0)
			return true;
	}
	return false;
}

void keeper_unmount_ended(struct keeper *k, bool lazy, int status, const char *text)
{
	char line[1000];

	if (!keeper_still_mounted(k)) {
		k->mounted = false;
		start_ending(k);
		return;
	}
	if (status == 0 && k->wish < WISH_SIGNAL) {
		snprintf(line, sizeof(line), "unmounted, and still mounted on %s", k->point);
		keeper_refuse_end(k, k->saved, line);
		return;
	}
	if (status == 0) {
		keeper_start_unmount(k);
		return;
	}
	if (!lazy && k->wish >= WISH_FORCED) {
		keeper_start_unmount(k);
		return;
	}
	if (!text[0])
		text = strerror(status);
	snprintf(line, sizeof(line), "%scannot unmount: %s", wrote(k) ? "saved, but " : "", text);
	if (k->wish == WISH_SIGNAL) {
		keeper_say(k, LOG_ERR, "%s", line);
		start_ending(k);
		return;
	}
	/* fusermount3 ends with a status and words, umount(2) with an errno. */
	keeper_refuse_end(
		k, status == EBUSY || strstr(text, "busy") ? OUTCOME_BUSY : OUTCOME_MOUNT, line);
}

static void describe(int wait_status, const char *what, char *line, size_t room)
{
	bool killed = WIFSIGNALED(wait_status);

	if (killed && WTERMSIG(wait_status) == SIGSYS) {
		snprintf(line, room,
			"the worker was killed at a system call that it has no need of%s", what);
		return;
	}
	snprintf(line, room, "the worker died (%s %d)%s", killed ? "signal" : "status",
		killed ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status), what);
}

static int find_journal(void *arg, const char *file)
{
	bool *found = arg;

	*found |= !journal_is_aside(file);
	return 0;
}

/* By its name alone. */
static bool has_journal(const struct keeper *k)
{
	CLEANUP(free) char *dir = strdup(k->rq->path);
	CLEANUP(close_fd) int fd = -1;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	char family[NAME_MAX + 1];
	bool found = false;

	if (!slash)
		return true;
	sidecar_family(family, slash + 1);
	slash[slash == dir] = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || journal_each_file(fd, family, find_journal, &found, NULL) < 0 || found;
}

static void end_of_session(struct keeper *k, int wait_status)
{
	int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	enum outcome last = control_outcome(status);

	/* What failed and then succeeded is no failure any more; what was left stays left. */
	k->result = k->saved == OUTCOME_SAVE_FAILED ? last : outcome_worse(k->saved, last);
	if (!k->has_saved || (last == OUTCOME_SAVE_FAILED && status != OUTCOME_SAVE_FAILED)) {
		k->result = OUTCOME_SAVE_FAILED;
		describe(wait_status, has_journal(k) ? "; the journal is kept" : "", k->why,
			sizeof(k->why));
	} else if (k->result == OUTCOME_SAVE_FAILED) {
		snprintf(k->why, sizeof(k->why), "not everything could be saved");
	}
	if (k->why[0])
		keeper_say(k, LOG_ERR, "%s", k->why);
}

void keeper_worker_ended(struct keeper *k, int wait_status)
{
	char line[200];

	k->worker = -1;
	keeper_close_control(k);
	if (k->state >= KEEPER_SERVING) {
		end_of_session(k, wait_status);
		keeper_clean(k);
	} else {
		describe(wait_status, " before the mount was usable", line, sizeof(line));
		keeper_fail(k, OUTCOME_MOUNT, line);
	}
}
