/* SPDX-License-Identifier: Zlib */
/* mapfs extract: files of a map, copied out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "base/name.h"
#include "base/say.h"
#include "base/threads/clock.h"
#include "cli/cli.h"
#include "cli/line/command.h"

enum { PROGRESS_MS = 200 };

struct extract {
	struct command command;
	int out;    /* the directory */
	char *made; /* its name, where it was not there, and what it is in */
	int up;
	mode_t kept; /* permission bits that the umask leaves */
	char *dir;   /* the path of the directory that is open, or NULL */
	int dir_fd;
	int fd;            /* the file that is being written; -1: nothing was yet */
	const char *name;  /* ... of it, in that directory */
	const char *why;   /* it cannot be; NULL: as the error says */
	const char *shown; /* the directory, as it was named */
	bool disk;         /* what failed was there, and not in the map */
	bool progress;     /* is shown */
	int64_t shown_ms;
	uintmax_t files, bytes;
};

static void show_progress(struct extract *x)
{
	int64_t now = x->progress ? clock_ms() : 0;

	if (!x->progress || now - x->shown_ms < PROGRESS_MS)
		return;
	x->shown_ms = now;
	fprintf(stderr, "\r%ju files, %ju MiB\033[K", x->files, x->bytes >> 20);
}

static void end_progress(struct extract *x)
{
	if (x->progress && x->shown_ms)
		fputs("\r\033[K", stderr);
	x->shown_ms = 0;
}

static int fail(struct extract *x, const char *path, int r)
{
	const char *why = TAKE(x->why);

	end_progress(x);
	if (why)
		offline_say(&x->command.tree, "%s: %s", path, why);
	else if (x->disk)
		say(stderr, "mapfs: %s/%s: %s", x->shown, path, strerror(-r));
	else
		command_fail(&x->command.tree, path, r);
	x->disk = false;
	return r;
}

/* What could not be written. Of other reasons the next file may have none. */
static int not_written(struct extract *x, int r)
{
	if (io_is_full(r) || r == -EROFS || r == -EIO)
		x->command.failed = r;
	x->disk |= r < 0;
	return r < 0 ? r : 0;
}

static int make_dir(void *arg, int dirfd, const char *name, struct error *e)
{
	(void)arg;
	return io_make_dir(dirfd, name, 0777, NULL, e);
}

/* The directory of path is open then; *ret_name is where its last name begins. */
static int open_parent(struct extract *x, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	char name[NAME_MAX + 1];
	int fd;

	*ret_name = slash ? slash + 1 : path;
	if (x->dir && strlen(x->dir) == n && memcmp(x->dir, path, n) == 0)
		return 0;
	fd = path_open_parent(x->out, path, make_dir, NULL, name, NULL);
	x->disk |= fd < 0;
	if (fd < 0)
		return fd;
	free(x->dir);
	if (x->dir_fd >= 0)
		close(x->dir_fd);
	x->dir = strndup(path, n);
	x->dir_fd = fd;
	return x->dir ? 0 : -ENOMEM;
}

static int stamp(int fd, const struct seen *a, mode_t mode)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, a->mtime};
	int r = io_chmod(fd, mode);

	return r < 0 ? r : futimens(fd, times) < 0 ? -errno : 0;
}

/* A file that an earlier run left there may be read-only, as those of raw/ are. */
static int open_file(struct extract *x)
{
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd = io_openat(x->dir_fd, x->name, flags, 0600);
	struct stat st;

	if (fd == -EACCES && io_unlink(x->dir_fd, x->name) == 0)
		fd = io_openat(x->dir_fd, x->name, flags | O_EXCL, 0600);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !offline_is_map(&x->command.tree, &st))
		return fd;
	if (S_ISREG(st.st_mode))
		x->why = "is the map itself";
	close(fd);
	return -EEXIST;
}

/* Not before there is something to be written: what cannot be read leaves alone what stands there.
 */
static int begin_file(struct extract *x)
{
	int r = x->fd = open_file(x);

	return r < 0 ? r : io_truncate(x->fd, 0);
}

static int write_piece(void *arg, const void *data, size_t n)
{
	struct extract *x = arg;
	int r = x->fd < 0 ? begin_file(x) : 0;

	if (r == 0)
		r = io_write(x->fd, data, n);
	x->bytes += n;
	show_progress(x);
	return not_written(x, r);
}

static int copy_file(struct extract *x, const char *path, const struct seen *a)
{
	int r = path_check(path);

	if (r == 0)
		r = open_parent(x, path, &x->name);
	if (r == 0)
		r = offline_read(&x->command.tree, a, write_piece, x);
	if (r == 0 && x->fd < 0)
		r = not_written(x, begin_file(x));
	/* The beginning of a file would be taken for all of it. */
	if (r < 0 && x->fd >= 0)
		(void)io_unlink(x->dir_fd, x->name);
	if (r == 0)
		r = not_written(x, stamp(x->fd, a, a->mode & x->kept));
	if (x->fd >= 0)
		close(x->fd);
	x->fd = -1;
	return r;
}

