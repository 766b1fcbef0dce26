/* SPDX-License-Identifier: Zlib */
/*
 * Preloaded, this library fails the N-th call that changes a disk, or kills the program there. The
 * test controls it while the program runs, through the file named by MAPFS_SHIM_FAULT
 * (shims.py of tests/mount).
 *
 * Only calls of mapfs count, and only those that change a regular file or a directory. Calls on
 * sockets and devices, and those that go through a mount, pass.
 */
/* Both names of each call are defined here; those for large files have separate names. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "support/shared.h"

enum op {
	OP_WRITE = 1,
	OP_SYNC = 2,
	OP_RENAME = 4,
	OP_UNLINK = 8,
	OP_TRUNCATE = 16,
	OP_OPEN = 32,
	OP_META = 64
};
enum action { COUNT, FAIL, FAIL_FROM, KILL, KILL_TORN, DELAY };

struct control {
	atomic_uint armed;
	uint32_t ops; /* calls that count, a set of enum op */
	uint32_t action;
	uint32_t at;    /* number of the affected call, from 0 */
	uint32_t error; /* the errno for FAIL; milliseconds for DELAY */
	atomic_uint n;  /* calls so far */
	atomic_uint trace_n;
	uint8_t trace[4068];
};

static struct control *control;

/* Helpers that mapfs runs (fusermount3) inherit the library and are ignored. */
static int is_mapfs(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	if (n < 0)
		return 0;
	path[n] = '\0';
	slash = strrchr(path, '/');
	return slash && strcmp(slash + 1, "mapfs") == 0;
}

__attribute__((constructor)) static void load(void)
{
	if (!is_mapfs())
		return;
	control = shared_map("MAPFS_SHIM_FAULT", sizeof(struct control));
}

/* A process that loads libmount does the work of mount(8), and is ignored like it. */
void *dlopen(const char *file, int flags)
{
	if (file && strstr(file, "libmount"))
		control = NULL;
	return NEXT(dlopen)(file, flags);
}

static void kill_process(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* 0: continue; -1: fail with errno; 1: do half of the call and die. */
static int decide_fault(enum op op)
{
	unsigned n, t;

	if (!control || !atomic_load(&control->armed) || !(control->ops & op))
		return 0;
	t = atomic_fetch_add(&control->trace_n, 1);
	if (t < sizeof(control->trace))
		control->trace[t] = (uint8_t)op;
	n = atomic_fetch_add(&control->n, 1);
	if (control->action == COUNT || n < control->at)
		return 0;
	if (control->action == FAIL_FROM || (control->action == FAIL && n == control->at)) {
		errno = (int)control->error;
		return -1;
	}
	if (n == control->at && control->action == KILL)
		kill_process();
	if (n == control->at && control->action == DELAY)
		usleep(control->error * 1000);
	return n == control->at && control->action == KILL_TORN;
}

static int is_on_disk(int fd)
{
	struct stat st;
	int saved = errno;
	int r = fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));

	errno = saved;
	return r;
}

static int is_through_mount(int fd)
{
	struct statfs st;
	int saved = errno;
	int r = fstatfs(fd, &st) == 0 && st.f_type == FUSE_SUPER_MAGIC;

	errno = saved;
	return r;
}

ssize_t write(int fd, const void *p, size_t n)
{
	int b = is_on_disk(fd) ? decide_fault(OP_WRITE) : 0;

	if (b < 0)
		return -1;
	if (b > 0) {
		(void)!NEXT(write)(fd, p, n / 2);
		kill_process();
	}
	return NEXT(write)(fd, p, n);
}

#define PWRITE(name, off_type)                                                                     \
	ssize_t name(int fd, const void *p, size_t n, off_type off)                                \
	{                                                                                          \
		int b = decide_fault(OP_WRITE);                                                    \
                                                                                                   \
		if (b < 0)                                                                         \
			return -1;                                                                 \
		if (b > 0) {                                                                       \
			(void)!NEXT(name)(fd, p, n / 2, off);                                      \
			kill_process();                                                            \
		}                                                                                  \
		return NEXT(name)(fd, p, n, off);                                                  \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *v, int n)
{
	int b = is_on_disk(fd) ? decide_fault(OP_WRITE) : 0;

	if (b < 0)
		return -1;
	if (b > 0)
		kill_process();
	return NEXT(writev)(fd, v, n);
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t off)
{
	int b = decide_fault(OP_WRITE);

	if (b < 0)
		return -1;
	if (b > 0)
		kill_process();
	return NEXT(pwritev)(fd, v, n, off);
}

ssize_t copy_file_range(
	int from, off64_t *from_off, int to, off64_t *to_off, size_t n, unsigned flags)
{
	int b = decide_fault(OP_WRITE);

	if (b < 0)
		return -1;
	if (b > 0) {
		(void)!NEXT(copy_file_range)(from, from_off, to, to_off, n / 2, flags);
		kill_process();
	}
	return NEXT(copy_file_range)(from, from_off, to, to_off, n, flags);
}

#define SYNC(name)                                                                                 \
	int name(int fd)                                                                           \
	{                                                                                          \
		int b = is_through_mount(fd) ? 0 : decide_fault(OP_SYNC);                          \
                                                                                                   \
		if (b > 0)                                                                         \
			kill_process();                                                            \
		return b < 0 ? -1 : NEXT(name)(fd);                                                \
	}
SYNC(fsync)
SYNC(fdatasync)
SYNC(syncfs)

/* Calls without a half: dying during the call equals dying before it. */
#define WHOLE(op, type, name, params, args)                                                        \
	type name params                                                                           \
	{                                                                                          \
		int b = decide_fault(op);                                                          \
                                                                                                   \
		if (b > 0)                                                                         \
			kill_process();                                                            \
		return b < 0 ? -1 : NEXT(name) args;                                               \
	}
WHOLE(OP_RENAME, int, rename, (const char *a, const char *to), (a, to))
WHOLE(OP_RENAME, int, renameat, (int d, const char *a, int e, const char *to), (d, a, e, to))
WHOLE(OP_RENAME, int, renameat2, (int d, const char *a, int e, const char *to, unsigned f),
	(d, a, e, to, f))
WHOLE(OP_RENAME, int, linkat, (int d, const char *a, int e, const char *to, int f),
	(d, a, e, to, f))
WHOLE(OP_UNLINK, int, unlink, (const char *a), (a))
WHOLE(OP_UNLINK, int, unlinkat, (int d, const char *a, int f), (d, a, f))
WHOLE(OP_TRUNCATE, int, ftruncate, (int fd, off_t n), (fd, n))
WHOLE(OP_TRUNCATE, int, ftruncate64, (int fd, off64_t n), (fd, n))
WHOLE(OP_META, int, fchmod, (int fd, mode_t m), (fd, m))
WHOLE(OP_META, int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g))
WHOLE(OP_META, int, fsetxattr, (int fd, const char *k, const void *v, size_t n, int f),
	(fd, k, v, n, f))

#define OPENAT(name)                                                                               \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		int makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;                 \
		int b = makes ? decide_fault(OP_OPEN) : 0;                                         \
		mode_t mode = 0;                                                                   \
		va_list ap;                                                                        \
                                                                                                   \
		if (makes) {                                                                       \
			va_start(ap, flags);                                                       \
			mode = va_arg(ap, mode_t);                                                 \
			va_end(ap);                                                                \
		}                                                                                  \
		if (b > 0)                                                                         \
			kill_process();                                                            \
		return b < 0 ? -1 : NEXT(name)(dir, path, flags, mode);                            \
	}
OPENAT(openat)
OPENAT(openat64)
