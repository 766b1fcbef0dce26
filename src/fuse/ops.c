/* SPDX-License-Identifier: Zlib */
/* Requests become calls, results become replies. Nothing is decided here. */
#include "fuse/ops.h"

#include <errno.h>
#include <stdlib.h>

/* Every change of a name or an attribute comes through us, and contents are invalidated by hand. */
static const double FOREVER = 24 * 3600.0;
/* What follows the folder that is mounted does so within a second. */
static const double BRIEFLY = 0.5;

struct stat stat_of(const struct attr *a)
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

struct fuse_entry_param entry_of(const struct attr *a)
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

void answer_done(struct request *q)
{
	fuse_reply_err(q->req, 0);
}

void answer_entry(struct request *q)
{
	struct fuse_entry_param e = entry_of(&q->call.attr);

	fuse_reply_entry(q->req, &e);
}

void answer_attr(struct request *q)
{
	struct stat st = stat_of(&q->call.attr);

	fuse_reply_attr(q->req, &st, q->call.attr.brief ? BRIEFLY : FOREVER);
}

static void reply(struct call *c, int r)
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

/* Stands in where there is no memory for one; the owner's alone. */
static struct request nowhere;

struct request *request_begin(fuse_req_t req, vfs_op op, void (*answer)(struct request *q),
	fuse_ino_t ino, const char *name)
{
	struct request *q = calloc(1, sizeof(*q));

	if (!q) {
		fuse_reply_err(req, ENOMEM);
		return &nowhere;
	}
	q->req = req;
	q->answer = answer;
	q->call.op = op;
	q->call.reply = reply;
	q->call.ino = ino;
	q->call.name = name;
	q->call.caller = fuse_req_ctx(req)->pid;
	return q;
}

void request_makes(struct request *q, mode_t mode)
{
	const struct fuse_ctx *ctx = q == &nowhere ? NULL : fuse_req_ctx(q->req);

	if (!ctx)
		return;
	q->call.set.mode = mode;
	q->call.set.uid = ctx->uid;
	q->call.set.gid = ctx->gid;
}

void request_submit(struct request *q)
{
	struct front *f = q == &nowhere ? NULL : fuse_req_userdata(q->req);

	if (f)
		mounted_submit(&f->tree, &q->call);
}

void request_ask(fuse_req_t req, vfs_op op, void (*answer)(struct request *q), fuse_ino_t ino,
	const char *name)
{
	request_submit(request_begin(req, op, answer, ino, name));
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct front *f = userdata;
	unsigned needed = FUSE_CAP_NO_OPENDIR_SUPPORT | FUSE_CAP_AUTO_INVAL_DATA;

	/* The kernel would own size and time, and keep dirty data that dies with us. */
	conn->want &= ~(unsigned)FUSE_CAP_WRITEBACK_CACHE;
	/* Without an OPENDIR it remembers what was listed, as long as the directory's time is the
	 * same. That of a folder on disk may be the same though names came. */
	f->lists_once = !f->tree.folder && (conn->capable & needed) == needed;
	/* What it remembers is listed again without us, and then with a LOOKUP for each name that
	 * came without attributes. */
	if (f->lists_once)
		conn->want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
	(void)control_tell(f->launcher_fd, CONTROL_SERVING, 0, NULL);
}

const struct fuse_lowlevel_ops front_ops = {
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
};
