/* SPDX-License-Identifier: Zlib */
#include "base/disk/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/name.h"

enum { NAME_TRIES = 100 };

static io_hook the_hook;
static void *the_hook_arg;

void io_set_hook(io_hook hook, void *arg)
{
	the_hook = hook;
	the_hook_arg = arg;
}

int io_call_hook(struct io_call *c)
{
	return the_hook ? the_hook(c, the_hook_arg) : 0;
}

/* Call the hook for a call with a descriptor and at most one name. */
static int ask_hook(enum io_op op, int fd, const char *name)
{
	return io_call_hook(&(struct io_call){.op = op, .fd = fd, .name = name});
}

static int ask_hook_names(enum io_op op, int dirfd, const char *from, const char *to)
{
	return io_call_hook(&(struct io_call){.op = op, .fd = dirfd, .name = to, .old_name = from});
}

/* Make a call that returns -1 on failure, unless the hook failed it. The value is 0 or -errno. */
#define OUTCOME(asked, call)                                                                       \
	__extension__({                                                                            \
		int asked_ = (asked);                                                              \
		asked_ < 0 ? asked_ : (call) < 0 ? -errno : 0;                                     \
	})

static int open_name(int dirfd, const char *name, int flags, mode_t mode)
{
	int fd = openat(dirfd, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

static int open_level(void *, int dirfd, const char *name, struct error *)
{
	return open_name(dirfd, name, O_PATH | O_DIRECTORY, 0);
}

/* Open a path level by level. openat2 is no alternative: it can create files of any mode, and a
 * seccomp filter (filter.h) cannot check its arguments, which are in memory. */
static int open_beneath(int dirfd, const char *path, int flags, mode_t mode)
{
	bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
	CLEANUP(close_fd) int parent = -1;
	char name[NAME_MAX + 1];
	int r;

	if (strcmp(path, ".") != 0 && name_check(path, strlen(path)) < 0) {
		parent = path_open_parent(dirfd, path, open_level, NULL, name, NULL);
		if (parent < 0)
			return parent;
		dirfd = parent;
		path = name;
	}
	do {
		r = makes ? ask_hook(IO_OPEN, dirfd, path) : 0;
		if (r == 0)
			r = open_name(dirfd, path, flags, mode);
	} while (r == -EINTR);
	return r;
}

bool io_is_full(int r)
{
	return r == -ENOSPC || r == -EDQUOT;
}

int io_openat(int dirfd, const char *name, int flags, mode_t mode)
{
	return open_beneath(dirfd, name, flags, mode);
}

static int random_letters(char *to, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	uint8_t noise[8];

	if (n > sizeof(noise) || getrandom(noise, n, 0) != (ssize_t)n)
		return errno ? -errno : -EIO;
	for (size_t i = 0; i < n; i++)
		to[i] = letters[noise[i] % 32];
	return 0;
}

int io_temporary(int dirfd, const char *stem, mode_t mode, char *ret_name)
{
	char name[NAME_MAX + 1];
	int n = snprintf(name, sizeof(name), "%sXXXXXX", stem);
	int fd = -EEXIST;

	if (n < 0 || (size_t)n >= sizeof(name))
		return -ENAMETOOLONG;
	for (int i = 0; i < NAME_TRIES && fd == -EEXIST; i++) {
		int r = random_letters(name + n - 6, 6);

		if (r < 0)
			return r;
		fd = open_beneath(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
	}
	if (fd >= 0)
		snprintf(ret_name, sizeof(name), "%s", name);
	return fd;
}

int io_tmpfile(int dirfd)
{
	char name[NAME_MAX + 1];
	int fd = open_beneath(dirfd, ".", O_TMPFILE | O_RDWR, 0600), r;

	/* Kernels and file systems without O_TMPFILE return one of these errors. */
	if (fd != -EOPNOTSUPP && fd != -EISDIR && fd != -ENOENT && fd != -EINVAL)
		return fd;
	fd = io_temporary(dirfd, ".mapfs-tmp-", 0600, name);
	r = fd < 0 ? fd : io_unlink(dirfd, name);
	if (fd >= 0 && r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

/* Write at offset off, or at the file position if off is negative. */
static int write_all(int fd, const uint8_t *p, size_t n, off_t off)
{
	while (n) {
		struct io_call c = {.op = IO_WRITE, .fd = fd, .name = "", .n = n};
		int r = io_call_hook(&c);
		ssize_t done = r;

		if (r == 0)
			done = off < 0 ? write(fd, p, c.n) : pwrite(fd, p, c.n, off);
		if (r == 0 && done < 0)
			r = -errno;
		if (r == -EINTR)
			continue;
		if (r < 0)
			return r;
		if (!done)
			return -EIO;
		p += done;
		n -= (size_t)done;
		off = off < 0 ? off : off + done;
	}
	return 0;
}

int io_write(int fd, const void *data, size_t n)
{
	return write_all(fd, data, n, -1);
}

int io_pwrite(int fd, const void *data, size_t n, uint64_t off)
{
	if (off > INT64_MAX || n > INT64_MAX - off)
		return -EFBIG;
	return write_all(fd, data, n, (off_t)off);
}

void io_write_behind(int fd)
{
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int io_truncate(int fd, uint64_t size)
{
	int r;

	if (size > INT64_MAX)
		return -EFBIG;
	do {
		r = OUTCOME(ask_hook(IO_TRUNCATE, fd, ""), ftruncate(fd, (off_t)size));
	} while (r == -EINTR);
	return r;
}

static int sync_fd(enum io_op op, int (*call)(int fd), int fd)
{
	int r;

	do {
		r = OUTCOME(ask_hook(op, fd, ""), call(fd));
	} while (r == -EINTR);
	return r;
}

int io_sync(int fd)
{
	return sync_fd(IO_SYNC, fsync, fd);
}

int io_sync_dir(int dirfd)
{
	int r = io_sync(dirfd);

	return r == -EINVAL || r == -EOPNOTSUPP ? 0 : r;
}

int io_datasync(int fd)
{
	return sync_fd(IO_SYNC, fdatasync, fd);
}

int io_sync_fs(int fd)
{
	return sync_fd(IO_SYNC_FS, syncfs, fd);
}

int io_rename(int dirfd, const char *from, const char *to)
{
	return OUTCOME(
		ask_hook_names(IO_RENAME, dirfd, from, to), renameat(dirfd, from, dirfd, to));
}

static bool is_dir(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Rename without RENAME_NOREPLACE and links: create the new name, then rename over it. */
static int rename_over_placeholder(int dirfd, const char *from, const char *to)
{
	int fd = open_beneath(dirfd, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return fd;
	close(fd);
	r = io_rename(dirfd, from, to);
	if (r < 0)
		(void)io_unlink(dirfd, to);
	return r;
}

/* Rename a directory, which cannot have hard links. If another process takes the name meanwhile,
 * the rename can only replace an empty directory. */
static int rename_dir(int dirfd, const char *from, const char *to)
{
	bool taken = faccessat(dirfd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0;

	return taken ? -EEXIST : io_rename(dirfd, from, to);
}

int io_rename_noreplace(int dirfd, const char *from, const char *to)
{
	int r = OUTCOME(ask_hook_names(IO_RENAME, dirfd, from, to),
		renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE));

	if (r != -EINVAL && r != -ENOSYS && r != -EOPNOTSUPP)
		return r;
	if (is_dir(dirfd, from))
		return rename_dir(dirfd, from, to);
	r = OUTCOME(ask_hook_names(IO_RENAME, dirfd, from, to), linkat(dirfd, from, dirfd, to, 0));
	if (r == -EEXIST)
		return r;
	return r < 0 ? rename_over_placeholder(dirfd, from, to) : io_unlink(dirfd, from);
}

int io_unlink(int dirfd, const char *name)
{
	return OUTCOME(ask_hook(IO_UNLINK, dirfd, name), unlinkat(dirfd, name, 0));
}

int io_rmdir(int dirfd, const char *name)
{
	return OUTCOME(ask_hook(IO_UNLINK, dirfd, name), unlinkat(dirfd, name, AT_REMOVEDIR));
}

int io_mkdir(int dirfd, const char *name, mode_t mode)
{
	return OUTCOME(ask_hook(IO_MKDIR, dirfd, name), mkdirat(dirfd, name, mode));
}

int io_make_dir(int dirfd, const char *name, mode_t mode, bool *ret_made, struct error *e)
{
	int r = io_mkdir(dirfd, name, mode), fd;

	if (r < 0 && r != -EEXIST)
		return error_set(e, r, "%s: %s", name, strerror(-r));
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, "%s", name);
	if (ret_made)
		*ret_made = r == 0;
	return fd;
}

int io_chmod(int fd, mode_t mode)
{
	return OUTCOME(ask_hook(IO_META, fd, ""), fchmod(fd, mode));
}

int io_chown(int fd, uid_t uid, gid_t gid)
{
	return OUTCOME(ask_hook(IO_META, fd, ""), fchown(fd, uid, gid));
}

int io_set_xattr(int fd, const char *name, const void *value, size_t size)
{
	return OUTCOME(ask_hook(IO_META, fd, name), fsetxattr(fd, name, value, size, 0));
}

int io_remove_xattr(int fd, const char *name)
{
	return OUTCOME(ask_hook(IO_META, fd, name), fremovexattr(fd, name));
}
