/* SPDX-License-Identifier: Zlib */
/* file: create handles of open files, and sync the journal. */
#pragma once

#include "vfs/tree/inode.h"

/* Create a handle that keeps n. flags: of open(2). vfs_release frees it. NULL if out of memory. */
struct handle *handle_new(struct inode *n, unsigned flags);
/* Sync the journal on a worker thread, then answer c or, if it is NULL, note a failure. */
void journal_sync_then(struct vfs *v, struct call *c);
