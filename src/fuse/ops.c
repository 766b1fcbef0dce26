/* SPDX-License-Identifier: Zlib */
/* Requests become calls, results become replies. Nothing is decided here. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "fuse/front.h"

/* Every change of a name or an attribute comes through us, and contents are invalidated by hand. */
static const double FOREVER = 24 * 3600.0;
/* What follows the folder that is mounted does so within a second. */
static const double BRIEFLY = 0.5;

struct request {
	struct call call; /* first */
	fuse_req_t req;
	struct fuse_file_info fi;
	char *listing;
	size_t used, room;
};

static struct stat stat_of(const struct attr *a)
{
	return (struct stat){
		.st_ino = a->ino,
		.st_mode = a->mode,
		.st_nlink = a->nlink,
		.st_uid = a->uid,
		.st_gid = a->gid,
		.st_size = (off_t)a->size,
		.st_blocks = (blkcnt_t)((a->size + 511) / 512),
		.st_blksize = 4096,
		.st_atim = a->atime,
		.st_mtim = a->mtime,
		.st_ctim = a->ctime,
	};
}

static struct fuse_entry_param entry_of(const struct attr *a)
{
	return (struct fuse_entry_param){
		.ino = a->ino,
		.attr = stat_of(a),
		.attr_timeout = a->brief ? BRIEFLY : FOREVER,
		.entry_timeout = a->alias   ? 0
				 : a->brief ? BRIEFLY
					    : FOREVER,
	};
}

static void finish(struct request *q)
{
	free(q->call.out);
	free(q->listing);
	free(q);
}

static void reply_err(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	fuse_reply_err(q->req, -r);
	finish(q);
}

static void reply_entry(struct call *c, int r)
{
	struct request *q = (struct request *)c;
	struct fuse_entry_param e = entry_of(&c->attr);

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_entry(q->req, &e);
	finish(q);
}

static void reply_attr(struct call *c, int r)
{
	struct request *q = (struct request *)c;
	struct stat st = stat_of(&c->attr);

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_attr(q->req, &st, c->attr.brief ? BRIEFLY : FOREVER);
	finish(q);
}

static void reply_open(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	q->fi.fh = (uintptr_t)c->opened;
	q->fi.keep_cache = c->keep_cache;
	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_open(q->req, &q->fi);
	finish(q);
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
	finish(q);
}

static void reply_data(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_buf(q->req, (const char *)c->out, c->out_size);
	finish(q);
}

static void reply_write(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_write(q->req, c->size);
	finish(q);
}

static void reply_listing(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_buf(q->req, q->listing, q->used);
	finish(q);
}

static void reply_xattr(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else if (q->room == 0)
		fuse_reply_xattr(q->req, c->out_size);
	else if (q->room < c->out_size)
		fuse_reply_err(q->req, ERANGE);
	else
		fuse_reply_buf(q->req, (const char *)c->out, c->out_size);
	finish(q);
}

static void reply_statfs(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		fuse_reply_statfs(q->req, &c->statvfs);
	finish(q);
}

/* A call for a request, or NULL after an answer of ENOMEM. */
static struct request *begin(fuse_req_t req, vfs_op op, void (*reply)(struct call *c, int r),
	fuse_ino_t ino, const char *name)
{
	struct request *q = calloc(1, sizeof(*q));

	if (!q) {
		fuse_reply_err(req, ENOMEM);
		return NULL;
	}
	q->req = req;
	q->call.op = op;
	q->call.reply = reply;
	q->call.ino = ino;
	q->call.name = name;
	q->call.caller = fuse_req_ctx(req)->pid;
	return q;
}

static void submit(struct request *q)
{
	struct front *f = fuse_req_userdata(q->req);

	mounted_submit(&f->tree, &q->call);
}

static struct handle *handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	/* The kernel would own size and time, and keep dirty data that dies with us. */
	conn->want &= ~(unsigned)FUSE_CAP_WRITEBACK_CACHE;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct request *q = begin(req, vfs_lookup, reply_entry, parent, name);

	if (q)
		submit(q);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	struct front *f = fuse_req_userdata(req);

	mounted_forget(&f->tree, ino, n);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	struct front *f = fuse_req_userdata(req);

	for (size_t i = 0; i < count; i++)
		mounted_forget(&f->tree, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_getattr, reply_attr, ino, NULL);

	(void)fi;
	if (q)
		submit(q);
}

static void take_time(struct call *c, unsigned to_set, unsigned given, unsigned now, unsigned mask,
	const struct timespec *t, struct timespec *ret)
{
	if (!(to_set & (given | now)))
		return;
	c->mask |= mask;
	*ret = *t;
	if (to_set & now)
		clock_gettime(CLOCK_REALTIME, ret);
}

