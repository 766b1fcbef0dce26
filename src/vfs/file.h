/* SPDX-License-Identifier: Zlib */
/* What open files and setattr share. */
#ifndef VFS_FILE_H
#define VFS_FILE_H

#include "vfs/node.h"

/* May this file be written at all? 0, -EROFS, -EACCES, -EIO. */
int file_may_write(const struct node *n);

/* The most bytes that n may have (id: as a file of this entry); beyond is -EFBIG. */
uint64_t file_most(const struct node *n);
uint64_t file_most_of(const struct volume *vol, entry_id id);

/* Is what is written to it judged when it is closed? Scratch is not. */
bool file_judged(const struct node *n);

/*
 * Nobody writes n any more, perhaps: then the canonical form appears, or what came in since the
 * last put is put. c (may be NULL) is answered after that.
 */
void file_written(struct vfs *v, struct node *n, struct call *c);

#endif
