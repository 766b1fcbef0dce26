/* SPDX-License-Identifier: Zlib */
/* Bytes being written: a stage begins as the file's content, or empty. */
#pragma once

#include "vfs/tree/inode.h"

/* A stage with the file's content (or empty). 1: c waits for the content and will run again. */
int write_buffer_begin(struct vfs *v, struct inode *n, bool empty, struct call *c);
void write_buffer_drop(struct inode *n);

/* Is what is written to it judged when it is closed? Scratch is not. */
bool file_is_validated(const struct inode *n);
/* Where nobody has n open any more, what was closed is shown from where it is kept. True: what is
 * shown is another thing than what was written, and the kernel's cache is to be invalidated. */
bool file_drop_write_buffer(struct inode *n);
