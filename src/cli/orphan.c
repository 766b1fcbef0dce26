/* SPDX-License-Identifier: Zlib */
#include "cli/orphan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fuse/keeper_errand.h"
#include "fuse/keeper_mount.h"

/* The reason of a failure has been printed. */
static bool unmount(const char *point, bool lazy)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		keeper_unmount_and_exit(point, lazy);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

/* Dirty mapped pages. In a child, as the keeper does it: what it opens is the mount's. */
static void flush(char **paths, const char *point, const struct mount_entry *entry)
{
	struct errand_flush f = {.point = point, .dev = entry->dev, .paths = paths};
	pid_t pid = paths ? fork() : -1;

	if (pid == 0)
		errand_flush_run(&f);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Until SAVED, which may answer SAVE or be the session's last. 0, or -EPIPE: the worker died. */
static int wait_for_save(struct listener *l, int sock, const char *point,
	const struct mount_entry *entry, enum outcome *ret)
{
	struct lines paths = {0};
	struct control_msg m;

	while (listener_next(l, sock, &m) == 1) {
		if (m.type == CONTROL_FLUSH_PATH) {
			lines_add(&paths, m.text);
		} else if (m.type == CONTROL_FLUSH) {
			flush(paths.at, point, entry);
			control_tell(sock, CONTROL_FLUSHED, 0, NULL);
		} else if (m.type == CONTROL_SAVED) {
			lines_clear(&paths);
			*ret = control_outcome(m.code);
			return 0;
		}
	}
	lines_clear(&paths);
	return -EPIPE;
}

static int worker_died(const struct listener *l)
{
	listener_say(l, "the worker died; the journal is kept");
	return OUTCOME_SAVE_FAILED;
}

int orphan_end(struct listener *l, int sock, const char *point, const struct mount_entry *entry,
	bool force, bool made)
{
	enum outcome first, last;

	listener_say(l, "the process that kept the mount has died; its worker saves");
	control_tell(sock, CONTROL_SAVE, force ? 0 : CONTROL_MAY_STAY, NULL);
	if (wait_for_save(l, sock, point, entry, &first) < 0)
		return worker_died(l);
	if (first == OUTCOME_SAVE_FAILED && !force) {
		listener_say(l, "not everything could be saved; still mounted");
		return first;
	}
	if (!unmount(point, force)) {
		listener_say(l, "saved, but cannot unmount");
		return OUTCOME_BUSY;
	}
	if (made)
		rmdir(point);
	if (force)
		control_tell(sock, CONTROL_QUIT, 0, NULL);
	if (wait_for_save(l, sock, point, entry, &last) < 0)
		return worker_died(l);
	/* What failed and then succeeded is no failure any more; what was left stays left. */
	return (int)(first == OUTCOME_SAVE_FAILED ? last : outcome_worse(first, last));
}

/* fsync of the mount's root is "save now" for a worker. */
static int save_unheard(const char *point)
{
	CLEANUP(close_fd) int fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

int orphan_end_unheard(const struct listener *l, const char *point, bool force)
{
	int saved = save_unheard(point);
	bool dead = saved == -ENOTCONN;
	char line[200];

	if (saved < 0 && !dead) {
		snprintf(line, sizeof(line), "nobody keeps the mount, and the save failed: %s%s",
			strerror(-saved), force ? "" : "; still mounted");
		listener_say(l, line);
		if (!force)
			return OUTCOME_SAVE_FAILED;
	}
	if (!unmount(point, force || dead)) {
		listener_say(l, "cannot unmount");
		return OUTCOME_BUSY;
	}
	if (saved < 0)
		return worker_died(l);
	listener_say(
		l, "nobody keeps the mount: unmounted, but what was saved or left is not known");
	return OUTCOME_MOUNT;
}
