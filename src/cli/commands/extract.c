/* SPDX-License-Identifier: Zlib */
/* mapfs extract: copy files out of a map. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/disk/io.h"
#include "base/name.h"
#include "base/print.h"
#include "base/threads/clock.h"
#include "base/threads/parallel.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "vfs/offline/place.h"

enum { PIECE = 256 << 10, AT_ONCE = 32 * PIECE, PROGRESS_MS = 200 };

struct extract {
	struct command command;
	int out;       /* the target directory */
	char *new_dir; /* name in parent_dirfd, if it was created; or NULL */
	int parent_dirfd;
	mode_t mode_mask;    /* permission bits that the umask allows */
	const char *refusal; /* reason of the current failure; NULL: the text of the error */
	const char *shown;   /* the target directory as typed */
	bool is_disk_error;  /* the current failure is on disk, not in the map */
	bool shows_progress;
	int64_t shown_ms;
	uintmax_t files, bytes;
};

/* A file that is being copied. */
struct copying {
	struct extract *cmd;
	const struct offline_file *file;
	int dir;
	char name[NAME_MAX + 1];
	int fd; /* -1: not opened yet */
	uint64_t bytes_written;
};

static void show_progress(struct extract *x)
{
	int64_t now = x->shows_progress ? clock_ms() : 0;

	if (!x->shows_progress || now - x->shown_ms < PROGRESS_MS)
		return;
	x->shown_ms = now;
	fprintf(stderr, "\r%ju files, %ju MiB\033[K", x->files, x->bytes >> 20);
}

static void end_progress(struct extract *x)
{
	if (x->shows_progress && x->shown_ms)
		fputs("\r\033[K", stderr);
	x->shown_ms = 0;
}

static int report_error(struct extract *x, const char *path, int r)
{
	const char *why = TAKE(x->refusal);

	end_progress(x);
	if (why)
		offline_print(&x->command.tree, "%s: %s", path, why);
	else if (x->is_disk_error)
		print_line(stderr, "mapfs: %s/%s: %s", x->shown, path, strerror(-r));
	else
		offline_print_error(&x->command.tree, path, r);
	x->is_disk_error = false;
	return r;
}

/* Note that a file could not be written. Errors that the next file will have too end the copy. */
static int handle_write_error(struct extract *x, int r)
{
	if (io_is_full(r) || r == -EROFS || r == -EIO)
		x->command.failed = r;
	x->is_disk_error |= r < 0;
	return r < 0 ? r : 0;
}

static int make_dir(void *, int dirfd, const char *name, struct error *e)
{
	return io_make_dir(dirfd, name, 0777, NULL, e);
}

/* Open or create the directory of a path. Returns a descriptor or -errno; *ret_name is the name. */
static int open_parent(struct extract *x, const char *path, char ret_name[NAME_MAX + 1])
{
	int r = path_check(path);

	if (r < 0)
		return r;
	r = path_open_parent(x->out, path, make_dir, NULL, ret_name, NULL);
	x->is_disk_error |= r < 0;
	return r;
}

static int set_attributes(int fd, const struct offline_file *a, mode_t mode)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, a->mtime};
	int r = io_chmod(fd, mode);

	return r < 0 ? r : futimens(fd, times) < 0 ? -errno : 0;
}

/* Open a file for writing. A read-only file of an earlier run, as from raw/, is replaced. */
static int open_file(struct copying *k)
{
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd = io_openat(k->dir, k->name, flags, 0600);
	struct stat st;

	if (fd == -EACCES && io_unlink(k->dir, k->name) == 0)
		fd = io_openat(k->dir, k->name, flags | O_EXCL, 0600);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		!offline_is_map(&k->cmd->command.tree, &st))
		return fd;
	if (S_ISREG(st.st_mode))
		k->cmd->refusal = "is the map itself";
	close(fd);
	return -EEXIST;
}

/* Copy one piece. Sets e only if the map cannot be read. */
static int copy_piece(void *arg, size_t i, struct error *e)
{
	const struct copying *k = arg;
	uint64_t off = k->bytes_written + i * PIECE, left = k->file->size - off;
	size_t n = left < PIECE ? (size_t)left : PIECE;
	CLEANUP(free) void *piece = malloc(n);
	int r = piece ? overlay_read(
				k->cmd->command.tree.overlay, &k->file->dentry, off, piece, n, e)
		      : -ENOMEM;

	return r < 0 ? r : io_pwrite(k->fd, piece, n, off);
}

/* Copy the pieces after the first one, in several threads. */
static int copy_rest(struct copying *k)
{
	struct error e = ERROR_INIT;
	int r = 0;

	while (r == 0 && k->bytes_written < k->file->size) {
		uint64_t left = k->file->size - k->bytes_written,
			 n = left < AT_ONCE ? left : AT_ONCE;

		r = parallel_each((size_t)((n + PIECE - 1) / PIECE), copy_piece, k, &e);
		k->bytes_written += n;
		k->cmd->bytes += n;
		show_progress(k->cmd);
	}
	if (e.code)
		offline_set_read_error(&k->cmd->command.tree, &e);
	return e.code ? r : handle_write_error(k->cmd, r);
}

