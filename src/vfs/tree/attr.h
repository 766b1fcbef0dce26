/* SPDX-License-Identifier: Zlib */
/* Attributes of inodes. */
#pragma once

#include "vfs/tree/inode.h"

/* Get the attributes for stat(2). -EAGAIN: all but the size, which sizes_request (wait.h) finds. */
int inode_attr(struct vfs *v, struct inode *n, struct stat *ret);
/* Does the inode follow files on disk (call.is_brief)? True for the root of a map in a folder. */
bool inode_is_brief(const struct inode *n);
/* Copy the attributes in mask, except a size. */
void attr_take(struct stat *to, const struct stat *from, unsigned mask);
/* Set ctime and the times in mask to now. The attributes in mask then count as set by a program.
 * ATTR_MTIME on a directory means that its names changed. */
void inode_touch(struct inode *n, unsigned mask);

/* May the file be written? -EROFS: the map is read-only. -EACCES: the file is. -ESTALE: the file is
 * unlinked and closed, and the kernel looks its name up again. */
int file_may_write(const struct inode *n);
/* Maximum size of the file; FORMAT_SIZE_MAX if the format has none. Calls overlay_identify. */
uint64_t file_max_size(const struct inode *n);
