/* SPDX-License-Identifier: Zlib */
/* write_buffer: the bytes of a file that is being written. */
#pragma once

#include "vfs/tree/inode.h"

/* Give n a write buffer with its content, unless it has one; or an empty one. Returns 0, -errno, or
 * 1: n is busy, and c runs again after a load on a worker thread, or is answered if that fails. */
int write_buffer_begin(struct vfs *v, struct inode *n, bool empty, struct call *c);
void write_buffer_drop(struct inode *n);

/* Does n have a write buffer that is validated at a close? Scratch and removed files are not. */
bool file_is_validated(const struct inode *n);
/* Drop n's write buffer if that is clean and file_is_validated, and n is closed. Returns true if n
 * then shows other bytes than were written, so the caller must invalidate the kernel's cache. */
bool file_drop_write_buffer(struct inode *n);
