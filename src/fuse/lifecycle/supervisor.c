/* SPDX-License-Identifier: Zlib */
#include "fuse/lifecycle/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/disk/mountinfo.h"
#include "base/sandbox/capability.h"
#include "base/say.h"
#include "fuse/control.h"
#include "fuse/lifecycle/mount.h"
#include "fuse/lifecycle/note.h"
#include "vfs/files/sidecar.h"
#include "vfs/journal/read.h"

static void log_line(struct supervisor *g, int priority, char *line)
{
	if (g->request->foreground)
		messages_add(&g->messages, "mapfs: %s: %s", g->request->shown, line);
	else
		syslog(priority, "%s: %s", g->request->path, printable(line));
}

/* The supervisor of root unmounts, and removes the mount point. That of an ordinary user has
 * nothing to give up: fusermount3 has to gain rights. */
void supervisor_drop_rights(struct supervisor *g)
{
	struct error e = ERROR_INIT;

	if (capability_keep(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_DAC_OVERRIDE), NULL, &e) < 0)
		log_line(g, LOG_WARNING, e.text);
}

static int find_journal(void *arg, const char *file)
{
	bool *found = arg;

	*found |= !journal_is_aside(file);
	return 0;
}

/* By its name alone. */
static bool has_journal(const char *map)
{
	CLEANUP(free) char *dir = strdup(map);
	CLEANUP(close_fd) int fd = -1;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	char family[NAME_MAX + 1];
	bool found = false;

	if (!slash)
		return true;
	sidecar_family(family, slash + 1);
	slash[slash == dir] = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT;
	return journal_each_file(fd, family, find_journal, &found, NULL) < 0 || found;
}

void supervisor_describe(int wait_status, const char *what, char *line, size_t room)
{
	bool killed = WIFSIGNALED(wait_status);

	if (killed && WTERMSIG(wait_status) == SIGSYS)
		snprintf(line, room,
			"the worker was killed at a system call that it has no need of%s", what);
	else
		snprintf(line, room, "the worker died (%s %d)%s", killed ? "signal" : "status",
			killed ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status), what);
}

/* Is it the one that had our device, and answers nobody? What has its number now may be another. */
static bool is_dead(int fd, const char *dev)
{
	struct statvfs fs;

	return mountinfo_is(fd, dev) && fstatvfs(fd, &fs) < 0 &&
	       (errno == ENOTCONN || errno == ECONNABORTED);
}

/* By a descriptor, where we may: what somebody mounts there meanwhile is not ours to unmount. */
static bool take_away(const char *point, const char *dev)
{
	CLEANUP(close_fd) int fd = open(point, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char text[400], self[40];

	if (fd < 0 || !is_dead(fd, dev))
		return false;
	if (geteuid() != 0)
		return mount_end(point, true, text, sizeof(text)) == 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (umount2(self, MNT_DETACH) < 0)
		return false;
	note_remove(point);
	return true;
}

void supervisor_clean(const struct supervisor *g, bool all)
{
	struct mount_entry entry;

	/* It may have been moved, or bound to a second place. Of another map it is not ours. */
	while (g->dev[0] && mountinfo_find_device(MOUNTINFO, g->dev, &entry) == 0 &&
		strcmp(entry.source, g->request->path) == 0 && take_away(entry.point, g->dev))
		;
	if (!all || !g->mountpoint || mountinfo_find(MOUNTINFO, g->mountpoint, &entry) != -ENOENT)
		return;
	if (geteuid() == 0)
		note_remove(g->mountpoint);
	if (g->owns_mountpoint)
		(void)rmdir(g->mountpoint);
}

/* False: the worker is gone, and *last is the last that it said. */
static bool take_message(struct supervisor *g, struct control_msg *last)
{
	int r = control_recv(g->worker, last);

	if (r == -EPROTO)
		last->type = 0;
	if (r == 1 && (last->type == CONTROL_NOTE || last->type == CONTROL_REPORT))
		log_line(g, LOG_NOTICE, last->text);
	return r == 1 || r == -EPROTO || r == -EAGAIN;
}

static void wait_for_end(struct supervisor *g, struct control_msg *last)
{
	struct pollfd p[] = {{.fd = g->worker, .events = POLLIN},
		{.fd = g->signals, .events = POLLIN}, {.fd = -1}};
	struct signalfd_siginfo info;

	do {
		p[2] = messages_poll(&g->messages);
		while (poll(p, 3, -1) < 0)
			;
		messages_write(&g->messages);
		if (p[1].revents && read(g->signals, &info, sizeof(info)) > 0)
			(void)control_tell(g->worker, CONTROL_STOP, 0, NULL);
	} while (!p[0].revents || take_message(g, last));
}

/* Of a worker that is gone. */
static enum outcome result_of(struct supervisor *g, const struct control_msg *last)
{
	bool saved = last->type == CONTROL_SAVED, kept = !saved && has_journal(g->request->path);
	char line[400] = "not everything could be saved";
	int status = 0;

	if (g->request->foreground && waitpid(g->pid, &status, 0) == g->pid && !saved)
		supervisor_describe(
			status, kept ? "; the journal is kept" : "", line, sizeof(line));
	else if (!saved)
		snprintf(line, sizeof(line), "the worker died%s",
			kept ? "; the journal is kept" : "");
	if (saved && control_outcome(last->code) != OUTCOME_SAVE_FAILED)
		return control_outcome(last->code);
	log_line(g, LOG_ERR, line);
	return OUTCOME_SAVE_FAILED;
}

enum outcome supervisor_run(struct supervisor *g)
{
	struct control_msg last = {0};
	enum outcome code;

	wait_for_end(g, &last);
	code = result_of(g, &last);
	supervisor_clean(g, last.type != CONTROL_SAVED || !(last.flags & CONTROL_CLEANED));
	return code;
}
