/* SPDX-License-Identifier: Zlib */
/*
 * Preloaded, this library makes the worker try calls that it does not need, as if a map had taken
 * control of it. The test requests them through the file named by MAPFS_SHIM_INSIDE
 * (shims.py of tests/mount); the worker checks for a request whenever it waits for FUSE
 * requests.
 */
#include <errno.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include "support/shared.h"

enum attempt {
	OPEN,
	CREATE,
	CHMOD,
	FCHMOD,
	SETXATTR,
	CONNECT,
	FORK,
	EXEC,
	PTRACE,
	KILL,
	UNMOUNT,
	OPENAT,
	OPENAT2,
	TMPFILE,
	MKDIR,
	MKNOD,
	CHMODAT,
	WRITE,
	SHARE,
};

struct control {
	atomic_uint asked; /* the requested attempt + 1; 0: none, or done */
	int32_t result;    /* errno of the attempt, or 0 */
	int32_t number;    /* the user, or the mode */
	char path[256];
};

static struct control *control;

__attribute__((constructor)) static void load(void)
{
	control = shared_map("MAPFS_SHIM_INSIDE", sizeof(struct control));
}

static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	for (size_t i = 0; path[i] && i < sizeof(to.sun_path) - 1; i++)
		to.sun_path[i] = path[i];
	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to, sizeof(to));
}

static int change_rights(const char *path, mode_t mode)
{
	int fd = open(path, O_RDONLY);

	return fd < 0 ? -1 : fchmod(fd, mode);
}

static int open_with_mode(const char *path, mode_t mode)
{
	const struct open_how how = {.flags = O_WRONLY | O_CREAT, .mode = mode};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

/* Create a file without a name, and link it by its descriptor. */
static int make_without_name(const char *path, mode_t mode)
{
	char dir[256];
	int fd;

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	fd = open(dir, O_WRONLY | O_TMPFILE, mode);
	return fd < 0 ? -1 : linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
}

/* Change the first byte of the file. */
static int change(const char *path, enum attempt how)
{
	int fd = open(path, O_RDWR);
	char *p;

	if (fd < 0 || how == WRITE)
		return fd < 0 ? -1 : (int)pwrite(fd, "!", 1, 0);
	p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -1;
	*p = '!';
	return 0;
}

static int make_attempt(enum attempt what)
{
	char *const none[] = {NULL};
	const char *path = control->path;

	switch (what) {
	case OPEN:
		return open(path, O_RDONLY);
	case CREATE:
		return open(path, O_WRONLY | O_CREAT, 0666);
	case CHMOD:
		return chmod(path, 0777);
	case FCHMOD:
		return change_rights(path, (mode_t)control->number);
	case SETXATTR:
		return setxattr(path, "user.x", "", 0, 0);
	case CONNECT:
		return connect_to(path);
	case FORK:
		return fork();
	case EXEC:
		return execve(path, none, none);
	case PTRACE:
		return (int)ptrace(PTRACE_ATTACH, control->number, NULL, NULL);
	case KILL:
		return kill(control->number, SIGTERM);
	case UNMOUNT:
		return umount2(path, MNT_DETACH);
	case OPENAT:
		return openat(AT_FDCWD, path, O_WRONLY | O_CREAT, (mode_t)control->number);
	case OPENAT2:
		return open_with_mode(path, (mode_t)control->number);
	case TMPFILE:
		return make_without_name(path, (mode_t)control->number);
	case MKDIR:
		return mkdir(path, (mode_t)control->number);
	case MKNOD:
		return mknod(path, S_IFREG | (mode_t)control->number, 0);
	case CHMODAT:
		return fchmodat(AT_FDCWD, path, (mode_t)control->number, 0);
	case WRITE:
	case SHARE:
		return change(path, what);
	default:
		errno = EINVAL;
		return -1;
	}
}

/* Of the two processes, only the worker cannot access the root directory. */
static int is_worker(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static void answer(void)
{
	unsigned asked = control ? atomic_load(&control->asked) : 0;

	if (asked && is_worker()) {
		errno = 0;
		control->result = make_attempt((enum attempt)(asked - 1)) < 0 ? errno : 0;
		atomic_store(&control->asked, 0);
	}
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	answer();
	return NEXT(poll)(fds, n, timeout);
}

/* The C library's variant of poll with size checks. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	answer();
	return NEXT(__poll_chk)(fds, n, timeout, room);
}
