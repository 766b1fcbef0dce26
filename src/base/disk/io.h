/* SPDX-License-Identifier: Zlib */
/*
 * io: the seam under every call that changes a disk.
 *
 * Journal, save, spill and recovery go through these and nothing else, so that a test can fail the
 * N-th call, or stop the world at it, and look at what is left. Each returns 0 (or a count) or
 * -errno; writes are complete or failed, EINTR is retried where it says that nothing was done.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum io_op {
	IO_OPEN,
	IO_WRITE,
	IO_SYNC,
	IO_RENAME,
	IO_UNLINK,
	IO_TRUNCATE,
	IO_MKDIR,
	IO_META,
	IO_SYNC_FS,
};

/* One system call that is about to be made. */
struct io_call {
	enum io_op op;
	int fd;           /* the file, or the directory of the names */
	const char *name; /* "" where fd is the file; the new name where there are two */
	const char *from; /* the old one, else NULL; a link is an IO_RENAME, too */
	size_t n;         /* of IO_WRITE: bytes; what a hook takes away is a short write */
};

/*
 * A test's hook: called before each system call, also when one is made again, on its thread; a
 * negative errno makes it fail instead. Set it while no other thread runs.
 */
typedef int (*io_hook)(struct io_call *call, void *arg);
void io_set_hook(io_hook hook, void *arg);
/* What the hook says to a call; for those that are made elsewhere (io_copy.c). */
int io_ask(struct io_call *c);

/* Is -errno that of a disk, or of a share of it, without room? */
bool io_is_full(int r);
/* An fd; O_CLOEXEC is added. The path stays below dirfd and follows no symbolic link. */
int io_openat(int dirfd, const char *path, int flags, mode_t mode);
int io_tmpfile(int dirfd); /* an fd of an unlinked file, read-write */
int io_write(int fd, const void *data, size_t n);
int io_pwrite(int fd, const void *data, size_t n, uint64_t off);
void io_write_behind(int fd); /* what was written starts for the disk; promises nothing */
int io_truncate(int fd, uint64_t size);
int io_sync(int fd);     /* fsync */
int io_datasync(int fd); /* fdatasync */
int io_sync_fs(int fd);  /* syncfs: all of the file system that fd is on */
int io_rename(int dirfd, const char *from, const char *to);
int io_rename_noreplace(int dirfd, const char *from, const char *to); /* -EEXIST where to exists */
int io_unlink(int dirfd, const char *name);
int io_rmdir(int dirfd, const char *name);
int io_mkdir(int dirfd, const char *name, mode_t mode);
/* The directory of that name, made where there is none; links are not followed. *ret_made (may be
 * NULL): it is new. Returns an fd. */
int io_make_dir(int dirfd, const char *name, mode_t mode, bool *ret_made, struct error *e);
/* Makes a new file named stem and six letters, for reading and writing; ret_name has room for
 * NAME_MAX + 1. Returns an fd; the file is the caller's to rename or unlink. */
int io_temporary(int dirfd, const char *stem, mode_t mode, char *ret_name);
/* fsync of a directory that is open for reading; no failure where its filesystem has none. */
int io_sync_dir(int dirfd);
int io_chmod(int fd, mode_t mode);
int io_chown(int fd, uid_t uid, gid_t gid);
int io_set_xattr(int fd, const char *name, const void *value, size_t size);
int io_remove_xattr(int fd, const char *name);
