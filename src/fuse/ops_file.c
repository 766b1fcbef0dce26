/* SPDX-License-Identifier: Zlib */
/* Open files. */
#include "fuse/ops.h"

static void reply_open(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	q->fi.fh = (uintptr_t)c->opened;
	q->fi.keep_cache = c->keep_cache;
	/* Who only reads has nothing to apply, and need not wait for us to close. */
	q->fi.noflush = (c->flags & O_ACCMODE) == O_RDONLY && !(c->flags & O_TRUNC);
	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_open(q->req, &q->fi);
	request_end(q);
}

static void reply_create(struct call *c, int r)
{
	struct request *q = (struct request *)c;
	struct fuse_entry_param e = entry_of(&c->attr);

	q->fi.fh = (uintptr_t)c->opened;
	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_create(q->req, &e, &q->fi);
	request_end(q);
}

static void reply_data(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_buf(q->req, (const char *)c->out, c->out_size);
	request_end(q);
}

static void reply_write(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_write(q->req, c->size);
	request_end(q);
}

void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_open, reply_open, ino, NULL);

	if (!q)
		return;
	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	request_submit(q);
}

void op_create(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_create_file, reply_create, parent, name);

	if (!q)
		return;
	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	q->call.set.mode = mode;
	q->call.set.uid = fuse_req_ctx(req)->uid;
	q->call.set.gid = fuse_req_ctx(req)->gid;
	request_submit(q);
}

void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_read, reply_data, ino, NULL);

	if (!q)
		return;
	q->call.handle = handle_of(fi);
	q->call.size = size;
	q->call.off = (uint64_t)off;
	request_submit(q);
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
	struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_write, reply_write, ino, NULL);

	if (!q)
		return;
	q->call.handle = handle_of(fi);
	q->call.data = data;
	q->call.size = size;
	q->call.off = (uint64_t)off;
	q->call.mapped = fi->writepage;
	request_submit(q);
}

static void on_handle(fuse_req_t req, vfs_op op, fuse_ino_t ino, const struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, op, reply_err, ino, NULL);

	if (!q)
		return;
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
