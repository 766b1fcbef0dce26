/* SPDX-License-Identifier: Zlib */
/* Attributes. */
#include <errno.h>
#include <time.h>

#include "fuse/ops.h"

static void answer_xattr(struct request *q)
{
	const struct call *c = &q->call;

	if (q->room == 0)
		fuse_reply_xattr(q->req, c->out_size);
	else if (q->room < c->out_size)
		fuse_reply_err(q->req, ERANGE);
	else
		fuse_reply_buf(q->req, (const char *)c->out, c->out_size);
}

static void answer_statfs(struct request *q)
{
	fuse_reply_statfs(q->req, &q->call.statvfs);
}

void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	request_ask(req, vfs_getattr, answer_attr, ino, NULL);
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

void op_setattr(
	fuse_req_t req, fuse_ino_t ino, struct stat *st, int to_set, struct fuse_file_info *fi)
{
	struct request *q = request_begin(req, vfs_setattr, answer_attr, ino, NULL);
	unsigned set = (unsigned)to_set;
	struct call *c = &q->call;

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
	request_submit(q);
}

void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	request_ask(req, vfs_statfs, answer_statfs, ino, NULL);
}

void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct request *q = request_begin(req, vfs_getxattr, answer_xattr, ino, name);

	q->room = size;
	request_submit(q);
}

void op_setxattr(
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

void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	(void)ino;
	if (size)
		fuse_reply_buf(req, NULL, 0);
	else
		fuse_reply_xattr(req, 0);
}

void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	request_ask(req, vfs_removexattr, answer_done, ino, name);
}
