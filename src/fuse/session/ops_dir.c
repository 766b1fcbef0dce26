/* SPDX-License-Identifier: Zlib */
/* Operations on names: look up, list, create, remove and rename. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "fuse/session/ops.h"

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	request_run(req, vfs_lookup, answer_entry, parent, name);
}

void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	struct session *s = fuse_req_userdata(req);

	mounted_forget(&s->tree, ino, n);
	fuse_reply_none(req);
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct request *q = request_begin(req, vfs_mkdir, answer_entry, parent, name);

	request_set_owner(q, mode);
	request_submit(q);
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	request_run(req, vfs_unlink, answer_done, parent, name);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	request_run(req, vfs_rmdir, answer_done, parent, name);
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

/* Maps have no links. Programs that make links, also as locks, handle EPERM. */
void op_link(fuse_req_t req, fuse_ino_t, fuse_ino_t, const char *)
{
	fuse_reply_err(req, EPERM);
}

void op_symlink(fuse_req_t req, const char *, fuse_ino_t, const char *)
{
	fuse_reply_err(req, EPERM);
}

/* overlayfs, NFS servers and tar --xattrs create regular files by mknod, which does not open them.
 * Three calls in a row create, flush and release the file, as for a program that closes it. */
static void handle_mknod_release(struct call *c, int)
{
	struct request *q = (struct request *)c;

	request_reply(c, q->flush_result);
}

static void handle_mknod_flush(struct call *c, int r)
{
	struct request *q = (struct request *)c;

	q->flush_result = r;
	c->op = vfs_release;
	c->reply = handle_mknod_release;
	request_submit(q);
}

static void handle_mknod_create(struct call *c, int r)
{
	if (r < 0) {
		request_reply(c, r);
		return;
	}
	c->op = vfs_flush;
	c->reply = handle_mknod_flush;
	c->ino = c->attr.st_ino;
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
	q->call.reply = handle_mknod_create;
	q->call.flags = O_WRONLY | O_EXCL;
	request_set_owner(q, mode);
	request_submit(q);
}

static void answer_listing(struct request *q)
{
	fuse_reply_buf(q->req, q->listing, q->listing_size);
}

static bool emit_plain(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct request *q = (struct request *)c;
	struct stat st = {.st_ino = a->st_ino, .st_mode = a->st_mode};
	size_t left = q->reply_room - q->listing_size;
	size_t n = fuse_add_direntry(
		q->req, q->listing + q->listing_size, left, name, &st, (off_t)next);

	if (n > left)
		return false;
	q->listing_size += n;
	return true;
}

static bool emit_plus(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct request *q = (struct request *)c;
	struct fuse_entry_param e = entry_param_of(c, a);
	size_t left = q->reply_room - q->listing_size, n;

	/* ".", ".." or no attributes: inode number 0, so that the kernel counts no lookup. */
	if (a->st_nlink == 0)
		e.ino = 0;
	n = fuse_add_direntry_plus(
		q->req, q->listing + q->listing_size, left, name, &e, (off_t)next);
	if (n > left)
		return false;
	q->listing_size += n;
	return true;
}

static void list_directory(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	char *listing = malloc(size ? size : 1);
	struct request *q;

	if (!listing) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	q = request_begin(req, vfs_readdir, answer_listing, ino, NULL);
	q->listing = listing;
	q->reply_room = size;
	q->call.off = (uint64_t)off;
	q->call.with_attributes = plus;
	q->call.emit = plus ? emit_plus : emit_plain;
	request_submit(q);
}

/* Directories have no handles. After ENOSYS the kernel sends no OPENDIR, and caches listings. */
void op_opendir(fuse_req_t req, fuse_ino_t, struct fuse_file_info *fi)
{
	const struct session *s = fuse_req_userdata(req);

	if (s->caches_listings)
		fuse_reply_err(req, ENOSYS);
	else
		fuse_reply_open(req, fi);
}

void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *)
{
	list_directory(req, ino, size, off, false);
}

void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *)
{
	list_directory(req, ino, size, off, true);
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int, struct fuse_file_info *)
{
	request_run(req, vfs_fsyncdir, answer_done, ino, NULL);
}
