/* SPDX-License-Identifier: Zlib */
/* What open files and setattr share. */
#ifndef VFS_OPS_FILE_H
#define VFS_OPS_FILE_H

#include "vfs/tree/node.h"

/* May this file be written at all? 0, -EROFS, -EACCES, -EIO. */
int file_may_write(const struct node *n);

/* The most bytes that n may have (id: as a file of this entry); beyond is -EFBIG. */
uint64_t file_most(const struct node *n);
uint64_t file_most_of(const struct volume *vol, entry_id id);

/* Is what is written to it judged when it is closed? Scratch is not. */
bool file_judged(const struct node *n);

/* Where nobody has n open any more, what was written and accepted makes room for the canonical
 * form. True: it did, and the kernel's cache is to be invalidated. */
bool file_retire(struct node *n);

#endif
