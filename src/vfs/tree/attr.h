/* SPDX-License-Identifier: Zlib */
/* Attributes of nodes. */
#ifndef VFS_TREE_ATTR_H
#define VFS_TREE_ATTR_H

#include "vfs/tree/node.h"

/* What stat says. -EAGAIN: the size is not known yet (ask size_wait). */
int node_attr(struct vfs *v, struct node *n, struct attr *ret);
/* These times, and ctime, become now. ATTR_MTIME of a directory: names in it came or went. */
void node_touch(struct node *n, unsigned mask);
/* The time that the map has for n is what a program set, however its content comes elsewhere now. */
void node_keep_time(struct node *n);
/* For a save, where the format keeps times: those that programs set; appended. */
int node_stamps(const struct vfs *v, struct placement **p, size_t *n);
bool node_is_stamped(const struct node *n); /* Has n one that the model does not have? */
bool node_stamped(const struct vfs *v);     /* Has any? */

/* May this file be written at all? 0, -EROFS, -EACCES, -EIO; -ESTALE: the kernel is to look it up
 * again. */
int file_may_write(const struct node *n);
/* The most bytes that n may have (id: as a file of this entry); beyond is -EFBIG. */
uint64_t file_most(const struct node *n);
uint64_t file_most_of(const struct volume *vol, entry_id id);

#endif
