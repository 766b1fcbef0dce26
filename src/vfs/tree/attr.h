/* SPDX-License-Identifier: Zlib */
/* Attributes of nodes. */
#pragma once

#include "vfs/tree/inode.h"

/* What stat says. -EAGAIN: the size is not known yet (ask size_wait). */
int inode_attr(struct vfs *v, struct inode *n, struct attr *ret);
/* The attributes of the mask (but a size). */
void attr_take(struct attr *to, const struct attr *from, unsigned mask);
/* These times, and ctime, become now. ATTR_MTIME of a directory: names in it came or went. */
void inode_touch(struct inode *n, unsigned mask);

/* May this file be written at all? 0, -EROFS, -EACCES, -EIO; -ESTALE: the kernel is to look it up
 * again. */
int file_may_write(const struct inode *n);
/* The most bytes that n may have; beyond is -EFBIG. */
uint64_t file_max_size(const struct inode *n);
