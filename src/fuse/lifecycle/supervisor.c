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
#include "base/print.h"
#include "fuse/control.h"
#include "fuse/lifecycle/mount.h"
#include "fuse/lifecycle/utab.h"
#include "vfs/files/sidecar.h"
#include "vfs/journal/read.h"

static void report_line(struct supervisor *s, int priority, char *line)
{
	if (s->request->foreground)
		messages_add(&s->messages, "mapfs: %s: %s", s->request->display_name, line);
	else
		syslog(priority, "%s: %s", s->request->path, replace_unprintable(line));
}

/* Root's supervisor keeps the capabilities to unmount and to remove the mount point. Another user's
 * drops all, but must be able to gain those of the set-user-ID program fusermount3. */
void supervisor_drop_rights(struct supervisor *s)
{
	struct error e = ERROR_INIT;

	if (capability_keep(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_DAC_OVERRIDE), NULL, &e) < 0)
		report_line(s, LOG_WARNING, e.text);
}

static int match_journal(void *arg, const char *file)
{
	bool *found = arg;

	*found |= !journal_is_set_aside(file);
	return 0;
}

/* Is a journal beside the map that was not set aside? True also if this cannot be determined. */
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
	return journal_each_file(fd, family, match_journal, &found, NULL) < 0 || found;
}

void supervisor_describe_exit(int wait_status, const char *what, char *line, size_t room)
{
	bool killed = WIFSIGNALED(wait_status);

	if (killed && WTERMSIG(wait_status) == SIGSYS)
		snprintf(line, room, "the worker was killed for a forbidden system call%s", what);
	else
		snprintf(line, room, "the worker died (%s %d)%s", killed ? "signal" : "status",
			killed ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status), what);
}

/* Is fd in a dead mount with our device number? Another mount may have the number now. */
static bool is_dead_mount(int fd, const char *dev)
{
	struct statvfs fs;

	return mountinfo_is_on_device(fd, dev) && fstatvfs(fd, &fs) < 0 &&
	       (errno == ENOTCONN || errno == ECONNABORTED);
}

/* Unmount a dead mount. Root unmounts through a descriptor, so that a mount that another process
 * adds at the same place meanwhile stays. */
static bool detach_dead_mount(const char *point, const char *dev)
{
	CLEANUP(close_fd) int fd = open(point, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char text[400], self[40];

	if (fd < 0 || !is_dead_mount(fd, dev))
		return false;
	if (geteuid() != 0)
		return mount_detach(point, true, text, sizeof(text)) == 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (umount2(self, MNT_DETACH) < 0)
		return false;
	utab_remove(point);
	return true;
}

void supervisor_clean(const struct supervisor *s, bool all)
{
	struct mount_entry entry;

	/* The mount may have been moved, or bound to a second place. */
	while (s->dev[0] &&
		mountinfo_find_mapfs(MOUNTINFO, s->dev, s->request->path, &entry) == 0 &&
		detach_dead_mount(entry.point, s->dev))
		;
	if (!all || !s->mountpoint ||
		mountinfo_find_point(MOUNTINFO, s->mountpoint, &entry) != -ENOENT)
		return;
	if (geteuid() == 0)
		utab_remove(s->mountpoint);
	if (s->owns_mountpoint)
		(void)rmdir(s->mountpoint);
}

/* Receive a message. Returns false if the worker closed the socket; *last is its last message. */
static bool receive_message(struct supervisor *s, struct control_msg *last)
{
	int r = control_recv(s->worker_sock, last);

	if (r == -EPROTO)
		last->type = 0;
	if (r == 1 && (last->type == CONTROL_NOTE || last->type == CONTROL_REPORT))
		report_line(s, LOG_NOTICE, last->text);
	return r == 1 || r == -EPROTO || r == -EAGAIN;
}

static void wait_for_worker(struct supervisor *s, struct control_msg *last)
{
	struct pollfd p[] = {{.fd = s->worker_sock, .events = POLLIN},
		{.fd = s->signal_fd, .events = POLLIN}, {.fd = -1}};
	struct signalfd_siginfo info;

	do {
		p[2] = messages_poll(&s->messages);
		while (poll(p, 3, -1) < 0)
			;
		messages_write(&s->messages);
		if (p[1].revents && read(s->signal_fd, &info, sizeof(info)) > 0)
			(void)control_send_text(s->worker_sock, CONTROL_STOP, 0, NULL);
	} while (!p[0].revents || receive_message(s, last));
}

/* Find the outcome of a worker that has exited, and report a failure. */
static enum outcome find_outcome(struct supervisor *s, const struct control_msg *last)
{
	bool saved = last->type == CONTROL_SAVED, kept = !saved && has_journal(s->request->path);
	char line[400] = "cannot save all changes";
	int status = 0;

	if (s->request->foreground && waitpid(s->worker_pid, &status, 0) == s->worker_pid && !saved)
		supervisor_describe_exit(
			status, kept ? "; the journal is kept" : "", line, sizeof(line));
	else if (!saved)
		snprintf(line, sizeof(line), "the worker died%s",
			kept ? "; the journal is kept" : "");
	if (saved && control_outcome(last->code) != OUTCOME_SAVE_FAILED)
		return control_outcome(last->code);
	report_line(s, LOG_ERR, line);
	return OUTCOME_SAVE_FAILED;
}

enum outcome supervisor_run(struct supervisor *s)
{
	struct control_msg last = {0};
	enum outcome code;

	wait_for_worker(s, &last);
	code = find_outcome(s, &last);
	supervisor_clean(s, last.type != CONTROL_SAVED || !(last.flags & CONTROL_CLIENT_REMOVES));
	return code;
}
