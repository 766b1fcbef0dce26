/* SPDX-License-Identifier: Zlib */
#define FUSE_USE_VERSION 314
#include "fuse/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "fuse/mountinfo.h"
#include "fuse/note.h"

char *mount_options(const struct mount_request *rq, bool read_only)
{
	size_t room = 2 * strlen(rq->path) + 128;
	char *s = malloc(room);
	char *p = s;

	if (!s)
		return NULL;
	p += sprintf(p, "fsname=");
	/* libfuse splits at commas and takes a backslash before any character away. */
	for (const char *c = rq->path; *c; c++) {
		if (*c == ',' || *c == '\\')
			*p++ = '\\';
		*p++ = *c;
	}
	snprintf(p, room - (size_t)(p - s), ",subtype=mapfs,default_permissions%s%s%s",
		rq->allow_other ? ",allow_other" : "", rq->noexec ? ",noexec" : "",
		read_only ? ",ro" : "");
	return s;
}

/* libfuse and fusermount3 tell their reasons to stderr only: catch the last line of them. */
struct capture {
	int file;
	int stderr_copy;
};

static void capture_begin(struct capture *c)
{
	c->file = memfd_create("mapfs-messages", MFD_CLOEXEC);
	c->stderr_copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (c->file >= 0 && c->stderr_copy >= 0)
		dup2(c->file, STDERR_FILENO);
}

static void capture_end(struct capture *c, char *text, size_t room)
{
	ssize_t n = 0;
	char *last;

	if (c->stderr_copy >= 0) {
		dup2(c->stderr_copy, STDERR_FILENO);
		close(c->stderr_copy);
	}
	if (c->file >= 0) {
		n = pread(c->file, text, room - 1, 0);
		close(c->file);
	}
	text[n > 0 ? n : 0] = '\0';
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	last = strrchr(text, '\n');
	if (last)
		memmove(text, last + 1, strlen(last));
}

/* Own copy of the session's descriptor; libfuse's is closed with the session. */
static int mount_session(struct fuse_session *session, const char *point)
{
	int fd;

	if (fuse_session_mount(session, point) != 0)
		return -EIO;
	fd = fcntl(fuse_session_fd(session), F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : fd;
}

int mount_begin(const struct mount_request *rq, const char *point, bool read_only, int *ret_fd,
	struct error *e)
{
	static const struct fuse_lowlevel_ops nothing;
	CLEANUP(free) char *options = mount_options(rq, read_only);
	char name[] = "mapfs", dash_o[] = "-o";
	char *argv[] = {name, dash_o, options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);
	struct fuse_session *session;
	struct capture capture;
	char text[800] = "";
	int fd = -EINVAL;

	if (!options)
		return error_set(e, -ENOMEM, "out of memory");
	capture_begin(&capture);
	session = fuse_session_new(&args, &nothing, sizeof(nothing), NULL);
	if (session)
		fd = mount_session(session, point);
	capture_end(&capture, text, sizeof(text));
	/* Without fuse_session_unmount: it would unmount, and what stands here is to stay.
	 * libfuse's copy of the path, which only that frees, is lost. */
	if (session)
		fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	if (fd < 0)
		return error_set(
			e, fd, "cannot mount on %s: %s", point, text[0] ? text : strerror(-fd));
	*ret_fd = fd;
	return 0;
}

/* As root. 0, or an errno. */
static int unmount(const char *point, bool lazy)
{
	if (umount2(point, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) < 0)
		return errno;
	note_remove(point);
	return 0;
}

/* The last line that is written to fd. */
static void last_line(int fd, char *text, size_t room)
{
	size_t n = 0;
	ssize_t got;
	char *last;

	while (n < room - 1 && (got = read(fd, text + n, room - 1 - n)) > 0)
		n += (size_t)got;
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	last = strrchr(text, '\n');
	if (last)
		memmove(text, last + 1, strlen(last));
}

/* With nothing of ours but the words that it says. libfuse mounts whatever PATH is, by the place
 * where distributions install it. */
static int spawn_fusermount(const char *point, bool lazy, int words, pid_t *ret)
{
	static const char *const places[] = {
		"fusermount3", "/usr/bin/fusermount3", "/bin/fusermount3"};
	char name[] = "fusermount3", u[] = "-u", z[] = "-z", end[] = "--";
	/* An option that says nothing stands in for -z. */
	char *argv[] = {name, u, lazy ? z : u, end, (char *)point, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int r = ENOENT;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
	for (size_t i = 0; r == ENOENT && i < sizeof(places) / sizeof(places[0]); i++)
		r = posix_spawnp(ret, places[i], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return r;
}

/* 0, an errno, or what fusermount3 ended with and the last line that it said. */
static int run_fusermount(const char *point, bool lazy, char *text, size_t room)
{
	CLEANUP(close_fd) int out = -1;
	int ends[2], status, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	out = ends[0];
	r = spawn_fusermount(point, lazy, ends[1], &pid);
	close(ends[1]);
	if (r) {
		snprintf(text, room, "fusermount3: %s", strerror(r));
		return r;
	}
	last_line(out, text, room);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

/* The daemons of a desktop look into each new mount for an instant. */
enum { TRIES = 20, PAUSE_MS = 100 };

int mount_end(const char *point, bool lazy, char *text, size_t room)
{
	struct mount_entry entry;

	for (int i = 0;; i++) {
		int r;

		text[0] = '\0';
		r = geteuid() == 0 ? unmount(point, lazy) : run_fusermount(point, lazy, text, room);
		if (r == 0 || lazy || i == TRIES || mountinfo_find(MOUNTINFO, point, &entry) < 0)
			return r;
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
	}
}
