/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/attr.h"

#include <errno.h>

void attr_take(struct attr *to, const struct attr *from, unsigned mask)
{
	if (mask & ATTR_MODE)
		to->mode = (to->mode & S_IFMT) | (from->mode & 07777);
	if (mask & ATTR_UID)
		to->uid = from->uid;
	if (mask & ATTR_GID)
		to->gid = from->gid;
	if (mask & ATTR_ATIME)
		to->atime = from->atime;
	if (mask & ATTR_MTIME)
		to->mtime = from->mtime;
}

void inode_touch(struct inode *n, unsigned mask)
{
	struct attr now = {0};

	clock_gettime(CLOCK_REALTIME, &now.ctime);
	now.atime = now.mtime = n->attr.ctime = now.ctime;
	attr_take(&n->attr, &now, mask & (ATTR_ATIME | ATTR_MTIME));
	if (mask & ATTR_MTIME) {
		n->oentry->has_mtime = false;
		n->is_listing_stale = n->oentry->is_dir;
	}
	n->attr_mask |= mask;
}

int inode_attr(struct vfs *v, struct inode *n, struct attr *ret)
{
	const struct volume *vol = v->vol;
	const struct oentry *u = n->oentry;
	struct attr a = {.ino = n->ino, .uid = vol->uid, .gid = vol->gid, .nlink = 1};
	struct file_attr en;
	int r = inode_entry(n, &en, NULL);

	if (r < 0)
		return r;
	/* Files without a time of their own show the map's. */
	a.atime = a.mtime = a.ctime = en.has_mtime ? en.mtime : vol->mtime;
	if (u->has_mtime)
		a.mtime = u->mtime;
	/* 1 link for a directory: find(1) then makes no assumption about subdirectories. */
	if (u->is_dir) {
		a.mode = S_IFDIR | vol->dir_mode;
	} else {
		a.nlink = u->parent != NULL;
		a.mode = S_IFREG | vol->file_mode;
		if (!en.is_writable)
			a.mode &= ~(mode_t)0222;
		a.size = en.size;
	}
	a.brief = inode_is_root(n) && vol->index;
	attr_take(&a, &n->attr, n->attr_mask);
	if (n->attr_mask)
		a.ctime = n->attr.ctime;
	*ret = a;
	return u->is_dir || en.has_size ? 0 : -EAGAIN;
}

/* Was the file unlinked, and is it not open? Then the kernel found it by a stale name, and writes
 * would be lost. An open file without a name can be opened again through its handle. */
static bool is_unreachable(const struct inode *n)
{
	return !n->oentry->parent && !n->handles && !inode_is_root(n);
}

int file_may_write(const struct inode *n)
{
	struct file_attr en;
	int r;

	if (n->vfs->vol->access == VOLUME_READ_ONLY)
		return -EROFS;
	if (is_unreachable(n))
		return -ESTALE;
	if (inode_is_scratch(n) || n->write_buffer)
		return 0;
	r = inode_entry(n, &en, NULL);
	if (r < 0)
		return r;
	return en.is_writable ? 0 : -EACCES;
}

uint64_t file_max_size(const struct inode *n)
{
	const struct snapshot *s = n->vfs->overlay->shape;
	struct file_attr en = {0};
	entry_id id, parsed_id;

	if (!inode_is_scratch(n) &&
		overlay_identify(n->vfs->overlay, n->oentry, &id, &parsed_id, NULL) == 0) {
		s = n->vfs->overlay->shape;
		(void)s->format->stat(s, id, &en, NULL);
	}
	return en.max_size ? en.max_size : FORMAT_SIZE_MAX;
}