/* Copy a file. Reads first: a file that cannot be read must not truncate the one on disk. */
static int copy_content(struct copying *k)
{
	CLEANUP(free) void *piece = malloc(PIECE);
	ssize_t n =
		piece ? offline_read_at(&k->cmd->command.tree, k->file, 0, piece, PIECE) : -ENOMEM;
	int r;

	if (n < 0)
		return (int)n;
	r = k->fd = open_file(k);
	if (r >= 0)
		r = io_truncate(k->fd, 0);
	if (r == 0)
		r = io_write(k->fd, piece, (size_t)n);
	k->bytes_written = (uint64_t)n;
	k->cmd->bytes += (uint64_t)n;
	return r < 0 ? handle_write_error(k->cmd, r) : copy_rest(k);
}

static int copy_file(struct extract *x, const char *path, const struct offline_file *a)
{
	struct copying k = {.cmd = x, .file = a, .fd = -1};
	int r = k.dir = open_parent(x, path, k.name);

	if (r >= 0)
		r = copy_content(&k);
	/* Do not leave a part of a file, which looks like a whole one. */
	if (r < 0 && k.fd >= 0)
		(void)io_unlink(k.dir, k.name);
	if (r == 0)
		r = handle_write_error(x, set_attributes(k.fd, a, a->mode & x->mode_mask));
	close_fd_cleanup(&k.fd);
	close_fd_cleanup(&k.dir);
	return r;
}

/* Create a directory. One of an earlier run is made writable; finish_dir sets its permissions. */
static int make_entry_dir(struct extract *x, const char *path)
{
	char name[NAME_MAX + 1];
	CLEANUP(close_fd) int dir = open_parent(x, path, name), fd = -1;
	int r = dir < 0 ? dir : io_mkdir(dir, name, 0777);
	struct stat st;

	if (dir < 0 || r != -EEXIST)
		return dir < 0 ? r : handle_write_error(x, r);
	fd = io_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0300) != 0300)
		(void)io_chmod(fd, (st.st_mode & ACCESSPERMS) | 0300);
	return 0;
}

static int extract_entry(void *arg, const char *path, const struct offline_file *a)
{
	struct extract *x = arg;
	bool dir = S_ISDIR(a->mode);
	int r;

	if (!path[0])
		return 0;
	r = dir ? make_entry_dir(x, path) : copy_file(x, path, a);
	x->files += !dir;
	show_progress(x);
	if (r < 0)
		x->command.last_error = report_error(x, path, r);
	/* Skip the files of a directory that cannot be created. */
	return x->command.failed ? x->command.failed : r < 0 ? WALK_PAST : 0;
}

/* Set mode and mtime of a directory after its files were copied. */
static int finish_dir(void *arg, const char *path, const struct offline_file *a)
{
	struct extract *x = arg;
	CLEANUP(close_fd) int dir = -1;
	char name[NAME_MAX + 1];
	int fd, r;

	if (!path[0])
		return 0;
	dir = open_parent(x, path, name);
	fd = dir < 0 ? dir : io_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	r = fd < 0 ? fd : set_attributes(fd, a, a->mode & x->mode_mask);
	x->is_disk_error |= r < 0;
	if (fd >= 0)
		close(fd);
	if (r < 0)
		x->command.last_error = report_error(x, path, r);
	return 0;
}

static int extract_match(void *arg, const char *path, const struct offline_file *)
{
	struct extract *x = arg;
	int r = offline_walk(&x->command.tree, path, extract_entry, finish_dir, x);

	end_progress(x);
	return r;
}

static int open_out(struct extract *x, const char *dir)
{
	int r = io_mkdir(AT_FDCWD, dir, 0777);

	/* Note a new directory: run_extract removes it if the command fails. */
	if (r == 0)
		(void)place_resolve(dir, false, &x->parent_dirfd, &x->new_dir, NULL);
	if (r == -EEXIST)
		r = 0;
	if (r == 0) {
		x->out = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = x->out < 0 ? -errno : 0;
	}
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", dir, strerror(-r));
	return r;
}

static int extract_all(struct extract *x)
{
	struct command *c = &x->command;
	struct sandbox_rule rules[2];
	int r = open_out(x, c->names[1]);

	x->shown = c->names[1];
	if (r < 0)
		return OUTCOME_REFUSED;
	rules[0] = offline_rule(x->out, SANDBOX_WRITABLE);
	rules[1] = (struct sandbox_rule){x->parent_dirfd, SANDBOX_REMOVE_EMPTY_DIRS};
	r = command_open(c, c->names[0], rules, 1 + (x->parent_dirfd >= 0));
	if (r == 0)
		command_each(c, 2, extract_match);
	return (int)offline_outcome(r < 0 ? r : c->last_error);
}

static int run_extract(struct command *c)
{
	struct extract *x = (struct extract *)c;
	int code;

	c->map_options.keep_modes = true;
	x->mode_mask = umask(0);
	(void)umask(x->mode_mask);
	x->mode_mask = 0777 & ~x->mode_mask;
	x->shows_progress = isatty(STDERR_FILENO);
	code = extract_all(x);
	if (code != OUTCOME_DONE && x->parent_dirfd >= 0)
		(void)io_rmdir(x->parent_dirfd, x->new_dir);
	free(x->new_dir);
	close_fd_cleanup(&x->out);
	close_fd_cleanup(&x->parent_dirfd);
	return code;
}

const struct command_line cli_extract = {.min_names = 2,
	.default_options = "png=packed",
	.operands = "a file and a directory",
	.size = sizeof(struct extract),
	.initial = &(const struct extract){.out = -1, .parent_dirfd = -1},
	.run = run_extract};
