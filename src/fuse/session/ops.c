/* SPDX-License-Identifier: Zlib */
#include "fuse/session/ops.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Cache timeout in seconds. Nothing else changes names and attributes; contents are invalidated. */
static const double FOREVER = 24 * 3600.0;
/* Cache timeout for entries that follow a mounted folder on disk. */
static const double BRIEFLY = 0.5;

static struct stat with_blocks(struct stat st)
{
	st.st_blocks = (st.st_size + 511) / 512;
	st.st_blksize = 4096;
	return st;
}

struct fuse_entry_param entry_param_of(const struct call *c, const struct stat *st)
{
	return (struct fuse_entry_param){
		.ino = st->st_ino,
		.attr = with_blocks(*st),
		.attr_timeout = c->is_brief ? BRIEFLY : FOREVER,
		.entry_timeout = c->is_alias   ? 0
				 : c->is_brief ? BRIEFLY
					       : FOREVER,
	};
}

void answer_done(struct request *q)
{
	fuse_reply_err(q->req, 0);
}

void answer_entry(struct request *q)
{
	struct fuse_entry_param e = entry_param_of(&q->call, &q->call.attr);

	fuse_reply_entry(q->req, &e);
}

static void answer_attr(struct request *q)
{
	struct stat st = with_blocks(q->call.attr);

	fuse_reply_attr(q->req, &st, q->call.is_brief ? BRIEFLY : FOREVER);
}

void request_reply(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	if (r < 0)
		fuse_reply_err(q->req, -r);
	else
		q->answer(q);
	free(q->call.out);
	free(q->listing);
	free(q);
}

/* Returned by request_begin if memory is exhausted. Used by the owner only. */
static struct request dropped_request;

struct request *request_begin(fuse_req_t req, vfs_op op, void (*answer)(struct request *q),
	fuse_ino_t ino, const char *name)
{
	struct request *q = calloc(1, sizeof(*q));

	if (!q) {
		fuse_reply_err(req, ENOMEM);
		return &dropped_request;
	}
	q->req = req;
	q->answer = answer;
	q->call.op = op;
	q->call.reply = request_reply;
	q->call.ino = ino;
	q->call.name = name;
	q->call.caller = fuse_req_ctx(req)->pid;
	return q;
}

void request_set_owner(struct request *q, mode_t mode)
{
	const struct fuse_ctx *ctx = q == &dropped_request ? NULL : fuse_req_ctx(q->req);

	if (!ctx)
		return;
	q->call.set.st_mode = mode;
	q->call.set.st_uid = ctx->uid;
	q->call.set.st_gid = ctx->gid;
}

void request_submit(struct request *q)
{
	struct session *s = q == &dropped_request ? NULL : fuse_req_userdata(q->req);

	if (s)
		mounted_submit(&s->tree, &q->call);
}

void request_run(fuse_req_t req, vfs_op op, void (*answer)(struct request *q), fuse_ino_t ino,
	const char *name)
{
	request_submit(request_begin(req, op, answer, ino, name));
}

/* Attributes. */

static void answer_xattr(struct request *q)
{
	const struct call *c = &q->call;

	if (q->reply_room == 0)
		fuse_reply_xattr(q->req, c->out_size);
	else if (q->reply_room < c->out_size)
		fuse_reply_err(q->req, ERANGE);
	else
		fuse_reply_buf(q->req, (const char *)c->out, c->out_size);
}

static void answer_statfs(struct request *q)
{
	fuse_reply_statfs(q->req, &q->call.statvfs);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *)
{
	request_run(req, vfs_getattr, answer_attr, ino, NULL);
}

static struct handle *handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

enum { SETTABLE = ATTR_MODE | ATTR_UID | ATTR_GID | ATTR_SIZE | ATTR_ATIME | ATTR_MTIME };
_Static_assert(SETTABLE == (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID |
				   FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME),
	"the bits are libfuse's, in its order");

