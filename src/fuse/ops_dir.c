/* SPDX-License-Identifier: Zlib */
/* Names: looked up, listed, made, removed and renamed. */
#include <errno.h>
#include <stdlib.h>

#include "fuse/ops.h"

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct request *q = request_begin(req, vfs_lookup, reply_entry, parent, name);

	if (q)
		request_submit(q);
}

void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	struct front *f = fuse_req_userdata(req);

	mounted_forget(&f->tree, ino, n);
	fuse_reply_none(req);
}

void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	struct front *f = fuse_req_userdata(req);

	for (size_t i = 0; i < count; i++)
		mounted_forget(&f->tree, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct request *q = request_begin(req, vfs_mkdir, reply_entry, parent, name);

	if (!q)
		return;
	q->call.set.mode = mode;
	q->call.set.uid = fuse_req_ctx(req)->uid;
	q->call.set.gid = fuse_req_ctx(req)->gid;
	request_submit(q);
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct request *q = request_begin(req, vfs_unlink, reply_err, parent, name);

	if (q)
		request_submit(q);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct request *q = request_begin(req, vfs_rmdir, reply_err, parent, name);

	if (q)
		request_submit(q);
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	const char *to_name, unsigned flags)
{
	struct request *q = request_begin(req, vfs_rename, reply_err, parent, name);

	if (!q)
		return;
	q->call.to_ino = to;
	q->call.to_name = to_name;
	q->call.flags = flags;
	request_submit(q);
}

/* Tools that link or leave symbolic links as locks cope with EPERM. */
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	(void)ino;
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

void op_symlink(fuse_req_t req, const char *to, fuse_ino_t parent, const char *name)
{
	(void)to;
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)dev;
	fuse_reply_err(req, EPERM);
}

static void reply_listing(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_buf(q->req, q->listing, q->used);
	request_end(q);
}

static bool emit_plain(struct call *c, const char *name, const struct attr *a, uint64_t next)
{
	struct request *q = (struct request *)c;
	struct stat st = {.st_ino = a->ino, .st_mode = a->mode};
	size_t left = q->room - q->used;
	size_t n = fuse_add_direntry(q->req, q->listing + q->used, left, name, &st, (off_t)next);

	if (n > left)
		return false;
	q->used += n;
	return true;
}

static bool emit_plus(struct call *c, const char *name, const struct attr *a, uint64_t next)
{
	struct request *q = (struct request *)c;
	struct fuse_entry_param e = entry_of(a);
	size_t left = q->room - q->used, n;

	/* What has no attributes ("." and ".." among them) is named without a lookup. */
	if (a->nlink == 0)
		e.ino = 0;
	n = fuse_add_direntry_plus(q->req, q->listing + q->used, left, name, &e, (off_t)next);
	if (n > left)
		return false;
	q->used += n;
	return true;
}

static void list(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	struct request *q = request_begin(req, vfs_readdir, reply_listing, ino, NULL);

	if (!q)
		return;
	q->listing = malloc(size ? size : 1);
	q->room = size;
	q->call.off = (uint64_t)off;
	q->call.plus = plus;
	q->call.emit = plus ? emit_plus : emit_plain;
	if (q->listing)
		request_submit(q);
	else
		reply_err(&q->call, -ENOMEM);
}

/* A directory has no handle. Told so once, the kernel asks no more. */
void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct front *f = fuse_req_userdata(req);

	(void)ino;
	if (f->lists_once)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list(req, ino, size, off, false);
}

void op_readdirplus(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list(req, ino, size, off, true);
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_fsyncdir, reply_err, ino, NULL);

	(void)datasync;
	(void)fi;
	if (q)
		request_submit(q);
}
