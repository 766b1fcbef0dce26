/* SPDX-License-Identifier: Zlib */
/* Open files. */
#include "fuse/ops.h"

static void answer_open(struct request *q)
{
	const struct call *c = &q->call;

	q->fi.fh = (uintptr_t)c->opened;
	q->fi.keep_cache = c->keep_cache;
	/* Who only reads has nothing to apply, and need not wait for us to close. */
	q->fi.noflush = (c->flags & O_ACCMODE) == O_RDONLY && !(c->flags & O_TRUNC);
	fuse_reply_open(q->req, &q->fi);
}

static void answer_create(struct request *q)
{
	struct fuse_entry_param e = entry_of(&q->call.attr);

	q->fi.fh = (uintptr_t)q->call.opened;
	fuse_reply_create(q->req, &e, &q->fi);
}

static void answer_data(struct request *q)
{
	fuse_reply_buf(q->req, (const char *)q->call.out, q->call.out_size);
}

static void answer_write(struct request *q)
{
	fuse_reply_write(q->req, q->call.size);
}

void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_open, answer_open, ino, NULL);

	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	request_submit(q);
}

void op_create(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_create_file, answer_create, parent, name);

	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	request_makes(q, mode);
	request_submit(q);
}

void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_read, answer_data, ino, NULL);

	q->call.handle = handle_of(fi);
	q->call.size = size;
	q->call.off = (uint64_t)off;
	request_submit(q);
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
	struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_write, answer_write, ino, NULL);

	q->call.handle = handle_of(fi);
	q->call.data = data;
	q->call.size = size;
	q->call.off = (uint64_t)off;
	q->call.mapped = fi->writepage;
	request_submit(q);
}

static void on_handle(fuse_req_t req, vfs_op op, fuse_ino_t ino, const struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, op, answer_done, ino, NULL);

	q->call.handle = handle_of(fi);
	request_submit(q);
}

void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	on_handle(req, vfs_flush, ino, fi);
}

void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	on_handle(req, vfs_release, ino, fi);
}

void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)datasync;
	on_handle(req, vfs_fsync, ino, fi);
}