static void op_setattr(
	fuse_req_t req, fuse_ino_t ino, struct stat *st, int to_set, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_setattr, answer_attr, ino, NULL);
	struct call *c = &q->call;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	c->handle = fi ? handle_of(fi) : NULL;
	c->mask = (unsigned)to_set & SETTABLE;
	c->set = *st;
	if (to_set & FUSE_SET_ATTR_ATIME_NOW)
		c->set.st_atim = now;
	if (to_set & FUSE_SET_ATTR_MTIME_NOW)
		c->set.st_mtim = now;
	request_submit(q);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	request_run(req, vfs_statfs, answer_statfs, ino, NULL);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct request *q = request_begin(req, vfs_getxattr, answer_xattr, ino, name);

	q->reply_room = size;
	request_submit(q);
}

static void op_setxattr(fuse_req_t req, fuse_ino_t, const char *, const char *, size_t, int)
{
	/* After ENOSYS the kernel would send no setxattr any more. */
	fuse_reply_err(req, EOPNOTSUPP);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t, size_t size)
{
	if (size)
		fuse_reply_buf(req, NULL, 0);
	else
		fuse_reply_xattr(req, 0);
}

static void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	request_run(req, vfs_removexattr, answer_done, ino, name);
}

/* Open files. */

static void answer_open(struct request *q)
{
	const struct call *c = &q->call;

	q->fi.fh = (uintptr_t)c->opened;
	q->fi.keep_cache = c->keep_cache;
	/* A file opened for reading has nothing to validate: no flush is needed. */
	q->fi.noflush = (c->flags & O_ACCMODE) == O_RDONLY && !(c->flags & O_TRUNC);
	fuse_reply_open(q->req, &q->fi);
}

static void answer_create(struct request *q)
{
	struct fuse_entry_param e = entry_param_of(&q->call, &q->call.attr);

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

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_open, answer_open, ino, NULL);

	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	request_submit(q);
}

static void op_create(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_create_file, answer_create, parent, name);

	q->fi = *fi;
	q->call.flags = (unsigned)fi->flags;
	request_set_owner(q, mode);
	request_submit(q);
}

static void op_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_read, answer_data, ino, NULL);

	q->call.handle = handle_of(fi);
	q->call.size = size;
	q->call.off = (uint64_t)off;
	request_submit(q);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
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

static void submit_with_handle(
	fuse_req_t req, vfs_op op, fuse_ino_t ino, const struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, op, answer_done, ino, NULL);

	q->call.handle = handle_of(fi);
	request_submit(q);
}

static void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	submit_with_handle(req, vfs_flush, ino, fi);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	submit_with_handle(req, vfs_release, ino, fi);
}

static void op_fsync(fuse_req_t req, fuse_ino_t ino, int, struct fuse_file_info *fi)
{
	submit_with_handle(req, vfs_fsync, ino, fi);
}

static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t length,
	struct fuse_file_info *fi)
{
	struct request *q;

	if (mode != 0) {
		fuse_reply_err(req, EOPNOTSUPP);
		return;
	}
	q = request_begin(req, vfs_fallocate, answer_done, ino, NULL);
	q->call.handle = handle_of(fi);
	q->call.off = (uint64_t)off;
	q->call.size = (size_t)length;
	request_submit(q);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct session *s = userdata;
	unsigned needed = FUSE_CAP_NO_OPENDIR_SUPPORT | FUSE_CAP_AUTO_INVAL_DATA;

	/* With it the kernel would own sizes and times, and lose dirty data if the worker died. */
	conn->want &= ~(unsigned)FUSE_CAP_WRITEBACK_CACHE;
	/* Without OPENDIR the kernel caches a listing while the directory's mtime is the same. The
	 * mtime of a folder on disk may be the same after a name was added. */
	s->caches_listings = !s->tree.folder && (conn->capable & needed) == needed;
	/* A cached listing without attributes would cause a LOOKUP for each name. */
	if (s->caches_listings)
		conn->want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
	(void)control_send_text(s->launcher_fd, CONTROL_SERVING, 0, NULL);
}

const struct fuse_lowlevel_ops session_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
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
	.opendir = op_opendir,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.setxattr = op_setxattr,
	.listxattr = op_listxattr,
	.removexattr = op_removexattr,
	.fallocate = op_fallocate,
};
