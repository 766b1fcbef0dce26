/* SPDX-License-Identifier: Zlib */
/*
 * ops: requests of the kernel. Each becomes a call of the vfs; the result of the call becomes the
 * reply. ops.c has the table, the shared functions, and operations on attributes and open files;
 * ops_dir.c has operations on names and directories.
 */
#pragma once

#include <sys/stat.h>

#include "fuse/session/session.h"

struct request {
	struct call call; /* first */
	fuse_req_t req;
	void (*answer)(struct request *q); /* send the reply if the call succeeded */
	struct fuse_file_info fi;          /* open, create: for the reply */
	char *listing;                     /* readdir: buffer of reply_room bytes, owned */
	size_t listing_size, reply_room;   /* reply_room: also of getxattr */
	int flush_result;                  /* mknod: result of the flush */
};

/* Attributes in the form for libfuse, and for how long the kernel may cache them and the name. */
struct fuse_entry_param entry_param_of(const struct call *c, const struct stat *st);
/* Create a call for request_submit; name (or NULL) is borrowed until then. If memory is exhausted,
 * replies ENOMEM and returns a shared dummy, to fill in as usual: request_submit ignores it. */
struct request *request_begin(fuse_req_t req, vfs_op op, void (*answer)(struct request *q),
	fuse_ino_t ino, const char *name);
void request_submit(struct request *q);
/* Reply with an error, or through q->answer, and free the request. A call.reply; any thread. */
void request_reply(struct call *c, int r);
/* Create and start a call that has no more arguments. */
void request_run(fuse_req_t req, vfs_op op, void (*answer)(struct request *q), fuse_ino_t ino,
	const char *name);
void answer_done(struct request *q);  /* success, without data */
void answer_entry(struct request *q); /* call.attr */
/* Set the mode of a new file or directory, and make the caller its owner. */
void request_set_owner(struct request *q, mode_t mode);

/* The functions for struct fuse_lowlevel_ops. op_link and op_symlink always reply EPERM, as does
 * op_mknod for all but regular files. op_opendir replies ENOSYS if the kernel caches listings. */
void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n);
void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	const char *to_name, unsigned flags);
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void op_symlink(fuse_req_t req, const char *to, fuse_ino_t parent, const char *name);
void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev);
void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_readdirplus(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
