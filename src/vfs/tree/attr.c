/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/attr.h"

#include <errno.h>

void attr_take(struct stat *to, const struct stat *from, unsigned mask)
{
	if (mask & ATTR_MODE)
		to->st_mode = (to->st_mode & S_IFMT) | (from->st_mode & 07777);
	if (mask & ATTR_UID)
		to->st_uid = from->st_uid;
	if (mask & ATTR_GID)
		to->st_gid = from->st_gid;
	if (mask & ATTR_ATIME)
		to->st_atim = from->st_atim;
	if (mask & ATTR_MTIME)
		to->st_mtim = from->st_mtim;
}

void inode_touch(struct inode *n, unsigned mask)
{
	struct stat now = {0};

	clock_gettime(CLOCK_REALTIME, &now.st_ctim);
	now.st_atim = now.st_mtim = n->attr.st_ctim = now.st_ctim;
	attr_take(&n->attr, &now, mask & (ATTR_ATIME | ATTR_MTIME));
	if (mask & ATTR_MTIME) {
		n->oentry->has_mtime = false;
		n->is_listing_stale = n->oentry->is_dir;
	}
	n->attr_mask |= mask;
}

bool inode_is_brief(const struct inode *n)
{
	return inode_is_root(n) && n->vfs->vol->index;
}

int inode_attr(struct vfs *v, struct inode *n, struct stat *ret)
{
	const struct volume *vol = v->vol;
	const struct oentry *u = n->oentry;
	struct stat a = {.st_ino = n->ino, .st_uid = vol->uid, .st_gid = vol->gid, .st_nlink = 1};
	struct file_attr en;
	int r = inode_entry(n, &en, NULL);

	if (r < 0)
		return r;
	/* Files without a time of their own show the map's. */
	a.st_atim = a.st_mtim = a.st_ctim = en.has_mtime ? en.mtime : vol->mtime;
	if (u->has_mtime)
		a.st_mtim = u->mtime;
	/* 1 link for a directory: find(1) then makes no assumption about subdirectories. */
	if (u->is_dir) {
		a.st_mode = S_IFDIR | vol->dir_mode;
	} else {
		a.st_nlink = u->parent != NULL;
		a.st_mode = S_IFREG | vol->file_mode;
		if (!en.is_writable)
			a.st_mode &= ~(mode_t)0222;
		a.st_size = (off_t)en.size;
	}
	attr_take(&a, &n->attr, n->attr_mask);
	if (n->attr_mask)
		a.st_ctim = n->attr.st_ctim;
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
