/* SPDX-License-Identifier: Zlib */
/*
 * ops: the kernel's requests, each of which becomes a call, and what the call ends with its reply.
 * By kind of request in the files named below; ops.c has the table, and what they share.
 */
#pragma once

#include <sys/stat.h>

#include "fuse/session/session.h"

struct request {
	struct call call; /* first */
	fuse_req_t req;
	void (*answer)(struct request *q); /* what the reply is, where the call did not fail */
	struct fuse_file_info fi;
	char *listing;
	size_t used, room;
	int failed; /* mknod: the result of its flush */
};

struct fuse_entry_param entry_of(const struct attr *a);
/* A call for a request, which request_submit begins. Where there is no memory it is one whose
 * request was answered with that, and request_submit drops it. */
struct request *request_begin(fuse_req_t req, vfs_op op, void (*answer)(struct request *q),
	fuse_ino_t ino, const char *name);
void request_submit(struct request *q);
/* Answer the kernel with an error, or by q->answer, and free the request. For call.reply. */
void request_reply(struct call *c, int r);
/* Both, where there is nothing more to say of it. */
void request_ask(fuse_req_t req, vfs_op op, void (*answer)(struct request *q), fuse_ino_t ino,
	const char *name);
void answer_done(struct request *q);
void answer_entry(struct request *q);
/* Who asks owns what is made. */
void request_makes(struct request *q, mode_t mode);

/* ops_dir.c */
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
