/* SPDX-License-Identifier: Zlib */
#define FUSE_USE_VERSION 314
#include "fuse/lifecycle/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/disk/dir.h"
#include "fuse/lifecycle/utab.h"

/* Is the directory empty? Returns 1, 0, or -errno: -ENOTCONN for a dead mount. */
static int is_empty_dir(const char *path)
{
	int r;
	CLEANUP(dir_close) DIR *dir = dir_open(AT_FDCWD, path, &r);

	return r < 0 ? r : dir_next(dir, &r) ? 0 : r < 0 ? r : 1;
}

static int refuse_mount_point(const char *path, int r, struct error *e)
{
	if (r == -ENOTCONN)
		return error_set(e, r,
			"mount point %s: %s: the mount there is dead; run mapfs -u %s first", path,
			strerror(-r), path);
	return error_set(e, r, "mount point %s: %s", path, strerror(-r));
}

int mount_point_check(const struct mount_request *rq, bool *ret_covers, struct error *e)
{
	const char *path = rq->mountpoint;
	bool make = rq->make_mountpoint;
	struct stat st;
	int r;

	*ret_covers = false;
	if ((make ? lstat(path, &st) : stat(path, &st)) < 0)
		return make && errno == ENOENT ? 0 : refuse_mount_point(path, -errno, e);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, -ENOTDIR,
			make ? "mount point %s is a file; name another mount point"
			     : "mount point %s is not a directory",
			path);
	/* stat does not detect a dead mount: the kernel may have cached its attributes. */
	r = is_empty_dir(path);
	if (r == -ENOTCONN || (make && r < 0))
		return refuse_mount_point(path, r, e);
	if (make && r == 0)
		return error_set(e, -ENOTEMPTY,
			"mount point %s is not empty; name another mount point", path);
	*ret_covers = r == 0;
	return 0;
}

int mount_point_prepare(
	const struct mount_request *rq, char **ret_path, bool *ret_made, struct error *e)
{
	CLEANUP(free) char *path = NULL;
	bool made = false, covers;
	int r = mount_point_check(rq, &covers, e);

	if (r < 0)
		return r;
	if (rq->make_mountpoint) {
		made = mkdir(rq->mountpoint, 0755) == 0;
		if (!made && errno != EEXIST)
			return error_set(e, -errno,
				"cannot create mount point %s: %s; name another mount point",
				rq->mountpoint, strerror(errno));
	}
	path = realpath(rq->mountpoint, NULL);
	if (!path) {
		r = error_errno(e, "mount point %s", rq->mountpoint);
		if (made)
			(void)rmdir(rq->mountpoint);
		return r;
	}
	*ret_path = TAKE(path);
	*ret_made = made;
	return 0;
}

char *mount_options(const struct mount_request *rq, bool read_only)
{
	const char *const given[] = {"subtype=mapfs", "default_permissions",
		rq->allow_other ? "allow_other" : NULL, rq->noexec ? "noexec" : NULL,
		read_only ? "ro" : NULL};
	CLEANUP(free) char *name = NULL;
	CLEANUP(free) char *all = NULL;

	/* Commas and backslashes in the path are escaped. */
	if (asprintf(&name, "fsname=%s", rq->path) < 0 || fuse_opt_add_opt_escaped(&all, name) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i] && fuse_opt_add_opt(&all, given[i]) < 0)
			return NULL;
	}
	for (const char *const *s = rq->security; s && *s; s++)
		if (fuse_opt_add_opt_escaped(&all, *s) < 0)
			return NULL;
	return TAKE(all);
}

/* libfuse and fusermount3 report errors on stderr only: capture the last line. */
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

/* Mount. Returns a copy of the session's descriptor, because libfuse closes that; or -errno. */
static int mount_session(struct fuse_session *session, const char *point)
{
	int fd;

	if (fuse_session_mount(session, point) != 0)
		return -EIO;
	fd = fcntl(fuse_session_fd(session), F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		return fd;
	fd = -errno;
	fuse_session_unmount(session);
	return fd;
}

int mount_attach(const struct mount_request *rq, const char *point, bool read_only, int *ret_fd,
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
	/* No fuse_session_unmount: the mount must stay. libfuse's copy of the path leaks, because
	 * only fuse_session_unmount frees it. */
	if (session)
		fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	if (fd < 0)
		return error_set(
			e, fd, "cannot mount on %s: %s", point, text[0] ? text : strerror(-fd));
	*ret_fd = fd;
	return 0;
}

/* Unmount with fusermount3, found in PATH or where distributions install it, as libfuse does.
 * Returns 0, an errno, or the exit status of fusermount3. */
static int run_fusermount(const char *point, bool lazy)
{
	/* A second -u changes nothing. */
	const char *z = lazy ? "-z" : "-u";
	sigset_t none;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		/* Callers look for "busy" in its messages. */
		setenv("LC_ALL", "C", 1);
		execlp("fusermount3", "fusermount3", "-u", z, "--", point, NULL);
		execl("/usr/bin/fusermount3", "fusermount3", "-u", z, "--", point, NULL);
		execl("/bin/fusermount3", "fusermount3", "-u", z, "--", point, NULL);
		perror("fusermount3");
		_exit(errno);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

int mount_detach(const char *point, bool lazy, char *text, size_t room)
{
	struct capture capture;
	int r;

	text[0] = '\0';
	if (geteuid() == 0) {
		if (umount2(point, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) < 0)
			return errno;
		utab_remove(point);
		return 0;
	}
	capture_begin(&capture);
	r = run_fusermount(point, lazy);
	capture_end(&capture, text, room);
	return r;
}
