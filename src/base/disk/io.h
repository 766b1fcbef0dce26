/* SPDX-License-Identifier: Zlib */
/*
 * io: wrappers of all system calls that change a disk.
 *
 * Journal, save, spool and recovery change the disk only through these functions. So a test can
 * make the N-th call fail, or stop the process at it, and look at the state on disk. Each function
 * returns 0 (or a descriptor) or -errno. Writes are complete or fail. Opens, writes, truncations
 * and syncs are retried after EINTR.
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
	IO_UNLINK, /* or rmdir */
	IO_TRUNCATE,
	IO_MKDIR,
	IO_META, /* mode, owner or an extended attribute */
	IO_SYNC_FS,
};

struct io_call {
	enum io_op op;
	int fd;               /* the file, or the directory of the names */
	const char *name;     /* "" if fd is the file; the new name if there are two; or an xattr */
	const char *old_name; /* of an IO_RENAME, which may also be a link; else NULL */
	size_t n;             /* bytes of an IO_WRITE; a hook reduces it for a short write */
};

/* The hook of a test. It runs on the calling thread before each call that changes the disk (an open
 * only if it creates a file, not if it truncates one), and before each retry. It returns 0, or a
 * negative errno with which the call fails. Set it while no other thread runs. */
typedef int (*io_hook)(struct io_call *call, void *arg);
void io_set_hook(io_hook hook, void *arg);
/* Call the hook, for system calls that are made elsewhere (io_copy.c). Returns its result or 0. */
int io_call_hook(struct io_call *c);

/* Is r the -errno of a full disk or an exceeded quota? */
bool io_is_full(int r);
/* Open a path below dirfd and return a descriptor. Adds O_CLOEXEC. The path is "." or names with
 * slashes between them. A symbolic link in it fails with -ELOOP or -ENOTDIR. If dirfd is AT_FDCWD,
 * the path has no slash. */
int io_openat(int dirfd, const char *path, int flags, mode_t mode);
int io_tmpfile(int dirfd); /* open a new unlinked file read-write, on any file system */
int io_write(int fd, const void *data, size_t n); /* at the file position */
int io_pwrite(int fd, const void *data, size_t n, uint64_t off);
void io_write_behind(int fd); /* start writing dirty pages to disk; ignores errors */
int io_truncate(int fd, uint64_t size);
int io_sync(int fd);     /* fsync */
int io_datasync(int fd); /* fdatasync */
int io_sync_fs(int fd);  /* syncfs: the whole file system of fd */
int io_rename(int dirfd, const char *from, const char *to);           /* replaces `to` */
int io_rename_noreplace(int dirfd, const char *from, const char *to); /* -EEXIST if `to` exists */
int io_unlink(int dirfd, const char *name);
int io_rmdir(int dirfd, const char *name);
int io_mkdir(int dirfd, const char *name, mode_t mode);
/* Open a directory, creating it if it is missing. A symbolic link is an error. *ret_made (may be
 * NULL): was it created? Returns a descriptor. */
int io_make_dir(int dirfd, const char *name, mode_t mode, bool *ret_made, struct error *e);
/* Create a file whose name is stem plus six random characters (a-z, 0-5), and return a read-write
 * descriptor. The caller renames or unlinks the file. ret_name has room for NAME_MAX + 1 bytes. */
int io_temporary(int dirfd, const char *stem, mode_t mode, char *ret_name);
/* Sync a directory that is open for reading. Succeeds if its file system does not support that. */
int io_sync_dir(int dirfd);
int io_chmod(int fd, mode_t mode);
int io_chown(int fd, uid_t uid, gid_t gid);
int io_set_xattr(int fd, const char *name, const void *value, size_t size);
int io_remove_xattr(int fd, const char *name);
