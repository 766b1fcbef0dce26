/* SPDX-License-Identifier: Zlib */
/*
 * Anybody who may read a file can take its flock. So mapfs respects a lock only if its holder can
 * be a mapfs that mounts this map for writing, judging by the program's name and its user. If mapfs
 * ignores a lock, it takes a second one (F_OFD_SETLK for writing), which needs write permission.
 */
#include "vfs/volume/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

/* Does the map's name still mean the locked inode? */
static bool still_named(const struct volume *vol, int fd)
{
	struct stat now, ours;

	return fstatat(vol->dirfd, vol->name, &now, 0) == 0 && fstat(fd, &ours) == 0 &&
	       now.st_dev == ours.st_dev && now.st_ino == ours.st_ino;
}

static bool is_same_program(int pid)
{
	char path[64];
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* Read the name and user of a process. The owner of /proc/PID may be another user. */
static bool read_status(int pid, char name[16], unsigned *ret_uid)
{
	char path[64], line[128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	name[0] = '\0';
	while (f && !found && fgets(line, sizeof(line), f)) {
		(void)sscanf(line, "Name: %15s", name);
		found = sscanf(line, "Uid: %u", ret_uid) == 1;
	}
	if (f)
		fclose(f);
	return found;
}

static bool can_be_mapfs(int pid, const struct stat *map)
{
	char name[16];
	unsigned uid;

	if (pid == getpid())
		return true;
	/* /proc may hide other users' processes (hidepid): assume mapfs if the process exists. */
	if (!read_status(pid, name, &uid))
		return kill(pid, 0) == 0 || errno == EPERM;
	if (strcmp(name, "mapfs") != 0 && !is_same_program(pid))
		return false;
	return uid == 0 || uid == geteuid() || uid == map->st_uid || map->st_mode & 022;
}

/* Does a mapfs, or an unknown process, hold the lock? */
static bool is_held_by_mapfs(int fd)
{
	FILE *f = fopen("/proc/locks", "re");
	bool found = false, held = false;
	struct stat map;
	char line[256];

	if (fstat(fd, &map) < 0)
		held = true;
	while (f && !held && fgets(line, sizeof(line), f)) {
		uintmax_t ino;
		int pid;

		if (sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%ju", &pid, &ino) != 2 ||
			ino != map.st_ino)
			continue;
		found = true;
		held = can_be_mapfs(pid, &map);
	}
	if (f)
		fclose(f);
	return held || !found;
}

/* Take the second lock. Returns its descriptor, VOLUME_LOCKED, or another -errno. */
static int lock_for_writers(const struct volume *vol)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	CLEANUP(close_fd)
	int fd = openat(vol->dirfd, vol->name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_OFD_SETLK, &all) < 0 && (errno == EAGAIN || errno == EACCES)) {
		if (fcntl(fd, F_OFD_GETLK, &all) < 0 || all.l_type == F_WRLCK)
			return VOLUME_LOCKED;
		/* Ignore a read lock, too. */
	}
	return take_fd(&fd);
}

/* Lock *fd. Returns 1, or 0 if a lock was ignored and *fd replaced by one with the second lock. */
static int lock_fd(const struct volume *vol, int *fd, struct error *e)
{
	int r;

	if (flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP)
		return 1;
	if (errno != EWOULDBLOCK)
		return error_errno(e, "cannot lock");
	r = is_held_by_mapfs(*fd) ? VOLUME_LOCKED : lock_for_writers(vol);
	if (r == VOLUME_LOCKED)
		return error_set(
			e, r, "is mounted for writing or being written by another command");
	if (r < 0)
		return error_set(e, r, "cannot lock: %s", strerror(-r));
	close_fd_cleanup(fd);
	*fd = r;
	return 0;
}

int lock_open(struct volume *vol, struct error *e)
{
	CLEANUP(close_fd) int fd = -1;

	for (int tries = 0; tries < 8; tries++) {
		int r;

		close_fd_cleanup(&fd);
		fd = openat(vol->dirfd, vol->name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return error_errno(e, "cannot open");
		if (vol->access != VOLUME_WRITABLE)
			return take_fd(&fd);
		r = lock_fd(vol, &fd, e);
		if (r < 0)
			return r;
		vol->is_lock_ignored = r == 0;
		if (still_named(vol, fd))
			return take_fd(&fd);
	}
	return error_set(e, VOLUME_LOCKED, "is being replaced by another program");
}
