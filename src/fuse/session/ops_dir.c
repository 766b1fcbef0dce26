/* SPDX-License-Identifier: Zlib */
/* Names: looked up, listed, made, removed and renamed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "fuse/session/ops.h"

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	request_ask(req, vfs_lookup, answer_entry, parent, name);
}

void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	struct session *f = fuse_req_userdata(req);

	mounted_forget(&f->tree, ino, n);
	fuse_reply_none(req);
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct request *q = request_begin(req, vfs_mkdir, answer_entry, parent, name);

	request_makes(q, mode);
	request_submit(q);
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	request_ask(req, vfs_unlink, answer_done, parent, name);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	request_ask(req, vfs_rmdir, answer_done, parent, name);
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	const char *to_name, unsigned flags)
{
	struct request *q = request_begin(req, vfs_rename, answer_done, parent, name);

	q->call.to_ino = to;
	q->call.to_name = to_name;
	q->call.flags = flags;
	request_submit(q);
}

/* Tools that link or leave symbolic links as locks cope with EPERM. */
void op_link(fuse_req_t req, fuse_ino_t, fuse_ino_t, const char *)
{
	fuse_reply_err(req, EPERM);
}

void op_symlink(fuse_req_t req, const char *, fuse_ino_t, const char *)
{
	fuse_reply_err(req, EPERM);
}

/*
 * A regular file that is made without being opened: overlayfs, NFS servers and tar --xattrs do
 * that. It is created, flushed and released, as by a program that creates a file and closes it.
 */
static void released_node(struct call *c, int)
{
	struct request *q = (struct request *)c;

	request_reply(c, q->failed);
}

static void flushed_node(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	q->failed = r;
	c->op = vfs_release;
	c->reply = released_node;
	request_submit(q);
}

static void created_node(struct call *c, int r)
{
	if (r < 0) {
		request_reply(c, r);
		return;
	}
	c->op = vfs_flush;
	c->reply = flushed_node;
	c->ino = c->attr.ino;
	c->handle = c->opened;
	request_submit((struct request *)c);
}

void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t)
{
	struct request *q;

	if (!S_ISREG(mode)) {
		fuse_reply_err(req, EPERM);
		return;
	}
	q = request_begin(req, vfs_create_file, answer_entry, parent, name);
	q->call.reply = created_node;
	q->call.flags = O_WRONLY | O_EXCL;
	request_makes(q, mode);
	request_submit(q);
}

static void answer_listing(struct request *q)
{
	fuse_reply_buf(q->req, q->listing, q->used);
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
	char *listing = malloc(size ? size : 1);
	struct request *q;

	if (!listing) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	q = request_begin(req, vfs_readdir, answer_listing, ino, NULL);
	q->listing = listing;
	q->room = size;
	q->call.off = (uint64_t)off;
	q->call.plus = plus;
	q->call.emit = plus ? emit_plus : emit_plain;
	request_submit(q);
}

/* A directory has no handle. Told so once, the kernel asks no more. */
void op_opendir(fuse_req_t req, fuse_ino_t, struct fuse_file_info *fi)
{
	const struct session *f = fuse_req_userdata(req);

	if (f->caches_listings)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *)
{
	list(req, ino, size, off, false);
}

void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *)
{
	list(req, ino, size, off, true);
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int, struct fuse_file_info *)
{
	request_ask(req, vfs_fsyncdir, answer_done, ino, NULL);
}
