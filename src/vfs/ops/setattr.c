/* SPDX-License-Identifier: Zlib */
/* setattr, whose size part is a write; and fallocate */
#include <errno.h>

#include "base/cursor.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/write_buffer.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/close.h"

static void truncate_closed(struct vfs *v, struct inode *, void *arg, int r)
{
	struct call *c = arg;

	if (r == 0) {
		c->mask &= ~(unsigned)ATTR_SIZE;
		vfs_setattr(v, c);
		return;
	}
	call_done(c, r);
}

static int truncate_buffer(struct inode *n, uint64_t size)
{
	struct write_buffer *s = n->write_buffer;
	uint64_t before = spool_size(s->spool);
	int r = spool_truncate(s->spool, size, NULL);

	if (r < 0)
		return r;
	inode_touch(n, ATTR_MTIME);
	n->is_cached = false;
	if (before != size && (s->state == BUFFER_CLEAN || s->state == BUFFER_LOGGED))
		s->state = BUFFER_TRUNCATED;
	return 0;
}

/* Set the size. Returns true if c was answered, or waits and continues by itself. */
static bool truncate_file(struct vfs *v, struct inode *n, struct call *c)
{
	int r = n->oentry->is_dir ? -EISDIR : file_may_write(n);

	if (r == 0 && (uint64_t)c->set.st_size > file_max_size(n))
		r = -EFBIG;

	if (r == 0 && n->is_busy) {
		inode_wait(n, c);
		return true;
	}
	if (r == 0)
		r = write_buffer_begin(v, n, false, c);
	if (r > 0)
		return true;
	if (r == 0)
		r = truncate_buffer(n, (uint64_t)c->set.st_size);
	if (r < 0) {
		call_done(c, r);
		return true;
	}
	/* truncate(2) on a closed file: no close will validate it. */
	if (!n->writers && file_is_validated(n)) {
		call_keep(c);
		close_content(v, n, CLOSE_VALIDATED, truncate_closed, c);
		return true;
	}
	return false;
}

void vfs_fallocate(struct vfs *v, struct call *c)
{
	struct inode *n = c->handle->inode;
	uint64_t end;
	int r = c->handle->is_writer ? 0 : -EBADF;

	if (r == 0 && (ckd_add(&end, c->off, c->size) || end > file_max_size(n)))
		r = -EFBIG;
	if (r == 0 && n->is_busy) {
		inode_wait(n, c);
		return;
	}
	if (r == 0)
		r = write_buffer_begin(v, n, false, c);
	if (r > 0)
		return;
	if (r == 0 && end > spool_size(n->write_buffer->spool))
		r = truncate_buffer(n, end);
	call_done(c, r);
}

/* Keep the time in the overlay if the map stores it. The time of truncate(2) is that of a write. */
static void set_mtime(struct inode *n, const struct call *c)
{
	n->oentry->has_mtime = !(c->mask & ATTR_SIZE) && n->vfs->overlay->base->format->kept_time &&
			       !n->oentry->is_dir;
	n->oentry->mtime = c->set.st_mtim;
}

void vfs_setattr(struct vfs *v, struct call *c)
{
	struct inode *n = inode_find(v, c->ino);
	int r;

	if (!n || v->vol->access == VOLUME_READ_ONLY) {
		call_done(c, n ? -EROFS : -ESTALE);
		return;
	}
	if (view_wait(v, n, c))
		return;
	if ((c->mask & ATTR_SIZE) && truncate_file(v, n, c))
		return;
	if (c->mask & ~(unsigned)ATTR_SIZE)
		inode_touch(n, 0);
	attr_take(&n->attr, &c->set, c->mask);
	if (c->mask & ATTR_MTIME)
		set_mtime(n, c);
	n->attr_mask |= c->mask & ~(unsigned)ATTR_SIZE;
	r = inode_attr(v, n, &c->attr);
	c->is_brief = inode_is_brief(n);
	if (r == -EAGAIN) {
		/* The size is unknown: a getattr computes it, and answers. */
		c->op = vfs_getattr;
		vfs_getattr(v, c);
		return;
	}
	call_done(c, r);
}