/* One that an earlier run left there may be read-only, too; it has its permissions at the end. */
static int make_own_dir(const struct extract *x, const char *name)
{
	int r = io_mkdir(x->dir_fd, name, 0777), fd;
	struct stat st;

	if (r != -EEXIST)
		return r;
	fd = io_openat(x->dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && (st.st_mode & 0300) != 0300)
		(void)io_chmod(fd, (st.st_mode & ACCESSPERMS) | 0300);
	close(fd);
	return 0;
}

static int visit(void *arg, const char *path, const struct seen *a)
{
	struct extract *x = arg;
	const char *name;
	int r = 0;

	if (!path[0])
		return 0;
	if (!S_ISDIR(a->mode)) {
		r = copy_file(x, path, a);
	} else {
		r = path_check(path);
		if (r == 0)
			r = open_parent(x, path, &name);
		if (r == 0)
			r = not_written(x, make_own_dir(x, name));
	}
	x->files += !S_ISDIR(a->mode);
	show_progress(x);
	if (r < 0)
		x->command.worst = fail(x, path, r);
	/* Of a directory that cannot be made nothing can. */
	return x->command.failed ? x->command.failed : r < 0 ? WALK_PAST : 0;
}

/* A directory has its time once all is in it. */
static int leave(void *arg, const char *path, const struct seen *a)
{
	struct extract *x = arg;
	const char *name;
	int fd, r;

	if (!path[0])
		return 0;
	r = open_parent(x, path, &name);
	fd = r < 0 ? r : io_openat(x->dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	r = fd < 0 ? fd : stamp(fd, a, a->mode & x->kept);
	x->disk |= r < 0;
	if (fd >= 0)
		close(fd);
	if (r < 0)
		x->command.worst = fail(x, path, r);
	return 0;
}

static int match(void *arg, const char *path, const struct seen *a)
{
	struct extract *x = arg;
	int r = offline_walk(&x->command.tree, path, visit, leave, x);

	(void)a;
	end_progress(x);
	return r;
}

/* Where nothing is copied it goes again. */
static void note_made(struct extract *x, const char *dir)
{
	CLEANUP(free) char *path = strdup(dir);
	size_t n = path ? strlen(path) : 0;
	char *slash;

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = path ? strrchr(path, '/') : NULL;
	x->made = path ? strdup(slash ? slash + 1 : path) : NULL;
	if (slash)
		slash[1] = '\0';
	if (x->made)
		x->up = open(slash ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_out(struct extract *x, const char *dir)
{
	int r = io_mkdir(AT_FDCWD, dir, 0777);

	if (r == 0)
		note_made(x, dir);
	if (r == -EEXIST)
		r = 0;
	if (r == 0) {
		x->out = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = x->out < 0 ? -errno : 0;
	}
	if (r < 0)
		say(stderr, "mapfs: %s: %s", dir, strerror(-r));
	return r;
}

static int copy_all(struct extract *x)
{
	struct command *c = &x->command;
	struct sandbox_rule rules[2];
	struct stat st;
	int r = open_out(x, c->names[1]);

	x->shown = c->names[1];
	if (r < 0)
		return OUTCOME_REFUSED;
	rules[0] = (struct sandbox_rule){x->out, SANDBOX_WRITABLE};
	rules[1] = (struct sandbox_rule){x->up, SANDBOX_EMPTIED};
	if (fstat(x->out, &st) < 0 || st.st_uid != geteuid())
		rules[0].flags |= SANDBOX_RIGHTS;
	r = command_open(c, c->names[0], rules, 1 + (x->up >= 0));
	if (r == 0)
		command_each(c, 2, match);
	return (int)command_outcome(r < 0 ? r : c->worst);
}

static int run(struct command *c)
{
	struct extract *x = (struct extract *)c;
	int code;

	c->how.keep_modes = true;
	x->kept = umask(0);
	(void)umask(x->kept);
	x->kept = 0777 & ~x->kept;
	x->progress = isatty(STDERR_FILENO);
	code = copy_all(x);
	if (code != OUTCOME_DONE && x->up >= 0)
		(void)io_rmdir(x->up, x->made);
	free(x->made);
	free(x->dir);
	close_fd_cleanup(&x->dir_fd);
	close_fd_cleanup(&x->out);
	close_fd_cleanup(&x->up);
	return code;
}

int cli_extract(int argc, char **argv)
{
	static const struct command_line line = {
		.least = 2, .takes = "a file and a directory", .run = run};
	struct extract x = {.out = -1, .up = -1, .dir_fd = -1, .fd = -1};

	return command_main("extract", argc, argv, &line, &x.command);
}