static void op_setattr(
	fuse_req_t req, fuse_ino_t ino, struct stat *st, int to_set, struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_setattr, reply_attr, ino, NULL);
	unsigned set = (unsigned)to_set;
	struct call *c;

	if (!q)
		return;
	c = &q->call;
	c->handle = fi ? handle_of(fi) : NULL;
	c->set.mode = st->st_mode;
	c->set.uid = st->st_uid;
	c->set.gid = st->st_gid;
	c->set.size = (uint64_t)st->st_size;
	c->mask |= set & FUSE_SET_ATTR_MODE ? (unsigned)ATTR_MODE : 0;
	c->mask |= set & FUSE_SET_ATTR_UID ? (unsigned)ATTR_UID : 0;
	c->mask |= set & FUSE_SET_ATTR_GID ? (unsigned)ATTR_GID : 0;
	c->mask |= set & FUSE_SET_ATTR_SIZE ? (unsigned)ATTR_SIZE : 0;
	take_time(c, set, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW, ATTR_ATIME, &st->st_atim,
		&c->set.atime);
	take_time(c, set, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW, ATTR_MTIME, &st->st_mtim,
		&c->set.mtime);
	submit(q);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_open, reply_open, ino, NULL);

	if (!q)
		return;
	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	submit(q);
}

static void op_create(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_create_file, reply_create, parent, name);

	if (!q)
		return;
	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	q->call.set.mode = mode;
	q->call.set.uid = fuse_req_ctx(req)->uid;
	q->call.set.gid = fuse_req_ctx(req)->gid;
	submit(q);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct request *q = begin(req, vfs_mkdir, reply_entry, parent, name);

	if (!q)
		return;
	q->call.set.mode = mode;
	q->call.set.uid = fuse_req_ctx(req)->uid;
	q->call.set.gid = fuse_req_ctx(req)->gid;
	submit(q);
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct request *q = begin(req, vfs_unlink, reply_err, parent, name);

	if (q)
		submit(q);
}

static void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct request *q = begin(req, vfs_rmdir, reply_err, parent, name);

	if (q)
		submit(q);
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	const char *to_name, unsigned flags)
{
	struct request *q = begin(req, vfs_rename, reply_err, parent, name);

	if (!q)
		return;
	q->call.to_ino = to;
	q->call.to_name = to_name;
	q->call.flags = flags;
	submit(q);
}

/* Tools that link or leave symbolic links as locks cope with EPERM. */
static void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	(void)ino;
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

static void op_symlink(fuse_req_t req, const char *to, fuse_ino_t parent, const char *name)
{
	(void)to;
	(void)parent;
	(void)name;
	fuse_reply_err(req, EPERM);
}

static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)dev;
	fuse_reply_err(req, EPERM);
}

static void op_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_read, reply_data, ino, NULL);

	if (!q)
		return;
	q->call.handle = handle_of(fi);
	q->call.size = size;
	q->call.off = (uint64_t)off;
	submit(q);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
	struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_write, reply_write, ino, NULL);

	if (!q)
		return;
	q->call.handle = handle_of(fi);
	q->call.data = data;
	q->call.size = size;
	q->call.off = (uint64_t)off;
	q->call.mapped = fi->writepage;
	submit(q);
}

static void on_handle(fuse_req_t req, vfs_op op, fuse_ino_t ino, const struct fuse_file_info *fi)
{
	struct request *q = begin(req, op, reply_err, ino, NULL);

	if (!q)
		return;
	q->call.handle = handle_of(fi);
	submit(q);
}

static void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	on_handle(req, vfs_flush, ino, fi);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	on_handle(req, vfs_release, ino, fi);
}

static void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)datasync;
	on_handle(req, vfs_fsync, ino, fi);
}

static void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct request *q = begin(req, vfs_fsyncdir, reply_err, ino, NULL);

	(void)datasync;
	(void)fi;
	if (q)
		submit(q);
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
	struct request *q = begin(req, vfs_readdir, reply_listing, ino, NULL);

	if (!q)
		return;
	q->listing = malloc(size ? size : 1);
	q->room = size;
	q->call.off = (uint64_t)off;
	q->call.plus = plus;
	q->call.emit = plus ? emit_plus : emit_plain;
	if (q->listing)
		submit(q);
	else
		reply_err(&q->call, -ENOMEM);
}

static void op_readdir(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list(req, ino, size, off, false);
}

static void op_readdirplus(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list(req, ino, size, off, true);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct request *q = begin(req, vfs_statfs, reply_statfs, ino, NULL);

	if (q)
		submit(q);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct request *q = begin(req, vfs_getxattr, reply_xattr, ino, name);

	if (!q)
		return;
	q->room = size;
	submit(q);
}

static void op_setxattr(
	fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size, int flags)
{
	(void)ino;
	(void)name;
	(void)value;
	(void)size;
	(void)flags;
	/* Not ENOSYS, which the kernel would remember as an answer for all. */
	fuse_reply_err(req, EOPNOTSUPP);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	(void)ino;
	if (size)
		fuse_reply_buf(req, NULL, 0);
	else
		fuse_reply_xattr(req, 0);
}

static void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	struct request *q = begin(req, vfs_removexattr, reply_err, ino, name);

	if (q)
		submit(q);
}

const struct fuse_lowlevel_ops front_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.open = op_open,
	.create = op_create,
	.mkdir = op_mkdir,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.rename = op_rename,
	.link = op_link,
	.symlink = op_symlink,
	.mknod = op_mknod,
	.read = op_read,
	.write = op_write,
	.flush = op_flush,
	.release = op_release,
	.fsync = op_fsync,
	.fsyncdir = op_fsyncdir,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.setxattr = op_setxattr,
	.listxattr = op_listxattr,
	.removexattr = op_removexattr,
};
